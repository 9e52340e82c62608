// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension ARC27Client.Call {
    /// Returns the parameters in the form of the wire; nil if there are no parameters.
    func params(providerID: String?) -> JSON? {
        let provider = Self.member("providerId", providerID)
        switch self {
        case .discover:
            return provider.isEmpty ? nil : .object(JSONObject(provider))
        case .enable(let hash):
            return .object(JSONObject(Self.member("genesisHash", hash) + provider))
        case .disable(let hash, let sessions):
            return .object(
                JSONObject(
                    Self.member("genesisHash", hash) + provider
                        + Self.member("sessionIds", sessions)))
        case .signTransactions(let list), .signAndPostTransactions(let list):
            let txns = JSONObject.Member(name: "txns", value: .array(list.map(\.json)))
            return .object(JSONObject(provider + [txns]))
        case .postTransactions(let list):
            let texts = list.map { Base64.encode($0.span) }
            return .object(JSONObject(provider + Self.member("stxns", texts)))
        case .signMessage(let message, let signer):
            return .object(
                JSONObject(
                    Self.member("message", message) + provider + Self.member("signer", signer)))
        case .signData(let data):
            return .object(JSONObject(data.members + provider))
        }
    }

    fileprivate static func member(_ name: String, _ text: String?) -> [JSONObject.Member] {
        guard let text else { return [] }
        return [.init(name: name, value: .string(text))]
    }

    fileprivate static func member(_ name: String, _ bytes: [UInt8]?) -> [JSONObject.Member] {
        member(name, bytes.map { Base64.encode($0.span) })
    }

    fileprivate static func member(_ name: String, _ texts: [String]?) -> [JSONObject.Member] {
        guard let texts else { return [] }
        return [.init(name: name, value: .array(texts.map { .string($0) }))]
    }
}

extension ARC27Client.TransactionToSign {
    fileprivate var json: JSON {
        typealias Call = ARC27Client.Call
        var members = Call.member("txn", transaction) + Call.member("authAddr", authAddress)
        if let multisig {
            members.append(.init(name: "msig", value: multisig.json))
        }
        members += Call.member("signers", signers) + Call.member("stxn", signed)
        members += Call.member("message", message) + Call.member("groupMessage", groupMessage)
        return .object(JSONObject(members))
    }
}

extension ARC27Client.MultisigToSign {
    fileprivate var json: JSON {
        [
            "addrs": .array(addresses.map { .string($0) }),
            "threshold": .integer(Int64(threshold)), "version": 1,
        ]
    }
}

extension ARC27Client.DataToSign {
    fileprivate var members: [JSONObject.Member] {
        typealias Call = ARC27Client.Call
        return Call.member("data", data) + Call.member("signer", signer)
            + Call.member("domain", domain) + Call.member("authenticatorData", authenticatorData)
            + Call.member("requestId", requestID) + Call.member("hdPath", path)
            + [.init(name: "metadata", value: ["scope": 1, "encoding": "base64"])]
    }
}
