// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension Transaction {
    /// The note, if it is text.
    var noteText: String? {
        note.isEmpty ? nil : try? UTF8Text.decode(note.span)
    }

    /// What is moved, in words.
    var amountText: String {
        switch body {
        case .payment(let payment): Self.algo(payment.amount)
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

    /// MicroAlgo as ALGO, exactly.
    static func algo(_ amount: UInt64) -> String {
        let (whole, rest) = amount.quotientAndRemainder(dividingBy: microPerAlgo)
        guard rest != 0 else { return "\(whole) ALGO" }
        let digits = String(rest + microPerAlgo).dropFirst()
        let end = digits.lastIndex { $0 != "0" } ?? digits.startIndex
        return "\(whole).\(digits[...end]) ALGO"
    }

    private static let microPerAlgo: UInt64 = 1_000_000
}
