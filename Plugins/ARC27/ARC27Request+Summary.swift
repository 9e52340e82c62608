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
        case .unserved(let failure):
            return Summary(
                title: "Refuse an Algorand request that cannot be carried out here",
                lines: [.init("why", failure.message)], warnings: [])
        }
    }

    /// `isPosted` says whether all of them take effect at once, by whomever they are signed.
    func summary(ofSigning items: [SigningItem], isPosted: Bool = false) -> Summary {
        let hash = configuration.sha512_256
        var lines = networkLines(items)
        var warnings: [String] = dangers.compactMap(\.warning)
        // What is signed here comes first: a long list is cut, and the client orders it.
        let numbered = Array(items.enumerated())
        let signed = numbered.filter { !$0.element.decision.signers.isEmpty }
        let others = numbered.filter { $0.element.decision.signers.isEmpty }
        for (number, item) in signed + others {
            lines += item.numbered(item.lines(hash: hash), number, of: items.count)
            if isPosted || !item.decision.signers.isEmpty {
                warnings += item.warnings.map { items.count == 1 ? $0 : "\(number + 1): \($0)" }
            }
        }
        // Nothing here asks a node.
        lines.append(.init("not checked", "the current round, balances, rekeyed accounts"))
        return Summary(
            title: title(items),
            headlines: items.count == 1
                ? [] : items.map { $0.headline(takesEffect: isPosted, hash) },
            lines: lines, warnings: warnings, raw: items.raw)
    }

    /// The network that all of them are on.
    func networkLines(_ items: [SigningItem]) -> [Summary.Line] {
        items.prefix(1).map { Summary.Line("network", $0.network.policyName).essential() }
    }

    private func title(_ items: [SigningItem]) -> String {
        guard let first = items.first else { return "Sign nothing: the list is empty" }
        let transaction = first.wire.transaction
        let network = first.network.policyName
        guard items.count == 1 else {
            let count = items.count { !$0.decision.signers.isEmpty }
            return "Sign \(count) of \(items.count) Algorand transactions on \(network)"
        }
        guard !operations.isEmpty else { return "Look at one Algorand transaction on \(network)" }
        return "Sign \(transaction.titleText) on \(network)\(transaction.consequenceText)"
    }
}

extension [SigningItem] {
    /// What is signed or posted, to the last byte.
    var raw: [Summary.Raw] {
        enumerated().map { number, item in
            Summary.Raw(
                count == 1 ? "transaction" : "transaction \(number + 1)", item.wire.bytes)
        }
    }
}

extension SigningItem {
    /// Its lines with its number, where there are several; alone, what moves value or power is
    /// shown however many lines there are.
    func numbered(_ lines: [Summary.Line], _ number: Int, of count: Int) -> [Summary.Line] {
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
