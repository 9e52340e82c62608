// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension SigningItem {
    /// One use of a key for every signature given here.
    func operations(_ hash: ARC27Configuration.Hash) -> [RequestedOperation] {
        decision.signers.map { account in
            let input = SigningInput(
                domain: SigningDomain.algorandTransaction.id,
                preimage: Transaction.prefix + wire.bytes)
            return RequestedOperation(
                account: account, operation: .sign(input), facts: facts(account, hash),
                effects: effects, dangers: dangers)
        }
    }

    /// Whether a person reading its texts would not see all of them.
    var hasHiddenText: Bool {
        ([wire.message, wire.groupMessage, wire.transaction.noteText]
            + wire.transaction.assetTexts)
            .contains { $0.map(VisibleText.hasHidden) ?? false }
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
        if let key = transaction.receiver { facts.append(Fact("receiver", address(key))) }
        facts += transaction.bodyFacts(address)
        facts.append(Fact("fee", .unsigned(transaction.fee)))
        facts.append(Fact("note.bytes", .unsigned(UInt64(transaction.note.count))))
        facts.append(Fact("group.size", .unsigned(UInt64(group.members.count))))
        facts.append(Fact("group.index", .unsigned(UInt64(index))))
        let rounds = transaction.lastValid - transaction.firstValid
        facts.append(Fact("validity.rounds", .unsigned(rounds)))
        // That a sender is rekeyed to members is the client's word: its own key's signature would
        // be the same, and no rule may count on others having to sign.
        if case .share(let share) = decision, !isRekeyedByWord {
            facts.append(Fact("multisig.threshold", .unsigned(UInt64(share.multisig.threshold))))
            facts.append(Fact("multisig.signatures", .unsigned(UInt64(share.signedCount))))
        }
        if let key = transaction.closeTo {
            facts.append(Fact("close_to", address(key), isCritical: true))
        }
        if let key = transaction.rekeyTo {
            facts.append(Fact("rekey_to", address(key), isCritical: true))
        }
        return facts
    }

    private static let factCountUsual = 16
}

extension Fact {
    static func network(_ network: ARC27Configuration.Network) -> Fact {
        Fact("network", .text(network.policyName))
    }
}

extension FactValue {
    static func unsigned(_ value: UInt64) -> Self { .integer(Int128(value)) }
}
