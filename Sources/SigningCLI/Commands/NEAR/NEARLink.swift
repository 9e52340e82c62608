// SPDX-License-Identifier: Apache-2.0

import NEP413
import SigningCodecs

/// A `near:` link, by which an app sends a request to a wallet.
///
/// A link has the words and the query of MyNearWallet's addresses, such as
/// `near://testnet/sign?transactions=...&callbackUrl=...`. Anyone can write a link in the name of
/// any app; `callbackClient` only identifies the receiver of the answer.
struct NEARLink {
    /// The reason that a link is not valid; its text is for people.
    struct ParseError: Error, Hashable {
        let text: String

        init(_ text: String) { self.text = text }
    }

    static let scheme = "near:"
    /// The maximum length of a link, in bytes.
    static let bytesMax = 128 << 10
    private static let callbackBytesMax = 4_096
    private static let pairsMax = 256

    /// The call of the link, in the format of `nep413`.
    let frame: [UInt8]
    /// The callback URL for the answer.
    let target: String
    /// The origin of the callback, or the URL scheme of an app.
    let callbackClient: String
    private let action: Action
    private let failure: String
    private let meta: String?
    /// The public key that the app asks for.
    private let publicKey: String?

    /// The query members of a success; a callback may still contain those of an earlier answer.
    private static let successNames = ["transactionHashes", "account_id", "public_key", "all_keys"]
    private static let failureNames = ["errorCode", "errorMessage", "transactionStates"]

    private enum Action: String { case login, sign, signMessage = "sign-message" }

    /// True if a text starts with the scheme `near:`.
    static func isOne(_ text: String) -> Bool {
        text.utf8.prefix(scheme.utf8.count).elementsEqual(scheme.utf8) {
            $0 == $1 || $0 | 0x20 == $1
        }
    }

    init(_ text: String) throws(ParseError) {
        guard text.utf8.count <= Self.bytesMax else {
            throw ParseError("it is longer than \(Self.bytesMax) bytes")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw ParseError("it contains characters that such a link cannot have")
        }
        let halves = text.utf8.dropFirst(Self.scheme.utf8.count)
            .split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
            .map { Substring($0) }
        let path = halves[0].split(separator: "/")
        guard (1...2).contains(path.count), let last = path.last,
            let action = Action(rawValue: String(last))
        else { throw ParseError("its action is not login, sign or sign-message") }
        let query = try LinkQuery(halves.count > 1 ? halves[1] : "", pairsMax: Self.pairsMax)
        var params = path.count > 1 ? [JSONObject.Member.text("network", String(path[0]))] : []
        self.action = action
        switch action {
        case .login:
            target = try query.needed("success_url")
            failure = try query.needed("failure_url")
            meta = nil
            publicKey = try query.one("public_key")
            params += try Self.purpose(query)
            if let member = try Self.addedKey(publicKey, query) { params.append(member) }
        case .sign:
            target = try query.needed("callbackUrl")
            failure = target
            meta = try query.one("meta")
            publicKey = nil
            let templates = try query.needed("transactions").split(
                separator: ",", omittingEmptySubsequences: false)
            params.append(
                .init(
                    name: "transactions",
                    value: .array(templates.map { ["template": .string(String($0))] })))
        case .signMessage:
            target = try query.needed("callbackUrl")
            failure = target
            meta = nil
            publicKey = nil
            for name in ["message", "recipient", "nonce", "callbackUrl"] {
                params.append(.text(name, try query.needed(name)))
            }
            if let state = try query.one("state") { params.append(.text("state", state)) }
        }
        callbackClient = try Self.callbackClient(target)
        guard try Self.callbackClient(failure) == callbackClient else {
            throw ParseError("its addresses for success and for failure are on different sites")
        }
        let method =
            switch action {
            case .login: "signIn"
            case .sign: "signAndSendTransactions"
            case .signMessage: "signMessage"
            }
        frame = (["method": .string(method), "params": .object(JSONObject(params))] as JSON).write()
    }

    /// The URL to open: the callback with the reply in its query; nil if the query cannot contain
    /// the reply.
    func callback(carrying reply: [UInt8]) -> String? {
        if action == .signMessage { return NEP413Callback.url(target, carrying: reply) }
        guard let json = try? JSON.parse(reply.span) else { return nil }
        if let error = json["error"] {
            let code = error["code"]?.text ?? "internal_error"
            return LinkQuery.adding(
                [
                    ("errorCode", code == "user_rejected" ? "userRejected" : code),
                    ("errorMessage", error["message"]?.text),
                    ("transactionStates", Self.states(error)), ("meta", meta),
                ] + Self.successNames.map { ($0, nil) }, to: failure)
        }
        guard let results = json["result"]?.list else { return nil }
        switch action {
        case .login:
            guard let account = results.first, let id = account["accountId"]?.text,
                let key = account["publicKey"]?.text
            else { return nil }
            return LinkQuery.adding(
                [("account_id", id), ("public_key", publicKey), ("all_keys", key)]
                    + Self.failureNames.map { ($0, nil) }, to: target)
        case .sign:
            let hashes = results.compactMap { $0["transaction"]?["hash"]?.text }
            guard hashes.count == results.count else { return nil }
            return LinkQuery.adding(
                [("transactionHashes", hashes.joined(separator: ",")), ("meta", meta)]
                    + Self.failureNames.map { ($0, nil) }, to: target)
        case .signMessage: return nil
        }
    }

