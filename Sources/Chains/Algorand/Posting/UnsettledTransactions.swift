// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

extension [SigningItem] {
    /// Returns the outbox items that hold a transaction with the effect of one that is signed here.
    package func unsettled(among items: [UnsentItem]) -> [UnsentItem] {
        let signed = filter { !$0.decision.signers.isEmpty }
        guard let network = signed.first?.network.policyName else { return [] }
        return items.filter { item in
            guard item.network == network else { return false }
            let sent = Transaction.all(inSigned: item.item.bytes)
            return signed.contains { own in
                sent.contains { own.wire.transaction.doesSame(as: $0) }
            }
        }
    }
}

extension Transaction {
    /// True if both have the same effect and the network could carry out both.
    ///
    /// Rounds, fee, note and group do not matter. A network takes an identical transaction only
    /// once.
    fileprivate func doesSame(as other: Transaction) -> Bool {
        self != other && sender == other.sender && body == other.body
            && rekeyTo == other.rekeyTo && genesisHash == other.genesisHash
    }

    /// Returns the transactions in a sequence of signed ones, without those that cannot be parsed.
    fileprivate static func all(inSigned bytes: [UInt8]) -> [Transaction] {
        let list = (try? MessagePack.decodeCanonicalSequence(bytes.span)) ?? []
        return list.compactMap { value in
            let signed = value.encode()
            guard let parts = try? SignedTransaction(canonical: signed.span) else { return nil }
            return try? Transaction(canonical: parts.transaction.span)
        }
    }
}
