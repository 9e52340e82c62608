// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension Transaction {
    /// The note, if it is text.
    var noteText: String? {
        note.isEmpty ? nil : try? UTF8Text.decode(note.span)
    }

    /// What is moved, in words.
    var amountText: String {
        switch body {
        case .payment(let payment): AmountUnit.algo.text(of: Int128(payment.amount))
        case .assetTransfer(let transfer):
            "\(transfer.amount) smallest units of asset \(transfer.asset)"
        }
    }

    /// What kind of transaction it is, in words.
    var kindText: String {
        switch body {
        case .payment: return "payment"
        case .assetTransfer(let transfer):
            if transfer.source != nil { return "asset clawback" }
            let isOptIn =
                transfer.amount == 0 && transfer.receiver == sender && transfer.closeTo == nil
            return isOptIn ? "asset opt-in" : "asset transfer"
        }
    }
}
