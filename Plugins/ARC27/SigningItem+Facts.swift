// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension SigningItem {
    /// The key operation, if a key held here signs.
    func operation(_ hash: ARC27Configuration.Hash) -> RequestedOperation? {
        guard case .sign(let account) = decision else { return nil }
        let input = SigningInput(
            domain: SigningDomain.algorandTransaction.id,
            preimage: Transaction.prefix + wire.bytes)
        return RequestedOperation(
            account: account, operation: .sign(input), facts: facts(account, hash),
            effects: effects, dangers: dangers)
    }

    /// Whether a person reading its texts would not see all of them.
    var hasHiddenText: Bool {
        [wire.message, wire.groupMessage, wire.transaction.noteText]
            .contains { $0.map(VisibleText.hasHidden) ?? false }
    }

    var effects: [Effect] {
        wire.transaction.isRekeyedAway ? [.spends, .grantsAuthority] : [.spends]
    }

    var dangers: [Danger] {
        let transaction = wire.transaction
        var dangers: [Danger] = []
        if transaction.isRekeyedAway { dangers.append(.rekey) }
        switch transaction.body {
        case .payment(let payment):
            if payment.closeTo != nil { dangers.append(.closeOut) }
        case .assetTransfer(let transfer):
            if transfer.closeTo != nil { dangers.append(.assetClose) }
            if transfer.source != nil { dangers.append(.clawback) }
        }
        if group.hasHighFee { dangers.append(.highFee) }
        if !network.isBuiltIn { dangers.append(.unknownNetwork) }
        return dangers
    }

    private func facts(_ account: Account, _ hash: ARC27Configuration.Hash) -> [Fact] {
        let transaction = wire.transaction
        func address(_ key: [UInt8]) -> FactValue {
            guard key != account.publicKey else { return .text(account.address) }
            return .text(AlgorandAddress.text(publicKey: key.span, sha512_256: hash))
        }
        var facts: [Fact] = []
        facts.reserveCapacity(Self.factCountUsual)
        facts.append(.network(network))
        facts.append(Fact("type", .text(transaction.type.rawValue)))
        facts.append(Fact("sender", address(transaction.sender)))
        facts.append(Fact("receiver", address(transaction.receiver)))
        switch transaction.body {
        case .payment(let payment): facts.append(Fact("amount", .integer(payment.amount)))
        case .assetTransfer(let transfer):
            facts.append(Fact("asset", .integer(transfer.asset)))
            facts.append(Fact("asset.amount", .integer(transfer.amount)))
        }
        facts.append(Fact("fee", .integer(transaction.fee)))
        facts.append(Fact("note.bytes", .integer(UInt64(transaction.note.count))))
        facts.append(Fact("group.size", .integer(UInt64(group.members.count))))
        facts.append(Fact("group.index", .integer(UInt64(index))))
        let rounds = transaction.lastValid - transaction.firstValid
        facts.append(Fact("validity.rounds", .integer(rounds)))
        if let key = transaction.closeTo {
            facts.append(Fact("close_to", address(key), isCritical: true))
        }
        if let key = transaction.rekeyTo {
            facts.append(Fact("rekey_to", address(key), isCritical: true))
        }
        return facts
    }

    private static let factCountUsual = 13
}

extension Transaction {
    /// Whether another key than the account's own signs from then on.
    fileprivate var isRekeyedAway: Bool { rekeyTo.map { $0 != sender } ?? false }
}

extension Fact {
    static func network(_ network: ARC27Configuration.Network) -> Fact {
        Fact("network", .text(network.policyName))
    }
}

extension FactValue {
    fileprivate static func integer(_ value: UInt64) -> Self { .integer(Int128(value)) }
}
