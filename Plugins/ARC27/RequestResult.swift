// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

extension ARC27Request {
    /// Returns the result of the answer; nil if the key results do not match the request.
    func result(of results: [KeyResult]) -> JSON? {
        guard results.count == operations.count else { return nil }
        switch body {
        case .discover: return discovered
        case .enable(let network, let id): return enabled(on: network, id)
        case .disable(let network, let removed):
            let ids = Self.member("sessionIds", .array(removed.map { .string($0) }))
            return .object(JSONObject(members(of: network) + [ids]))
        case .message(let message): return signed(message, results)
        case .sign(let items, let dialect): return signed(items, dialect, results)
        case .unserved: return nil
        case .post(let posting): return posting.items.isEmpty ? posted([]) : nil
        }
    }

    private var discovered: JSON {
        // Any page may ask, and the genesis of a private network would identify its owner.
        let networks = configuration.networks.filter { $0.name == nil }.map { network in
            let methods = configuration.methods(of: network).map { JSON.string($0) }
            return JSON.object(
                JSONObject([
                    Self.member("genesisHash", .string(network.hashText)),
                    Self.member("genesisId", .string(network.genesisID)),
                    Self.member("methods", .array(methods)),
                ]))
        }
        var members = [
            Self.member("name", .string(configuration.name)),
            Self.member("networks", .array(networks)),
            Self.member("providerId", .string(answer.providerID)),
        ]
        if let host = configuration.host { members.append(Self.member("host", .string(host))) }
        if let icon = configuration.icon { members.append(Self.member("icon", .string(icon))) }
        return .object(JSONObject(members))
    }

    private func enabled(
        on network: AlgorandNetwork, _ sessionID: String?
    ) -> JSON {
        let accounts = operations.map { operation in
            JSON.object(
                JSONObject([
                    Self.member("address", .string(operation.account.address)),
                    Self.member("name", .string(operation.account.name)),
                ]))
        }
        let session = sessionID.map { [Self.member("sessionId", .string($0))] } ?? []
        return .object(
            JSONObject(
                [Self.member("accounts", .array(accounts))] + members(of: network) + session))
    }

    private func members(of network: AlgorandNetwork) -> [JSONObject.Member] {
        [
            Self.member("genesisHash", .string(network.hashText)),
            Self.member("genesisId", .string(network.genesisID)),
            Self.member("providerId", .string(answer.providerID)),
        ]
    }

    private func signed(_ message: MessageToSign, _ results: [KeyResult]) -> JSON? {
        guard let signature = results.first?.signature else { return nil }
        return .object(
            JSONObject([
                Self.member("providerId", .string(answer.providerID)),
                Self.member("signature", .string(Base64.encode(signature.span))),
                Self.member("signer", .string(message.account.address)),
            ]))
    }

    /// Returns one entry for each requested transaction, null if it was not to be signed.
    private func signed(
        _ items: [SigningItem], _ dialect: ARC27ClientSettings.Dialect, _ results: [KeyResult]
    ) -> JSON? {
        let texts: [JSON]
        switch dialect {
        case .arc27:
            guard let list = signedTransactions(items, results) else { return nil }
            texts = list.map { bytes in
                bytes.map { JSON.string(Base64.encode($0.span)) } ?? .null
            }
        case .signature:
            guard let list = signatures(items, results) else { return nil }
            texts = list.map { signatures in
                guard let signature = signatures.first else { return .null }
                return .string(Base64.encode(signature.span, alphabet: .url, padding: false))
            }
        }
        return .object(
            JSONObject([
                Self.member("providerId", .string(answer.providerID)),
                Self.member("stxns", .array(texts)),
            ]))
    }

    /// Returns the signed transactions, nil for those that were not to be signed.
    func signedTransactions(_ items: [SigningItem], _ results: [KeyResult]) -> [[UInt8]?]? {
        guard let signatures = signatures(items, results) else { return nil }
        return zip(items, signatures).map { $0.signed($1) }
    }

    /// Returns the signatures for each item, in the order of its signers.
    private func signatures(
        _ items: [SigningItem], _ results: [KeyResult]
    ) -> [[[UInt8]]]? {
        var results = results[...]
        var list: [[[UInt8]]] = []
        list.reserveCapacity(items.count)
        for item in items {
            let own = results.prefix(item.decision.signers.count)
            results = results.dropFirst(own.count)
            list.append(own.compactMap(\.signature))
            guard list.last?.count == item.decision.signers.count else { return nil }
        }
        return list
    }

    private static func member(_ name: String, _ value: JSON) -> JSONObject.Member {
        .init(name: name, value: value)
    }
}

extension KeyResult {
    fileprivate var signature: [UInt8]? {
        guard case .signature(let signature, _) = self,
            signature.count == SignedTransaction.signatureCount
        else { return nil }
        return signature
    }
}

extension AlgorandNetwork {
    fileprivate var hashText: String { Base64.encode(genesisHash.span) }
}
