// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
public import SigningCore

extension ARC27Request {
    /// The summary for a person; created only on demand.
    public var summary: Summary {
        switch body {
        case .discover:
            return Summary(
                title: "Show a client the name and the networks of this provider", lines: [],
                warnings: [])
        case .disable(let network, let removed):
            return Summary(
                title: ending(removed),
                lines: [
                    .init("network", network.policyName),
                    .init("session", removed.isEmpty ? "none" : removed.joined(separator: " ")),
                ],
                warnings: [])
        case .enable(let network, _):
            let accounts = operations.map { operation in
                Summary.Line(
                    "account",
                    "\(operation.account.name) \(operation.account.address)"
                        + (operation.account.signedBy == nil ? "" : ", rekeyed"))
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

    /// Returns the words for the effect of approving `disable`.
    private func ending(_ removed: [String]) -> String {
        let isLast = connectionChanges.contains {
            if case .forgets = $0 { true } else { false }
        }
        switch (removed.isEmpty, isLast) {
        case (false, true): return "End the client's session and all that it is allowed"
        case (false, false): return "End the client's session on one of its networks"
        case (true, true): return "End all that the client is allowed; it has no session"
        case (true, false): return "End a session that the client does not have"
        }
    }

    /// Returns a summary; `isPosted` if all transactions take effect at once, whichever key signs.
    func summary(ofSigning items: [SigningItem], isPosted: Bool = false) -> Summary {
        var lines = networkLines(items)
        var warnings: [String] = dangers.compactMap(\.warning)
        // Transactions signed here come first: a long list is cut, and the client chose its order.
        let numbered = Array(items.enumerated())
        let signed = numbered.filter { !$0.element.decision.signers.isEmpty }
        let others = numbered.filter { $0.element.decision.signers.isEmpty }
        for (number, item) in signed + others {
            lines += item.numbered(item.lines(), number, of: items.count)
            if isPosted || !item.decision.signers.isEmpty {
                warnings += item.warnings.map { items.count == 1 ? $0 : "\(number + 1): \($0)" }
            }
        }
        lines += unsettled.lines
        let isAsked = signed.allSatisfy {
            $0.element.authority.source == .node && !$0.element.authority.isUnconfirmed
        }
        lines.append(
            .init(
                "not checked",
                "the current round, balances" + (isAsked ? "" : ", rekeyed accounts")))
        let headlines = items.map { $0.headline(takesEffect: isPosted) }
        let areShown = items.count > 1 || headlines.contains { $0.gravity >= .authority }
        var summary = Summary(
            title: title(items), headlines: areShown ? headlines : [], lines: lines,
            warnings: warnings, raw: items.raw)
        summary.listed = headlines
        return summary
    }

    /// Returns the common network of the items.
    func networkLines(_ items: [SigningItem]) -> [Summary.Line] {
        items.prefix(1).map { Summary.Line("network", $0.network.policyName).essential() }
    }

    private func title(_ items: [SigningItem]) -> String {
        guard let first = items.first else { return "Sign nothing: the list is empty" }
        let transaction = first.wire.transaction
        let network = first.network.policyName
        guard items.count == 1 else {
            let signed = items.filter { !$0.decision.signers.isEmpty }
            let loss = signed.compactMap(\.wire.transaction.consequence).min { $0.rank < $1.rank }
            return (loss.map { $0.text + "sign" } ?? "Sign")
                + " \(signed.count) of \(items.count) Algorand transactions on \(network)"
        }
        guard !operations.isEmpty else { return "Look at one Algorand transaction on \(network)" }
        let loss = transaction.consequence?.text
        return (loss.map { $0 + "sign" } ?? "Sign") + " \(transaction.titleText) on \(network)"
    }
}
