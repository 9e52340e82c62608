// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

extension ARC27Request {
    /// What a person is shown; made only when it is asked for.
    public var summary: Summary {
        switch body {
        case .discover:
            return Summary(
                title: "Tell the name and the networks of this provider", lines: [], warnings: [])
        case .disable(let network, let removed):
            let session =
                removed.isEmpty
                ? "none that is meant; nothing ends" : removed.joined(separator: " ")
            return Summary(
                title: "Disconnect a client from Algorand accounts",
                lines: [.init("network", network.policyName), .init("session", session)],
                warnings: [])
        case .enable(let network, _):
            let accounts = operations.map { operation in
                Summary.Line("account", "\(operation.account.name) \(operation.account.address)")
            }
            return Summary(
                title: "Connect a client to \(accounts.count) Algorand account(s)",
                lines: [.init("network", network.policyName)] + accounts,
                warnings: dangers.compactMap(\.warning))
        case .message(let message): return message.summary
        case .sign(let items, _): return summary(ofSigning: items)
        case .post(let posting): return summary(of: posting)
        }
    }

    /// `isPosted` says whether all of them take effect at once, by whomever they are signed.
    func summary(ofSigning items: [SigningItem], isPosted: Bool = false) -> Summary {
        var lines: [Summary.Line] = []
        var warnings: [String] = dangers.compactMap(\.warning)
        // What is signed here comes first: a long list is cut, and the client orders it.
        let numbered = Array(items.enumerated())
        let signed = numbered.filter { !$0.element.decision.signers.isEmpty }
        let others = numbered.filter { $0.element.decision.signers.isEmpty }
        for (number, item) in signed + others {
            let place = items.count == 1 ? "" : "\(number + 1): "
            lines += item.lines(hash: configuration.sha512_256).map { line in
                Summary.Line(place + line.label, line.text, by: line.author)
            }
            if isPosted || !item.decision.signers.isEmpty {
                warnings += item.warnings.map { place + $0 }
            }
        }
        // Nothing here asks a node.
        lines.append(.init("not checked", "the current round, balances, rekeyed accounts"))
        return Summary(title: title(items), lines: lines, warnings: warnings)
    }

    private func title(_ items: [SigningItem]) -> String {
        guard let first = items.first else { return "Sign nothing: the list is empty" }
        let transaction = first.wire.transaction
        let network = first.network.policyName
        guard items.count == 1 else {
            let count = items.count { !$0.decision.signers.isEmpty }
            let isOne = items.allSatisfy { $0.network.policyName == network }
            return "Sign \(count) of \(items.count) Algorand transactions"
                + (isOne ? " on \(network)" : "")
        }
        guard !operations.isEmpty else { return "Look at one Algorand transaction" }
        return "Sign \(transaction.titleText) on \(network)\(transaction.consequenceText)"
    }
}

extension SigningItem {
    /// The transaction line by line, most important first.
    func lines(
        signed: String? = nil, hash: ARC27Configuration.Hash
    ) -> [Summary.Line] {
        let transaction = wire.transaction
        func address(_ key: [UInt8]) -> String {
            AlgorandAddress.text(publicKey: key.span, sha512_256: hash)
        }
        var lines = [
            Summary.Line("signed", signed ?? signedText),
            Summary.Line(transaction.kindText, transaction.subjectText),
            Summary.Line("from", address(transaction.sender)),
        ]
        lines += transaction.bodyLines(hash)
        if let key = transaction.closeTo { lines.append(.init("rest goes to", address(key))) }
        if let key = transaction.rekeyTo {
            let isOwn = key == transaction.sender
            lines.append(
                .init("new key", address(key) + (isOwn ? " (the account's own again)" : "")))
        }
        lines.append(.init("fee", AmountUnit.algo.text(of: Int128(transaction.fee))))
        lines.append(.init("network", network.policyName))
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
        case .leave: "not by us"
        case .pass: "by somebody else"
        case .sign(let account): "with key \(account.name)"
        case .share(let share):
            "with \(share.signers.map(\.name).joined(separator: ", ")):"
                + " \(share.signedCount) of \(share.multisig.keys.count) members,"
                + " \(share.multisig.threshold) needed"
        }
    }

    /// What the client says about it, and the note it wrote.
    private var clientLines: [Summary.Line] {
        var lines: [Summary.Line] = []
        if let text = wire.groupMessage { lines.append(.init("group message", text, by: .client)) }
        if let text = wire.message { lines.append(.init("message", text, by: .client)) }
        let note = wire.transaction.note
        if let text = wire.transaction.noteText {
            lines.append(.init("note", text, by: .client))
        } else if !note.isEmpty {
            // Not quoted and under another name: a note can be the text "hex ff00" as well.
            lines.append(.init("note bytes", "hex \(Hex.encode(note.span))"))
        }
        return lines
    }
}
