// SPDX-License-Identifier: Apache-2.0

internal import LiquidAuth
internal import SigningCodecs
internal import SigningCore
internal import SigningFiles
internal import SigningService
internal import Socket

extension LiquidOrder {
    private static let members = [
        "uri", "key", "ice", "addresses", "allow_insecure", "authorities", "idle_seconds",
        "seconds_max",
    ]
    /// The most bytes of an order: certificates, with the escapes of JSON for their line ends.
    private static let limits = JSONLimits(
        bytesMax: 2 * LiquidAuthorities.bytesMax, depthMax: 4, valuesMax: 128)
    private static let addressesMax = 16

    /// Parses an order of the owner.
    init(_ request: HTTPRequest, in home: OpenHome) throws(OwnerBody.ParseError) {
        let json = try OwnerBody(request, members: Self.members, limits: Self.limits).json
        guard let text = json["uri"]?.text, let key = json["key"]?.text else {
            throw .member("uri and key must be strings")
        }
        let uri: LiquidURI
        do throws(LiquidURI.ParseError) { uri = try LiquidURI(text) } catch {
            throw .member("uri cannot be used: \(error.text)")
        }
        self.init(to: uri, as: try Self.user(key, at: uri, in: home))
        switch json["allow_insecure"] {
        case nil: break
        case .bool(let value): allowsInsecure = value
        default: throw .member("allow_insecure must be true or false")
        }
        guard uri.origin.scheme == "https" || (uri.isLoopback && allowsInsecure) else {
            throw .member("the server of uri has no encryption")
        }
        servers = try Self.servers(json["ice"])
        addresses = try Self.addresses(json["addresses"])
        patience = ChannelPatience(
            idleSecondsMax: try Self.seconds(
                json["idle_seconds"], "idle_seconds", ChannelPatience.idleSeconds, 1_800),
            secondsMax: try Self.seconds(
                json["seconds_max"], "seconds_max", ChannelPatience.seconds, 43_200))
        guard let pem = json["authorities"] else { return }
        guard let pem = pem.text else { throw .member("authorities must be a string") }
        do throws(LiquidAuthorities.ReadError) {
            authorities = try LiquidAuthorities(Array(pem.utf8), in: home.home.path)
        } catch {
            switch error {
            case .none: throw .member("authorities has no certificate in PEM form")
            case .tooLong: throw .member("authorities has too many bytes")
            case .folder(let words): throw .impossible("cannot write to the home: \(words)")
            }
        }
    }

    private static func user(
        _ key: String, at uri: LiquidURI, in home: OpenHome
    ) throws(OwnerBody.ParseError) -> LiquidLogin.User {
        func found<Value>(
            _ body: () throws(ServiceError) -> Value
        ) throws(OwnerBody.ParseError) -> Value {
            do throws(ServiceError) { return try body() } catch { throw .impossible(error.message) }
        }
        let accounts = try found { () throws(ServiceError) in try home.accounts() }
        guard let account = accounts.first(where: { $0.name == key }),
            account.protocolID.name == "algorand", !account.isWatchOnly
        else { throw .member("key must be the name of an Algorand key that can sign") }
        let passkeys = try found { () throws(ServiceError) in
            try home.passkeys(of: account, at: uri.origin)
        }
        return LiquidLogin.User(
            address: account.address, key: account.name, credentials: passkeys.map(\.credentialText)
        )
    }

    private static func servers(_ json: JSON?) throws(OwnerBody.ParseError) -> [ICEServer] {
        guard let json else { return [] }
        guard let list = json.list, list.count <= ICEServer.countMax else {
            throw .member("ice must be a list of at most \(ICEServer.countMax) servers")
        }
        let found = list.compactMap { ICEServer($0) }
        guard found.count == list.count else {
            throw .member("ice has an entry that is not a server")
        }
        return found
    }

    private static func addresses(_ json: JSON?) throws(OwnerBody.ParseError) -> [String] {
        guard let json else { return [] }
        let found = json.list?.compactMap(\.text).filter { ICEServer.isAddress($0) }
        guard let found, found.count == json.list?.count, found.count <= addressesMax else {
            throw .member("addresses must be a list of at most \(addressesMax) addresses")
        }
        return found
    }

    private static func seconds(
        _ json: JSON?, _ name: String, _ range: ClosedRange<Int64>, _ otherwise: Int64
    ) throws(OwnerBody.ParseError) -> Int64 {
        guard let json else { return otherwise }
        guard let value = json.integerValue, range.contains(value) else {
            throw .member("\(name) must be a number from 1 to \(range.upperBound)")
        }
        return value
    }
}

extension OwnerBody.ParseError {
    fileprivate static func member(_ text: String) -> Self {
        Self(response: .problem(400, "bad_member", text))
    }

    fileprivate static func impossible(_ text: String) -> Self {
        Self(response: .problem(409, "not_possible", text))
    }
}
