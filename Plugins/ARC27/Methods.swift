// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

extension ARC27Adapter {
    /// Reads the parameters; sets the provider id of `answer` as soon as it is known.
    func request(
        _ envelope: ARC27Envelope, in context: DecodingContext, _ nodes: NodeAuthorities,
        _ answer: inout ARC27Answer
    ) throws(AlgorandRefusal) -> ARC27Request {
        guard let method = ARC27Wire.Method(rawValue: envelope.method),
            configuration.offers(method)
        else {
            throw .methodNotSupported(envelope.method)
        }
        if let problem = envelope.problem { throw .invalid(problem) }
        let params = try ARC27Params(envelope.params, names: method.parameterNames)
        // `discover` with the id of another provider was ignored before, so here the id names this
        // provider in one of its forms.
        if method != .discover {
            // Clients omit the id in these methods, and the channel identifies the provider.
            let isOptional =
                method == .signTransactions
                || method == .signMessage && params.value("data") != nil
            answer.providerID = try params.providerID(
                of: configuration, isRequired: !isOptional)
        } else if let claimed = try params.text("providerId") {
            answer.providerID = configuration.named(claimed) ?? configuration.publicID
        }
        let clientContext = ARC27ClientContext(context, configuration, nodes)
        switch method {
        case .discover: return request(.discover, answer, clientContext)
        case .enable: return try enable(params, clientContext, answer)
        case .disable: return try disable(params, clientContext, answer)
        case .signMessage: return try sign(message: params, clientContext, answer)
        case .signTransactions:
            let signing = try sign(
                params, clientContext, answer, clientContext.dialect(for: answer))
            guard signing.fitsFrame else {
                throw .invalid("the answer would be larger than one frame; ask for less at a time")
            }
            return signing
        case .postTransactions, .signAndPostTransactions:
            return try post(method, params, clientContext, answer)
        }
    }

    private func enable(
        _ params: ARC27Params, _ clientContext: ARC27ClientContext, _ answer: ARC27Answer
    ) throws(AlgorandRefusal) -> ARC27Request {
        let network = try params.network(of: configuration)
        let shown = clientContext.accounts.filter {
            $0.algorithm != .bip340 && network.serves(accountNetwork: $0.network)
        }.eachAddressOnce
        let opening = clientContext.opening(shown, on: network)
        return request(
            .enable(network, sessionID: opening.sessionID), answer, clientContext,
            facts: [.network(network)],
            dangers: network.isKnown ? [] : [.unknownNetwork],
            operations: shown.map { account in
                RequestedOperation(
                    account: account, operation: .publicKey, facts: [], effects: [.revealsKey],
                    dangers: [])
            }, connectionChanges: opening.changes, notes: opening.notes)
    }

    private func disable(
        _ params: ARC27Params, _ clientContext: ARC27ClientContext, _ answer: ARC27Answer
    ) throws(AlgorandRefusal) -> ARC27Request {
        let ids = try params.texts("sessionIds") ?? []
        let network = try params.network(of: configuration)
        let closing = clientContext.closing(ids, on: network)
        return request(
            .disable(network, removed: closing.removed), answer, clientContext,
            facts: [.network(network)], connectionChanges: closing.changes)
    }

    private func sign(
        message params: ARC27Params, _ clientContext: ARC27ClientContext, _ answer: ARC27Answer
    ) throws(AlgorandRefusal) -> ARC27Request {
        let message: MessageToSign
        let signer: MessageSigner
        if params.value("data") != nil {
            guard params.value("message") == nil else {
                throw .invalid("params has both message and data")
            }
            signer = try clientContext.signer(params, isNeeded: true)
            message = MessageToSign(
                try ARC60Login(
                    params.object, from: clientContext.client, at: clientContext.now),
                by: signer.account, for: signer.subject, signer.authority)
        } else {
            guard ARC60Login.names.allSatisfy({ params.value($0) == nil }) else {
                throw .invalid("params has members of ARC-60 and no data")
            }
            guard let text = try params.text("message") else {
                throw .invalid("params.message is missing")
            }
            signer = try clientContext.signer(params, isNeeded: false)
            message = try MessageToSign(
                text: text, by: signer.account, clientContext.settings.messages,
                for: signer.subject,
                signer.authority)
        }
        let shown = [signer.account.id] + (signer.subject.map { [$0.id] } ?? [])
        let sessions = clientContext.sessions.filter { shown.contains($0.key) }
        let facts =
            message.facts() + [Fact("connected", .bool(!sessions.isEmpty))]
        if let problem = clientContext.disconnection ?? signer.problem {
            return request(
                .unserved(problem), answer, clientContext, facts: facts,
                effects: message.operation.effects, dangers: message.dangers)
        }
        return request(
            .message(message), answer, clientContext, facts: facts, dangers: message.dangers,
            operations: [message.operation], requiredConnections: sessions.map(\.id))
    }

