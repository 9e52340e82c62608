// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension ARC27Adapter {
    /// Reads the parameters; `answer` learns the provider id to use as soon as it is known.
    func request(
        _ envelope: ARC27Envelope, in context: DecodingContext, _ answer: inout ARC27Answer
    ) throws(ARC27Failure) -> ARC27Request {
        guard let method = ARC27Wire.Method(rawValue: envelope.method) else {
            throw .methodNotSupported(envelope.method)
        }
        let params = try ARC27Params(envelope.params, names: method.parameterNames)
        // A discovery of somebody else got no answer before; any other id here is ours.
        if method != .discover {
            answer.providerID = try params.providerID(
                own: configuration.providerID, isRequired: method != .signTransactions)
        } else {
            _ = try params.text("providerId")
        }
        switch method {
        case .discover: return request(.discover, answer)
        case .enable: return try enable(params, context.accounts, answer)
        case .disable:
            _ = try params.texts("sessionIds")
            let network = try params.network(of: configuration)
            return request(.disable(network), answer, facts: [.network(network)])
        case .signTransactions: return try sign(params, context.accounts, answer)
        }
    }

    private func enable(
        _ params: ARC27Params, _ accounts: [Account], _ answer: ARC27Answer
    ) throws(ARC27Failure) -> ARC27Request {
        let network = try params.network(of: configuration)
        let shown = accounts.filter {
            $0.algorithm == .ed25519 && network.serves(accountNetwork: $0.network)
        }
        return request(
            .enable(network), answer, facts: [.network(network)],
            dangers: network.isBuiltIn ? [] : [.unknownNetwork],
            operations: shown.map { account in
                RequestedOperation(
                    account: account, operation: .publicKey, facts: [], effects: [.revealsKey],
                    dangers: [])
            })
    }

    private func sign(
        _ params: ARC27Params, _ accounts: [Account], _ answer: ARC27Answer
    ) throws(ARC27Failure) -> ARC27Request {
        let list = try params.list("txns")
        guard list.count <= ARC27Wire.transactionCountMax else {
            throw .invalid("txns holds more than \(ARC27Wire.transactionCountMax) items")
        }
        let items = try items(list, KeyRing(accounts: accounts, hash: configuration.sha512_256))
        return request(
            .sign(items), answer,
            dangers: items.contains(where: \.hasHiddenText) ? [.controlCharacters] : [],
            operations: items.compactMap { $0.operation(configuration.sha512_256) })
    }

    /// Reads every item, then the groups, then who signs what: the first fault ends it.
    private func items(
        _ list: [JSON], _ keys: KeyRing
    ) throws(ARC27Failure) -> [SigningItem] {
        var wires: [WalletTransaction] = []
        var networks: [ARC27Configuration.Network] = []
        for index in list.indices {
            do throws(ARC27Failure) {
                let wire = try WalletTransaction(list[index], keys.hash)
                networks.append(try network(of: wire.transaction))
                wires.append(wire)
            } catch {
                throw error.at("txns[\(index)]")
            }
        }
        var items: [SigningItem] = []
        for group in try TransactionGroup.all(in: wires.map(\.transaction), keys.hash) {
            for index in group.members {
                do throws(ARC27Failure) {
                    items.append(
                        try SigningItem(
                            wires[index], in: group, index - group.members.lowerBound,
                            on: networks[index], keys))
                } catch {
                    throw error.at("txns[\(index)]")
                }
            }
        }
        return items
    }

    private func network(
        of transaction: Transaction
    ) throws(ARC27Failure) -> ARC27Configuration.Network {
        guard let network = configuration.network(withHash: transaction.genesisHash) else {
            throw .networkNotSupported(
                genesisHash: transaction.genesisHash, "this network is not configured")
        }
        guard transaction.genesisID == nil || transaction.genesisID == network.genesisID else {
            throw .invalid("gen and gh name different networks")
        }
        return network
    }

    private func request(
        _ body: ARC27Request.Body, _ answer: ARC27Answer, facts: [Fact] = [],
        dangers: [Danger] = [], operations: [RequestedOperation] = []
    ) -> ARC27Request {
        ARC27Request(
            operations: operations, facts: facts, effects: [], dangers: dangers, answer: answer,
            body: body, configuration: configuration)
    }
}

extension SigningItem {
    fileprivate init(
        _ wire: WalletTransaction, in group: TransactionGroup, _ index: Int,
        on network: ARC27Configuration.Network, _ keys: KeyRing
    ) throws(ARC27Failure) {
        guard wire.groupMessage == nil || index == 0 else {
            throw .invalid("groupMessage belongs to the first transaction of a group")
        }
        self.init(
            wire: wire, decision: try wire.decision(with: keys, on: network), network: network,
            group: group, index: index, keys: keys)
    }
}
