// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs

/// The first frame of a page that asks for the protocol of the channel (a draft of 2026).
///
/// Only ARC-27, version 1.0, is supported.
struct ChannelNegotiation {
    /// The answer.
    let reply: [UInt8]
    /// True if frames follow; otherwise the channel is closed.
    let staysOpen: Bool

    private enum Refusal: Error {
        case noCommonProtocol
        case unsupportedVersion
        case malformed

        var json: JSON {
            switch self {
            case .noCommonProtocol: ["code": 5000, "message": "No mutually supported protocol"]
            case .unsupportedVersion:
                [
                    "code": 5001, "message": "Unsupported handshake version",
                    "data": ["supported": [.integer(handshakeVersion)]],
                ]
            case .malformed: ["code": 5002, "message": "Malformed offer"]
            }
        }
    }

    private static let handshakeVersion: Int64 = 1
    private static let protocolID = "arc0027"
    private static let protocolVersion = "1.0"
    private static let listMax = 32
    private static let idBytesMax = 128
    private static let limits = JSONLimits(bytesMax: 64 << 10, depthMax: 8, valuesMax: 2_000)

    /// Reads a first frame; nil if it is not an offer with an id to answer.
    init?(_ frame: [UInt8], freshID: [UInt8]) {
        guard ChannelRefusal.isJSON(frame),
            let offer = try? JSON.parse(frame.span, limits: Self.limits),
            offer["reference"]?.text == "liquidauth:negotiate:offer",
            let id = offer["id"]?.text, (1...Self.idBytesMax).contains(id.utf8.count)
        else { return nil }
        var members: [JSONObject.Member] = [
            .init(name: "id", value: .string(UUIDText.version4(freshID))),
            .init(name: "reference", value: "liquidauth:negotiate:select"),
            .init(name: "requestId", value: .string(id)),
        ]
        do throws(Refusal) {
            try Self.check(offer["params"])
            let result: JSON = [
                "handshakeVersion": .integer(Self.handshakeVersion),
                "protocol": [
                    "id": .string(Self.protocolID), "version": .string(Self.protocolVersion),
                ],
            ]
            members.append(.init(name: "result", value: result))
            staysOpen = true
        } catch {
            members.append(.init(name: "error", value: error.json))
            staysOpen = false
        }
        reply = JSON.object(JSONObject(members)).write()
    }

    private static func check(_ params: JSON?) throws(Refusal) {
        guard let version = params?["handshakeVersion"]?.integerValue else { throw .malformed }
        guard version == handshakeVersion else { throw .unsupportedVersion }
        guard let protocols = params?["protocols"]?.list, protocols.count <= listMax else {
            throw .malformed
        }
        var isCommon = false
        for one in protocols {
            guard let id = one["id"]?.text, let versions = one["versions"]?.list,
                versions.count <= listMax, versions.allSatisfy({ $0.text != nil })
            else { throw .malformed }
            if id == protocolID, versions.contains(.string(protocolVersion)) { isCommon = true }
        }
        guard isCommon else { throw .noCommonProtocol }
    }
}
