// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension ARC27Request {
    /// The result of the answer; nil where the key results are not those asked for.
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
        }
    }

    private var discovered: JSON {
        let methods = ARC27Wire.Method.allCases.filter { $0 != .discover }.map(\.rawValue)
        let networks = configuration.networks.map { network in
            JSON.object(
                JSONObject([
                    Self.member("genesisHash", .string(network.hashText)),
                    Self.member("genesisId", .string(network.genesisID)),
                    Self.member("methods", .array(methods.sorted().map { .string($0) })),
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
        on network: ARC27Configuration.Network, _ sessionID: String?
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

    private func members(of network: ARC27Configuration.Network) -> [JSONObject.Member] {
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

    /// One entry per transaction asked about, null where nobody was to sign.
    private func signed(
        _ items: [SigningItem], _ dialect: ARC27ClientSettings.Dialect, _ results: [KeyResult]
    ) -> JSON? {
        var results = results[...]
        var list: [JSON] = []
        list.reserveCapacity(items.count)
        for item in items {
            let own = results.prefix(item.decision.signers.count)
            results = results.dropFirst(own.count)
            let signatures = own.compactMap(\.signature)
            guard signatures.count == own.count else { return nil }
            if dialect == .signature, let signature = signatures.first {
                list.append(
                    .string(Base64.encode(signature.span, alphabet: .url, padding: false)))
            } else {
                let bytes = item.signed(signatures)
                list.append(bytes.map { .string(Base64.encode($0.span)) } ?? .null)
            }
        }
        return .object(
            JSONObject([
                Self.member("providerId", .string(answer.providerID)),
                Self.member("stxns", .array(list)),
            ]))
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

extension ARC27Configuration.Network {
    fileprivate var hashText: String { Base64.encode(genesisHash.span) }
}
