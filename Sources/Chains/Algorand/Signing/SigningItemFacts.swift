// SPDX-License-Identifier: Apache-2.0

package import SigningCore
import SigningDigests

extension SigningItem {
    /// Returns the facts for rules; `account` is nil if no key here can sign.
    package func facts(_ account: Account?) -> [Fact] {
        let transaction = wire.transaction
        func address(_ key: [UInt8]) -> FactValue {
            if let account, key == account.publicKey { return .text(account.address) }
            return .text(AlgorandAddress.text(publicKey: key.span))
        }
        var facts: [Fact] = []
        facts.reserveCapacity(Self.factCountUsual)
        facts.append(.network(network))
        let connections = connections(of: account)
        facts.append(Fact("connected", .bool(!connections.isEmpty)))
        facts.append(Fact("type", .text(transaction.type.rawValue)))
        facts.append(Fact("sender", address(transaction.sender)))
        if let key = transaction.receiver { facts.append(Fact("receiver", address(key))) }
        facts += transaction.bodyFacts(address)
        facts.append(Fact("fee", .unsigned(transaction.fee)))
        facts += transaction.noteFacts()
        facts += groupFacts()
        facts += roundFacts
        if let lease = transaction.lease { facts.append(Fact("lease", .bytes(lease))) }
        if !transaction.hasFactsForAll {
            facts.append(
                Fact("content.hash", .bytes(transaction.contentHash())))
        }
        if isRekeyed { facts.append(Fact("auth_address", address(authority.key))) }
        // If the sender is rekeyed to these members, only the client, the owner or a node says so.
        // Where that is wrong, the share of the sender's own key is a whole signature. So no rule
        // may count on the other members, and these facts are missing.
        if case .share(let share) = decision, !isRekeyed {
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

    private func groupFacts() -> [Fact] {
        let facts = [
            Fact("group.size", .unsigned(UInt64(group.members.count))),
            Fact("group.index", .unsigned(UInt64(index))), Fact("group.types", .text(group.types)),
        ]
        guard let others = group.othersHash(than: index) else { return facts }
        return facts + [Fact("group.others", .bytes(others))]
    }

    private var roundFacts: [Fact] {
        let transaction = wire.transaction
        let facts = [
            Fact("first_valid", .unsigned(transaction.firstValid)),
            Fact("last_valid", .unsigned(transaction.lastValid)),
            Fact("validity.rounds", .unsigned(transaction.lastValid - transaction.firstValid)),
        ]
        return facts + (isFarAhead.map { [Fact("far_ahead", .bool($0))] } ?? [])
    }

    private static let factCountUsual = 32
}

extension Transaction {
    /// The length, hash and bytes of the note, and its text if it is text.
    fileprivate func noteFacts() -> [Fact] {
        let length = Fact("note.bytes", .unsigned(UInt64(note.count)))
        guard !note.isEmpty else { return [length] }
        return [
            length, Fact("note.hash", .bytes(Digest.sha512_256(note.span))),
            Fact("note.hex", .bytes(note)),
        ] + (noteText.map { [Fact("note.text", .text($0))] } ?? [])
    }
}

extension Fact {
    package static func network(_ network: AlgorandNetwork) -> Fact {
        Fact("network", .text(network.policyName))
    }
}

extension FactValue {
    package static func unsigned(_ value: UInt64) -> Self { .integer(Int128(value)) }
}
