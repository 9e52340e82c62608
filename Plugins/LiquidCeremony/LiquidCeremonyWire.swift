// SPDX-License-Identifier: Apache-2.0

import Algorand
public import SigningCodecs
import SigningCore

/// A ceremony in the form of the transport: the server, the account and the received options.
public struct LiquidCeremonyWire: Sendable {
    static let frameBytesMax = 128 << 10
    static let requestIDBytesMax = 128
    static let deviceBytesMax = 64
    /// The channel name of Countersign's transport.
    static let channel: ChannelName = "liquid"
    private static let limits = JSONLimits(
        bytesMax: frameBytesMax, depthMax: 16, valuesMax: 2_000)
    private static let members = [
        "liquid", "origin", "requestId", "address", "key", "device", "credential", "options",
    ]

    /// The kinds of requests.
    public enum Ceremony: String, Sendable {
        /// Asks if the server may learn which account would log in; nothing is signed.
        case introduce
        /// Creates a new passkey, and the account signs the challenge.
        case register
        /// Signs with a passkey that the server knows.
        case login
    }

    /// The kind of the request.
    public let ceremony: Ceremony
    /// The origin of the server, normalized.
    public let origin: WebOrigin
    /// The id that the app gave the login.
    public let requestID: String
    /// The account that logs in.
    public let address: String
    /// The name of its key; nil for any key of the account.
    public let key: String?
    /// The description of this machine for the server.
    public let device: String
    /// The passkey that logs in, in base64url; nil for a new passkey.
    public let credential: String?
    /// The options as the server wrote them.
    public let options: JSON

    /// Creates a request.
    public init(
        _ ceremony: Ceremony, at origin: WebOrigin, requestID: String, address: String,
        key: String? = nil, device: String, credential: String? = nil, options: JSON
    ) {
        self.ceremony = ceremony
        self.origin = origin
        self.requestID = requestID
        self.address = address
        self.key = key
        self.device = device
        self.credential = credential
        self.options = options
    }

    /// The name of the method in rules.
    var method: String {
        switch ceremony {
        case .introduce: AlgorandVocabulary.liquidIntroduce
        case .register: AlgorandVocabulary.liquidRegister
        case .login: AlgorandVocabulary.liquidLogin
        }
    }

    /// The request as a frame.
    public var frame: [UInt8] {
        var members: [JSONObject.Member] = [
            .init(name: "liquid", value: .string(ceremony.rawValue)),
            .init(name: "origin", value: .string(origin.text)),
            .init(name: "requestId", value: .string(requestID)),
            .init(name: "address", value: .string(address)),
        ]
        if let key { members.append(.init(name: "key", value: .string(key))) }
        members.append(.init(name: "device", value: .string(device)))
        if let credential { members.append(.init(name: "credential", value: .string(credential))) }
        members.append(.init(name: "options", value: options))
        return JSON.object(JSONObject(members)).write()
    }

    init(_ frame: Span<UInt8>) throws(LiquidRefusal) {
        let json: JSON
        do throws(CodecError) {
            json = try JSON.parse(frame, limits: Self.limits)
        } catch {
            throw LiquidRefusal(.malformed, "not readable as JSON: \(error.text)")
        }
        guard let object = json.object, object.names.allSatisfy(Self.members.contains),
            let ceremony = json["liquid"]?.text.flatMap(Ceremony.init),
            let address = json["address"]?.text, let options = json["options"],
            options.object != nil
        else {
            throw LiquidRefusal(
                .malformed,
                "a ceremony has the members liquid (introduce, register or login), origin, "
                    + "requestId, address and options, may have key, device and credential, and "
                    + "no others"
            )
        }
        self.ceremony = ceremony
        self.address = address
        self.options = options
        origin = try Self.origin(json["origin"]?.text)
        requestID = try Self.text("requestId", in: json, countMax: Self.requestIDBytesMax)
        device = try Self.text("device", in: json, countMax: Self.deviceBytesMax)
        key = try json["key"].map { (value) throws(LiquidRefusal) in
            guard let name = value.text else {
                throw LiquidRefusal(.malformed, "key must be a string")
            }
            return name
        }
        credential = json["credential"]?.text
        guard (credential != nil) == (ceremony == .login), json["credential"]?.text == credential
        else {
            throw LiquidRefusal(.malformed, "credential is for a login, which needs it")
        }
    }

    private static func text(
        _ name: String, in json: JSON, countMax: Int
    ) throws(LiquidRefusal) -> String {
        guard let text = json[name]?.text, (1...countMax).contains(text.utf8.count) else {
            throw LiquidRefusal(.malformed, "\(name) must be a string of 1 to \(countMax) bytes")
        }
        return text
    }

    /// Parses a normalized origin; without encryption it must be on this machine.
    private static func origin(_ text: String?) throws(LiquidRefusal) -> WebOrigin {
        guard let text, let origin = try? WebOrigin(text), origin.text == text, origin.isPage else {
            throw LiquidRefusal(.malformed, "origin must be a web origin in its normal form")
        }
        guard origin.scheme == "https" || loopback.contains(origin.host.text) else {
            throw LiquidRefusal(.malformed, "origin must be https, or on this machine")
        }
        return origin
    }

    private static let loopback = ["127.0.0.1", "[::1]", "localhost"]
}
