// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

extension [SigningItem] {
    /// All bytes that are signed or posted.
    package var raw: [Summary.Raw] {
        enumerated().map { number, item in
            Summary.Raw(
                count == 1 ? "transaction" : "transaction \(number + 1)", item.wire.bytes)
        }
    }
}

extension SigningItem {
    /// Returns the lines with the number of the item, if there are several items.
    ///
    /// The lines of a single item that move value or power are shown even if there are many lines.
    package func numbered(_ lines: [Summary.Line], _ number: Int, of count: Int) -> [Summary.Line] {
        guard count > 1 else {
            return lines.map { Self.essentialLabels.contains($0.label) ? $0.essential() : $0 }
        }
        return lines.map { Summary.Line("\(number + 1): \($0.label)", $0.text, by: $0.author) }
    }

    private static let essentialLabels = [
        "signed", "from", "to", "taken from", "rest goes to", "new key", "fee", "manager",
        "reserve", "freeze", "clawback", "frozen", "freed", "vote key", "selection key",
        "state proof key", "approval code", "clear code", "gives up",
    ]

    /// Returns the transaction line by line, the most important line first.
    package func lines(
        signed: String? = nil
    ) -> [Summary.Line] {
        let transaction = wire.transaction
        func address(_ key: [UInt8]) -> String {
            AlgorandAddress.text(publicKey: key.span)
        }
        var lines = [
            Summary.Line("signed", signed ?? signedText),
            Summary.Line(transaction.kindText, transaction.subjectText),
            Summary.Line("from", address(transaction.sender)),
        ]
        lines += (abi?.lines ?? []) + transaction.bodyLines()
        if let key = transaction.closeTo { lines.append(.init("rest goes to", address(key))) }
        if let key = transaction.rekeyTo {
            let isOwn = key == transaction.sender
            lines.append(
                .init("new key", address(key) + (isOwn ? " (the account's own again)" : "")))
        }
        lines.append(.init("fee", AmountUnit.algo.text(of: Int128(transaction.fee))))
        lines.append(
            .init("valid", "rounds \(transaction.firstValid) to \(transaction.lastValid)"))
        if let lease = transaction.lease {
            lines.append(.init("lease", "hex \(Hex.encode(lease.span))"))
        }
        if transaction.group != nil {
            lines.append(.init("group", "\(index + 1) of \(group.members.count)"))
        }
        return lines + clientLines
    }

    private var signedText: String {
        switch decision {
        case .leave: "not signed here"
        case .pass: "elsewhere"
        case .sign(let account):
            "with key \(account.name)" + (isRekeyed ? ", another account's, for this one" : "")
        case .share(let share):
            "with \(share.signers.map(\.name).joined(separator: ", ")):"
                + " \(share.signedCount) of \(share.multisig.keys.count) members,"
                + " \(share.multisig.threshold) needed"
        }
    }

    /// The text that the client supplied and the note.
    private var clientLines: [Summary.Line] {
        var lines: [Summary.Line] = []
        if let text = wire.groupMessage { lines.append(.init("group message", text, by: .client)) }
        if let text = wire.message { lines.append(.init("message", text, by: .client)) }
        let note = wire.transaction.note
        if let text = wire.transaction.noteText {
            lines.append(.init("note", text, by: .client))
        } else if !note.isEmpty {
            // The bytes are not quoted and have another label: the text of a note can also be "hex
            // ff00".
            lines.append(.init("note bytes", "hex \(Hex.encode(note.span))"))
        }
        return lines
    }
}
