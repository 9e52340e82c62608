// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// Puts together what the client said and what was looked up.
struct TransactionMaker {
    let account: Account
    let network: String
    private let lookups: NEARLookups?
    private let key: KeyText
    /// What is kept of what was looked up.
    let notes: [Note]

    init(
        _ account: Account, _ network: String, in context: DecodingContext
    ) throws(NEARRefusal) {
        self.account = account
        self.network = network
        lookups = try context.attachment.map { (bytes) throws(NEARRefusal) in
            try NEARLookups(bytes)
        }
        key = KeyText(curve: .ed25519, bytes: account.publicKey)
        notes =
            lookups.map { looked in
                NEARKeyMemory(of: account, on: network, in: context)
                    .notes(looked, at: context.now)
            } ?? []
    }

    /// What is flagged of what was looked up.
    var dangers: [Danger] { lookups?.isNonceJump == true ? [.nonceJump] : [] }

    /// A transaction; `place` counts those whose nonce the client did not give.
    func transaction(_ wire: TransactionWire, at place: Int) throws(NEARRefusal) -> NEARTransaction
    {
        guard let blockHash = wire.blockHash ?? lookups?.blockHash else {
            throw Self.missing("blockHash")
        }
        return NEARTransaction(
            signer: account.address, key: key, nonce: try nonce(wire.nonce, at: place),
            receiver: wire.receiver, blockHash: blockHash, actions: wire.actions)
    }

    func delegate(_ wire: DelegateWire, at place: Int) throws(NEARRefusal) -> DelegateAction {
        let looked = lookups?.blockHeight.addingSaturated(NEARLookups.delegateBlocks)
        guard let height = wire.maxBlockHeight ?? looked else {
            throw Self.missing("maxBlockHeight")
        }
        return DelegateAction(
            sender: account.address, receiver: wire.receiver, actions: wire.actions,
            nonce: try nonce(wire.nonce, at: place), maxBlockHeight: height, key: key)
    }

    /// The height of the chain, where somebody looked.
    var height: UInt64? { lookups?.blockHeight }

    /// Whether it is known for which chain the bytes are: they name none.
    ///
    /// A block hash of the client's choice may be one of another chain.
    func isNetworkKnown(givenBlock: Bool) -> Bool {
        account.network != nil || (lookups != nil && !givenBlock)
    }

    private func nonce(_ given: UInt64?, at place: Int) throws(NEARRefusal) -> UInt64 {
        let nonces = lookups?.nonces ?? []
        let looked = nonces.indices.contains(place) ? nonces[place] : nil
        guard let nonce = given ?? looked else { throw Self.missing("nonce") }
        return nonce
    }

    private static func missing(_ name: String) -> NEARRefusal {
        NEARRefusal(
            .networkUnavailable,
            "\(name) is missing, and nothing was looked up; give it, or configure an RPC URL")
    }
}

extension TransactionWire {
    init(receiver: String, actions: [NEARAction]) {
        self.receiver = receiver
        self.actions = actions
        nonce = nil
        blockHash = nil
    }
}

extension NEP413Request {
    /// Transactions of one account, in the order in which they are sent.
    init(
        transactions wires: [TransactionWire], of caller: WalletCaller, for purpose: Purpose,
        in context: WireContext
    ) throws(NEARRefusal) {
        let account = try Self.account(for: caller, in: context.hub)
        let network = try Self.network(of: caller, or: account)
        let maker = try TransactionMaker(account, network, in: context.hub)
        var place = 0
        var transactions: [NEARTransaction] = []
        for wire in wires {
            transactions.append(try maker.transaction(wire, at: place))
            if wire.nonce == nil { place += 1 }
        }
        let isKnown = wires.allSatisfy { maker.isNetworkKnown(givenBlock: $0.blockHash != nil) }
        try self.init(
            transactions, given: wires.indices.filter { wires[$0].nonce != nil },
            network: (network, isKnown), by: account, for: purpose, maker, changes: [],
            context.sha256)
    }

