// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension ARC27Request {
    /// The result of the answer; nil where the key results are not those asked for.
    func result(of results: [KeyResult]) -> JSON? {
        guard results.count == operations.count else { return nil }
        switch body {
        case .discover: return discovered
        case .enable(let network): return enabled(on: network)
        // No sessions are kept, so none were removed.
        case .disable(let network):
            return .object(JSONObject(members(of: network) + [Self.member("sessionIds", [])]))
        case .sign(let items): return signed(items, results)
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

    private func enabled(on network: ARC27Configuration.Network) -> JSON {
        let accounts = operations.map { operation in
            JSON.object(
                JSONObject([
                    Self.member("address", .string(operation.account.address)),
                    Self.member("name", .string(operation.account.name)),
                ]))
        }
        return .object(
            JSONObject([Self.member("accounts", .array(accounts))] + members(of: network)))
    }

    private func members(of network: ARC27Configuration.Network) -> [JSONObject.Member] {
        [
            Self.member("genesisHash", .string(network.hashText)),
            Self.member("genesisId", .string(network.genesisID)),
            Self.member("providerId", .string(answer.providerID)),
        ]
    }

    /// One entry per transaction asked about, null where nobody was to sign.
    private func signed(_ items: [SigningItem], _ results: [KeyResult]) -> JSON? {
        var results = results[...]
        var list: [JSON] = []
        list.reserveCapacity(items.count)
        for item in items {
            switch item.decision {
            case .leave: list.append(.null)
            case .pass(let bytes): list.append(.string(Base64.encode(bytes.span)))
            case .sign(let account):
                guard case .signature(let signature, _) = results.popFirst() else { return nil }
                guard signature.count == SignedTransaction.signatureCount else { return nil }
                let isSender = account.publicKey == item.wire.transaction.sender
                let bytes = SignedTransaction.encode(
                    transaction: item.wire.bytes, signature: signature,
                    signer: isSender ? nil : account.publicKey)
                list.append(.string(Base64.encode(bytes.span)))
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

extension ARC27Configuration.Network {
    fileprivate var hashText: String { Base64.encode(genesisHash.span) }
}
