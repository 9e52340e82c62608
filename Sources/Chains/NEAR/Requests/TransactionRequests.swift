// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension NEARRequest {
    /// Creates a request for transactions of one account, in the order in which they are sent.
    package init(
        transactions drafts: [TransactionDraft], of clientContext: NEARClientContext,
        for purpose: Purpose,
        in context: NEARContext
    ) throws(NEARRefusal) {
        let account = try clientContext.account(in: context.hub)
        let network = try clientContext.network(or: account)
        let maker = try TransactionMaker(account, network, in: context)
        var place = 0
        var transactions: [NEARTransaction] = []
        for draft in drafts {
            transactions.append(try maker.transaction(draft, at: place))
            if draft.nonce == nil { place += 1 }
        }
        let isKnown = drafts.allSatisfy { maker.isNetworkKnown(givenBlock: $0.blockHash != nil) }
        try self.init(
            transactions, given: drafts.map(\.given),
            network: (network, isKnown), by: account, for: purpose, maker, changes: [],
            in: context)
    }

    /// Creates a request for a transaction that the client sent complete.
    package init(
        signing transaction: NEARTransaction, of clientContext: NEARClientContext,
        in context: NEARContext
    ) throws(NEARRefusal) {
        guard transaction.version == .v0 else {
            throw NEARRefusal(
                .unsupportedVersion, "transactions of version 1 cannot be signed here")
        }
        guard clientContext.accountID == nil || clientContext.accountID == transaction.signer,
            clientContext.key == nil || clientContext.key == transaction.key
        else { throw .invalid("the transaction names another signer or key") }
        let account = try NEARClientContext(
            accountID: transaction.signer, key: transaction.key, network: clientContext.network,
            among: clientContext.networks
        ).account(in: context.hub)
        let network = try clientContext.network(or: account)
        try self.init(
            [transaction], given: [.all], network: (network, account.network != nil), by: account,
            for: .handOver, changes: [], in: context)
    }

    /// Creates a request; `given` holds for each transaction the values that the client supplied.
    init(
        _ transactions: [NEARTransaction], given: [GivenValues],
        network: (name: String, isKnown: Bool), by account: Account, for purpose: Purpose,
        _ maker: TransactionMaker? = nil, changes: [ConnectionChange], in context: NEARContext
    ) throws(NEARRefusal) {
        let assets = AssetNetwork(network.isKnown ? network.name : nil)
        var decoding = network.isKnown ? Decoding.full : .partial
        var operations: [RequestedOperation] = []
        for (transaction, given) in zip(transactions, given) {
            let finding = ActionsFinding(transaction.actions, of: transaction.receiver)
            if finding.isPartial { decoding = .partial }
            let operation = finding.operation(
                transaction, by: account, on: assets, given: given)
            try Self.checkSize(of: operation)
            operations.append(operation)
        }
        self.init(
            Method.signTransaction, .transactions(transactions, network: network.name, purpose),
            operations: operations,
            facts: Self.networkFacts(network.name, isKnown: network.isKnown)
                + [Fact("broadcast", .bool(purpose != .handOver))]
                + (changes.isEmpty ? [] : [Fact("signs_in", .bool(true))]),
            effects: changes.isEmpty ? [] : [.revealsKey],
            dangers: (network.isKnown ? [] : [.unknownNetwork]) + (maker?.dangers ?? []),
            decoding: decoding, connectionChanges: changes,
            serials: try Self.serials(transactions.map(\.nonce), network.name, account),
            notes: maker?.notes ?? [],
            unsettled: context.hub.unsettled(
                like: transactions.map { ($0.receiver, $0.actions) }, of: account,
                on: network.name))
    }

    /// Creates a request for delegate actions of one account.
    package init(
        delegates drafts: [DelegateDraft], of clientContext: NEARClientContext,
        in context: NEARContext
    ) throws(NEARRefusal) {
        let account = try clientContext.account(in: context.hub)
        let network = try clientContext.network(or: account)
        let maker = try TransactionMaker(account, network, in: context)
        let isKnown = maker.isNetworkKnown(givenBlock: false)
        var place = 0
        var decoding = isKnown ? Decoding.full : .partial
        var delegates: [DelegateAction] = []
        var operations: [RequestedOperation] = []
        for draft in drafts {
            let delegate = try maker.delegate(draft, at: place)
            if draft.nonce == nil { place += 1 }
            let finding = ActionsFinding(delegate.actions, of: delegate.receiver)
            if finding.isPartial { decoding = .partial }
            delegates.append(delegate)
            let operation = finding.operation(
                delegate, by: account, on: AssetNetwork(isKnown ? network : nil),
                given: draft.given, height: maker.height)
            try Self.checkSize(of: operation)
            operations.append(operation)
        }
        self.init(
            Method.signDelegate, .delegates(delegates, network: network), operations: operations,
            facts: Self.networkFacts(network, isKnown: isKnown),
            dangers: (isKnown ? [] : [.unknownNetwork]) + maker.dangers, decoding: decoding,
            serials: try Self.serials(delegates.map(\.nonce), network, account),
            notes: maker.notes,
            unsettled: context.hub.unsettled(
                like: delegates.map { ($0.receiver, $0.actions) }, of: account, on: network))
    }

    /// Returns the fact about the network; empty if only the client names it, as rules must not
    /// rely on that.
    private static func networkFacts(_ network: String, isKnown: Bool) -> [Fact] {
        isKnown ? [Fact("network", .text(network))] : []
    }

    /// Throws if the encoded transaction or delegate action is too long as a whole.
    private static func checkSize(of operation: RequestedOperation) throws(NEARRefusal) {
        guard case .sign(let input) = operation.operation,
            input.preimage.count > TransactionLimits.bytesMax
        else { return }
        throw .tooLarge("the bytes to sign", bytesMax: TransactionLimits.bytesMax)
    }

    private static func serials(
        _ nonces: [UInt64], _ network: String, _ account: Account
    ) throws(NEARRefusal) -> [SerialUse] {
        guard Set(nonces).count == nonces.count else {
            throw .invalid("a nonce is used twice; use each nonce once")
        }
        let series = NEARLookupNeed.series(network, account)
        return nonces.map { SerialUse(series: series, number: $0) }
    }
}
