// SPDX-License-Identifier: Apache-2.0

import ARC27Client
import Algorand
import SigningCodecs
import Testing

@testable import ARC27Rig
@testable import AlgorandSamples

/// Calls and replies of the vectors.
enum ClientVectors {
    /// The requests that a provider must refuse and that the client cannot make.
    static let refused: Set<String> = [
        "invalid-not-base64", "invalid-not-msgpack", "invalid-trailing-bytes",
        "invalid-unsorted-keys", "invalid-wide-integer", "invalid-signed-integer",
        "invalid-duplicate-key", "invalid-missing-sender", "invalid-short-sender",
        "invalid-signed-instead-of-unsigned",
        "invalid-stxn-with-signers", "invalid-stxn-mismatch", "invalid-two-signers-no-msig",
        "invalid-signer-not-sender", "invalid-signer-not-authaddr",
        "invalid-signers-not-in-msig", "invalid-msig-threshold-0",
        "invalid-unknown-wallet-field", "invalid-group-message-on-second", "unknown-method",
    ]

    /// The request of a conversation; nil if the client cannot make it.
    static func request(_ conversation: Conversation) throws -> ARC27Client.PendingRequest? {
        let json = try #require(conversation.json["request"]?["json"])
        let id = try #require(json["id"]?.text)
        let client = try ARC27Client(providerID: json["params"]?["providerId"]?.text)
        guard let call = try call(json) else { return nil }
        do throws(ARC27ClientError) {
            return try client.request(call, id: id)
        } catch {
            guard case .invalidCall(let reason) = error else { throw error }
            #expect(!reason.isEmpty)
            return nil
        }
    }

    /// The request of a conversation; another request with the same id if the client cannot make
    /// it.
    static func anyRequest(_ conversation: Conversation) throws -> ARC27Client.PendingRequest {
        if let request = try request(conversation) { return request }
        let id = try #require(conversation.json["request"]?["json"]?["id"]?.text)
        return try ARC27Client(providerID: TestProvider.providerID)
            .request(.signTransactions([]), id: id)
    }

    static func call(_ json: JSON) throws -> ARC27Client.Call? {
        let params = json["params"]
        let hash = try params?["genesisHash"]?.text.map { try Base64.decode($0) }
        switch json["reference"]?.text?.split(separator: ":").dropFirst().first {
        case "discover": return .discover
        case "enable": return .enable(genesisHash: hash)
        case "disable":
            let sessions = params?["sessionIds"]?.list?.compactMap(\.text)
            return .disable(genesisHash: hash, sessionIDs: sessions)
        case "sign_transactions":
            guard let items = items(params) else { return nil }
            return .signTransactions(items)
        case "sign_and_post_transactions":
            guard let items = items(params) else { return nil }
            return .signAndPostTransactions(items)
        case "post_transactions":
            let list = params?["stxns"]?.list ?? []
            return .postTransactions(try list.map { try Vectors.bytes($0) })
        case "sign_message": return try message(params)
        default: return nil
        }
    }

    private static func message(_ params: JSON?) throws -> ARC27Client.Call {
        if let text = params?["message"]?.text {
            return .signMessage(text, signer: params?["signer"]?.text)
        }
        let data = try Vectors.bytes(params?["data"])
        let signer = try #require(params?["signer"]?.text)
        let domain = try #require(params?["domain"]?.text)
        let bytes = try Vectors.bytes(params?["authenticatorData"])
        return .signData(
            ARC27Client.DataToSign(
                data, signer: signer, domain: domain, authenticatorData: bytes,
                requestID: params?["requestId"]?.text))
    }

    private static func items(_ params: JSON?) -> [ARC27Client.TransactionToSign]? {
        let list = params?["txns"]?.list ?? []
        let items = list.compactMap(item)
        return items.count == list.count ? items : nil
    }

    private static func item(_ json: JSON) -> ARC27Client.TransactionToSign? {
        guard json["foo"] == nil, let text = json["txn"]?.text,
            let bytes = try? Base64.decode(text, alphabet: .either, padding: .optional)
        else { return nil }
        var item = ARC27Client.TransactionToSign(bytes, authAddress: json["authAddr"]?.text)
        item.signers = json["signers"]?.list?.compactMap(\.text)
        item.signed = json["stxn"]?.text.flatMap { try? Base64.decode($0) }
        item.groupMessage = json["groupMessage"]?.text
        if let account = json["msig"] {
            item.multisig = ARC27Client.MultisigToSign(
                threshold: Int(account["threshold"]?.integerValue ?? 0),
                addresses: account["addrs"]?.list?.compactMap(\.text) ?? [])
        }
        return item
    }

    /// A reply as a peer writes it.
    static func reply(
        to request: ARC27Client.PendingRequest, _ name: String, _ value: JSON
    ) -> String {
        let members: [JSONObject.Member] = [
            .init(name: "id", value: "reply-1"),
            .init(
                name: "reference",
                value: .string("arc0027:\(request.call.method.rawValue):response")),
            .init(name: "requestId", value: .string(request.id)),
            .init(name: name, value: value),
        ]
        return String(decoding: JSON.object(JSONObject(members)).write(), as: UTF8.self)
    }
}

extension ARC27Client.PendingRequest {
    func read(_ text: String) throws(ARC27ClientError) -> ARC27Client.Reply {
        let bytes = [UInt8](text.utf8)
        return try read(bytes.span)
    }

    func read(result: JSON) throws(ARC27ClientError) -> ARC27Client.Reply {
        try read(ClientVectors.reply(to: self, "result", result))
    }

    func read(error: JSON) throws(ARC27ClientError) -> ARC27Client.Reply {
        try read(ClientVectors.reply(to: self, "error", error))
    }

    /// The frame as text.
    func text(_ form: ARC27Client.Form) throws(ARC27ClientError) -> String {
        String(decoding: try frame(form), as: UTF8.self)
    }
}
