// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The rounds in which a network may take what is posted as one.
struct ValidRounds: Equatable {
    /// Before it one of the transactions is not valid yet.
    let first: UInt64
    /// After it one of them never is again.
    let last: UInt64

    /// Rounds back that every node knows its transactions of.
    private static let remembered: UInt64 = 1_000

    /// Reads signed transactions one behind the other; nil where they are none.
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
            // Zero is left out.
            first = max(first, transaction.round("fv") ?? 0)
            last = min(last, end)
        }
        self.first = first
        self.last = last
    }

    /// Whether no network takes it from here on.
    func isOver(at round: UInt64) -> Bool { round >= last }

    /// Whether a node at this round would know it, had it ever been taken.
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