    func sign(
        _ params: ARC27Params, _ clientContext: ARC27ClientContext, _ answer: ARC27Answer,
        _ dialect: ARC27ClientSettings.Dialect
    ) throws(AlgorandRefusal) -> ARC27Request {
        let list = try params.list("txns")
        guard list.count <= ARC27Wire.transactionCountMax else {
            throw .invalid("txns has more than \(ARC27Wire.transactionCountMax) items")
        }
        let items = try items(list, clientContext, "txns", WalletTransaction.init(_:))
        if dialect == .signature { try checkBare(items) }
        let dangers: [Danger] =
            items.contains(where: \.hasHiddenText) ? [.controlCharacters] : []
        let problem = items.first { $0.problem != nil }
        if let failure = clientContext.disconnection ?? problem?.problem {
            return unserved(failure, about: problem ?? items.first, answer, clientContext, dangers)
        }
        return request(
            .sign(items, dialect), answer, clientContext, dangers: dangers,
            operations: items.flatMap { $0.operations() },
            requiredConnections: items.requiredConnections,
            unsettled: items.unsettled(among: clientContext.unsettled()))
    }

    /// Returns a request that is judged by the policy and then refused with this error.
    func unserved(
        _ failure: AlgorandRefusal, about item: SigningItem?, _ answer: ARC27Answer,
        _ clientContext: ARC27ClientContext, _ dangers: [Danger]
    ) -> ARC27Request {
        request(
            .unserved(failure), answer, clientContext,
            facts: item?.facts(nil) ?? [],
            effects: item?.effects ?? [], dangers: (item?.dangers ?? []) + dangers)
    }

    /// Throws if a bare signature could not express the result (the dialect of Liquid Auth).
    private func checkBare(_ items: [SigningItem]) throws(AlgorandRefusal) {
        for (index, item) in items.enumerated() where !item.isBare {
            throw .invalid(
                "txns[\(index)]: this client reads bare signatures, which cannot have msig, "
                    + "stxn or a signer other than the sender"
            )
        }
    }

    /// Reads every item, then the groups, then the signers; throws at the first error.
    ///
    /// `name` is the name of the list, and `read` parses one element.
    func items(
        _ list: [JSON], _ clientContext: ARC27ClientContext, _ name: String,
        _ read: (JSON) throws(AlgorandRefusal) -> WalletTransaction
    ) throws(AlgorandRefusal) -> [SigningItem] {
        let keys = clientContext.ring
        var wires: [WalletTransaction] = []
        var networks: [AlgorandNetwork] = []
        for index in list.indices {
            do throws(AlgorandRefusal) {
                let wire = try read(list[index])
                let network = try network(of: wire.transaction)
                try clientContext.checkConnected(to: network)
                guard networks.first ?? network == network else {
                    throw .invalid(
                        "all transactions of a request must be for one network")
                }
                networks.append(network)
                wires.append(wire)
            } catch {
                throw error.at("\(name)[\(index)]")
            }
        }
        var items: [SigningItem] = []
        for group in try TransactionGroup.all(in: wires.map(\.transaction)) {
            for index in group.members {
                do throws(AlgorandRefusal) {
                    var item = try SigningItem(
                        wires[index], in: group, index - group.members.lowerBound,
                        on: networks[index], keys, at: clientContext.now)
                    item.problem = item.problem?.at("\(name)[\(index)]")
                    let before = wires[group.members.lowerBound..<index].map(\.transaction)
                    item.abi = configuration.abiFiles.read(
                        wires[index].transaction, after: before, on: networks[index])
                    items.append(item)
                } catch {
                    throw error.at("\(name)[\(index)]")
                }
            }
        }
        return items
    }

    func network(
        of transaction: Transaction
    ) throws(AlgorandRefusal) -> AlgorandNetwork {
        guard let network = configuration.network(withHash: transaction.genesisHash) else {
            throw .networkNotSupported(
                genesisHash: transaction.genesisHash, "this network is not configured")
        }
        guard transaction.genesisID == nil || transaction.genesisID == network.genesisID else {
            throw .invalid("gen and gh name different networks")
        }
        return network
    }

    func request(
        _ body: ARC27Request.Body, _ answer: ARC27Answer, _ clientContext: ARC27ClientContext,
        facts: [Fact] = [], effects: [Effect] = [], dangers: [Danger] = [],
        operations: [RequestedOperation] = [], outflows: [Outflow] = [],
        connectionChanges: [ConnectionChange] = [], notes: [Note] = [],
        requiredConnections: [[UInt8]] = [], unsettled: [UnsentItem] = []
    ) -> ARC27Request {
        ARC27Request(
            operations: operations, facts: facts, effects: effects, dangers: dangers,
            connectionChanges: connectionChanges, requiredConnections: requiredConnections,
            outflows: outflows, notes: notes, unsettled: unsettled, client: clientContext.client,
            answer: answer,
            body: body, configuration: configuration, settings: clientContext.settings)
    }
}

extension [Account] {
    /// The accounts without a second one of the same address: an account with a key can also be
    /// watched.
    fileprivate var eachAddressOnce: [Account] {
        var seen: Set<String> = []
        return filter { seen.insert($0.address).inserted }
    }
}
