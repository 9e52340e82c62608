// SPDX-License-Identifier: Apache-2.0

import SigningDigests

extension Transaction {
    /// A hash of all that decides what it does: everything but its fee, its rounds and its group,
    /// and how much it moves where that is bounded by itself.
    ///
    /// Whatever a person said yes to has this hash, also where a field has no fact of its own.
    package func contentHash(withAmount: Bool) -> [UInt8] {
        var content = self
        content.fee = 0
        content.firstValid = 0
        content.lastValid = 0
        content.group = nil
        if !withAmount { content.body = body.withoutAmount }
        let bytes = content.encoded()
        return Digest.sha512_256(bytes.span)
    }
}

extension Transaction.Body {
    fileprivate var withoutAmount: Self {
        switch self {
        case .payment(var payment):
            payment.amount = 0
            return .payment(payment)
        case .assetTransfer(var transfer):
            transfer.amount = 0
            return .assetTransfer(transfer)
        case .assetConfiguration, .assetFreeze, .applicationCall, .keyRegistration: return self
        }
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
