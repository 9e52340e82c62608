// SPDX-License-Identifier: Apache-2.0

import SigningDigests

extension Transaction {
    /// True if each of its fields has a fact, so that rules need no content hash.
    package var hasFactsForAll: Bool {
        switch body {
        case .payment, .assetTransfer: true
        case .assetConfiguration, .assetFreeze, .applicationCall, .keyRegistration: false
        }
    }

    /// Returns a hash of everything that decides its effect: all but fee, rounds and group.
    ///
    /// An approval includes this hash, so it also covers fields that have no fact.
    package func contentHash() -> [UInt8] {
        var content = self
        content.fee = 0
        content.firstValid = 0
        content.lastValid = 0
        content.group = nil
        let bytes = content.encoded()
        return Digest.sha512_256(bytes.span)
    }
}

extension TransactionGroup {
    /// Returns a hash of the effects of all other members; nil for a single transaction.
    package func othersHash(than index: Int) -> [UInt8]? {
        guard contents.count > 1 else { return nil }
        let others = contents.indices.filter { $0 != index }.flatMap { contents[$0] }
        return Digest.sha512_256(others.span)
    }
}
