// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The rounds in which all transactions of an item are valid.
struct ValidRounds: Equatable {
    /// The first round in which all transactions are valid.
    let first: UInt64
    /// The last round in which all transactions are valid.
    let last: UInt64

    /// The number of past rounds whose transactions every node knows.
    private static let remembered: UInt64 = 1_000

    /// Reads concatenated signed transactions; nil for other bytes.
    init?(_ bytes: [UInt8]) {
        guard let list = try? MessagePack.decodeCanonicalSequence(bytes.span), !list.isEmpty else {
            return nil
        }
        var first: UInt64 = 0
        var last = UInt64.max
        for signed in list {
            guard let transaction = signed["txn"], let end = transaction.round("lv") else {
                return nil
            }
            // The encoding omits zero.
            first = max(first, transaction.round("fv") ?? 0)
            last = min(last, end)
        }
        self.first = first
        self.last = last
    }

    /// Returns true if one of the concatenated signed transactions names another genesis hash.
    static func isForeign(_ bytes: [UInt8], to genesisHash: [UInt8]) -> Bool {
        let list = (try? MessagePack.decodeCanonicalSequence(bytes.span)) ?? []
        return list.contains { signed in
            guard case .binary(let hash)? = signed["txn"]?["gh"] else { return false }
            return hash != genesisHash
        }
    }

    /// Returns true if no later round can contain the item.
    func isOver(at round: UInt64) -> Bool { round >= last }

    /// Returns true if a node at this round would know the item from any of its valid rounds.
    func isInView(at round: UInt64) -> Bool {
        first > (round > Self.remembered ? round - Self.remembered : 0)
    }
}

extension MessagePack {
    fileprivate subscript(name: String) -> MessagePack? {
        guard case .map(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    fileprivate func round(_ name: String) -> UInt64? {
        guard case .unsigned(let round)? = self[name] else { return nil }
        return round
    }
}
