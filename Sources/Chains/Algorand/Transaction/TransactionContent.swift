// SPDX-License-Identifier: Apache-2.0

import SigningDigests

extension Transaction {
    /// Whether each of its few fields has a fact of its own, so that no hash is needed to bind a
    /// yes to all of them.
    package var hasFactsForAll: Bool {
        switch body {
        case .payment, .assetTransfer: true
        case .assetConfiguration, .assetFreeze, .applicationCall, .keyRegistration: false
        }
    }

    /// A hash of all that decides what it does: everything but its fee, its rounds and its group.
    ///
    /// Whatever a person said yes to has this hash, also where a field has no fact of its own.
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
    /// A hash of what all members but one do; nil for one that is alone.
    package func othersHash(than index: Int) -> [UInt8]? {
        guard contents.count > 1 else { return nil }
        let others = contents.indices.filter { $0 != index }.flatMap { contents[$0] }
        return Digest.sha512_256(others.span)
    }
}