    /// The transactions that are signed but not all carried out, as `HASH:state,...`.
    ///
    /// The member is not called `transactionHashes`, as apps read that as a success.
    private static func states(_ error: JSON) -> String? {
        error["transactions"]?.list.map { list in
            list.compactMap { item in
                item["hash"]?.text.flatMap { hash in
                    item["state"]?.text.map { "\(hash):\($0)" }
                }
            }.joined(separator: ",")
        }
    }

    /// The contract that an app works with, which the question shows; it grants no access.
    private static func purpose(_ query: LinkQuery) throws(ParseError) -> [JSONObject.Member] {
        guard let contract = try query.one("contract_id") else { return [] }
        let names = query.all("methodNames")
        return [.text("contractId", contract)]
            + (names.isEmpty
                ? []
                : [.init(name: "methodNames", value: .array(names.map { .string($0) }))])
    }

    /// An access key of the app for one contract; a link cannot ask for a full-access key.
    private static func addedKey(
        _ publicKey: String?, _ query: LinkQuery
    ) throws(ParseError) -> JSONObject.Member? {
        let contract = try query.one("contract_id")
        guard let publicKey else { return nil }
        guard let contract else {
            throw ParseError(
                "it asks for a key with full access to an account, which a link cannot get")
        }
        let names = query.all("methodNames")
        let methods: JSON =
            names.isEmpty
            ? ["anyMethod": true]
            : ["anyMethod": false, "methodNames": .array(names.map { .string($0) })]
        return .init(
            name: "addFunctionCallKey",
            value: [
                "contractId": .string(contract), "publicKey": .string(publicKey),
                "allowMethods": methods,
            ])
    }

    private static func callbackClient(_ callback: String) throws(ParseError) -> String {
        guard callback.utf8.count <= callbackBytesMax, NEP413Callback.isUsable(callback),
            let origin = try? WebOrigin(callback)
        else {
            throw ParseError(
                "its answer may only go to https, to http on this machine, or to the scheme of an "
                    + "app")
        }
        return origin.isPage ? origin.text : origin.scheme
    }
}

/// The pairs of a query in the format `application/x-www-form-urlencoded`.
struct LinkQuery {
    private let pairs: [(name: String, value: String)]

    init(_ text: Substring, pairsMax: Int) throws(NEARLink.ParseError) {
        let parts = text.split(separator: "&")
        guard parts.count <= pairsMax else {
            throw .init(
                "its query has more than \(pairsMax) parameters")
        }
        pairs = try parts.map { (part) throws(NEARLink.ParseError) in
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                try Self.decoded(halves[0]), try Self.decoded(halves.count > 1 ? halves[1] : "")
            )
        }
    }

    /// All values of a name, in order.
    func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// The value of a name; nil if it is absent or empty, and an error if it occurs twice.
    func one(_ name: String) throws(NEARLink.ParseError) -> String? {
        let values = all(name)
        guard values.count < 2 else { throw .init("it has \(name) twice") }
        return values.first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The value of a required name.
    func needed(_ name: String) throws(NEARLink.ParseError) -> String {
        guard let value = try one(name) else { throw .init("it lacks \(name)") }
        return value
    }

    /// Adds members to the query of an address, in place of members with the same names.
    static func adding(_ added: [(String, String?)], to address: String) -> String {
        let halves = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let names = Set(added.map(\.0))
        let kept = (halves.count > 1 ? halves[1] : "").split(separator: "&").filter { part in
            let name = part.prefix { $0 != "=" }
            return (try? decoded(name)).map { !names.contains($0) } ?? true
        }
        let new = added.compactMap { name, value in
            value.map { "\(name)=\(PercentEncoding.encode($0))" }
        }
        return "\(halves[0])?\((kept.map(String.init) + new).joined(separator: "&"))"
    }

    /// The decoded text; "+" is a space in this format.
    private static func decoded(_ text: Substring) throws(NEARLink.ParseError) -> String {
        let bytes = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        do throws(CodecError) {
            return try PercentEncoding.decode(bytes.span)
        } catch {
            throw .init("its query is not readable: \(error.text)")
        }
    }
}