    /// A transaction that came whole.
    init(
        signing transaction: NEARTransaction, of caller: WalletCaller, in context: WireContext
    ) throws(NEARRefusal) {
        guard transaction.version == .v0 else {
            throw NEARRefusal(
                .unsupportedVersion, "transactions of version 1 are read here, not signed")
        }
        guard caller.accountID == nil || caller.accountID == transaction.signer,
            caller.key == nil || caller.key == transaction.key
        else { throw .invalid("the transaction is another account's or key's") }
        let account = try Self.account(
            for: WalletCaller(
                accountID: transaction.signer, key: transaction.key, network: caller.network),
            in: context.hub)
        let network = try Self.network(of: caller, or: account)
        try self.init(
            [transaction], given: [0], network: (network, account.network != nil), by: account,
            for: .handOver, changes: [], context.sha256)
    }

    /// `given` are the places of those whose nonce is the client's word.
    init(
        _ transactions: [NEARTransaction], given: [Int],
        network: (name: String, isKnown: Bool), by account: Account, for purpose: Purpose,
        _ maker: TransactionMaker? = nil, changes: [SessionChange], _ sha256: @escaping SHA256
    ) throws(NEARRefusal) {
        let assets = AssetNetwork(network.isKnown ? network.name : nil)
        var decoding = network.isKnown ? Decoding.full : .partial
        var operations: [RequestedOperation] = []
        for (index, transaction) in transactions.enumerated() {
            let finding = ActionsFinding(transaction.actions, of: transaction.receiver, sha256)
            if finding.isPartial { decoding = .partial }
            let operation = finding.operation(
                transaction, by: account, on: assets, isNonceGiven: given.contains(index))
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
            decoding: decoding, sessionChanges: changes, sha256: sha256,
            serials: try Self.serials(transactions.map(\.nonce), network.name, account),
            notes: maker?.notes ?? [])
    }

    /// Delegate actions of one account.
    init(
        delegates wires: [DelegateWire], of caller: WalletCaller, in context: WireContext
    ) throws(NEARRefusal) {
        let account = try Self.account(for: caller, in: context.hub)
        let network = try Self.network(of: caller, or: account)
        let maker = try TransactionMaker(account, network, in: context.hub)
        let isKnown = maker.isNetworkKnown(givenBlock: false)
        var place = 0
        var decoding = isKnown ? Decoding.full : .partial
        var delegates: [DelegateAction] = []
        var operations: [RequestedOperation] = []
        for wire in wires {
            let delegate = try maker.delegate(wire, at: place)
            if wire.nonce == nil { place += 1 }
            let finding = ActionsFinding(delegate.actions, of: delegate.receiver, context.sha256)
            if finding.isPartial { decoding = .partial }
            delegates.append(delegate)
            let operation = finding.operation(
                delegate, by: account, on: AssetNetwork(isKnown ? network : nil),
                isNonceGiven: wire.nonce != nil, height: maker.height)
            try Self.checkSize(of: operation)
            operations.append(operation)
        }
        self.init(
            Method.signDelegate, .delegates(delegates, network: network), operations: operations,
            facts: Self.networkFacts(network, isKnown: isKnown),
            dangers: (isKnown ? [] : [.unknownNetwork]) + maker.dangers, decoding: decoding,
            sha256: context.sha256,
            serials: try Self.serials(delegates.map(\.nonce), network, account),
            notes: maker.notes)
    }

    /// Nothing where the network is the client's word alone: rules must not believe it.
    private static func networkFacts(_ network: String, isKnown: Bool) -> [Fact] {
        isKnown ? [Fact("network", .text(network))] : []
    }

    /// What is put together of parts may be longer than each of them.
    private static func checkSize(of operation: RequestedOperation) throws(NEARRefusal) {
        guard case .sign(let input) = operation.operation,
            input.preimage.count > TransactionLimits.bytesMax
        else { return }
        throw .tooLarge("what is to be signed", bytesMax: TransactionLimits.bytesMax)
    }

    private static func serials(
        _ nonces: [UInt64], _ network: String, _ account: Account
    ) throws(NEARRefusal) -> [SerialUse] {
        guard Set(nonces).count == nonces.count else {
            throw .invalid("a nonce stands twice; each is used once")
        }
        let series = NEARLookupNeed.series(network, account)
        return nonces.map { SerialUse(series: series, number: $0) }
    }
}
