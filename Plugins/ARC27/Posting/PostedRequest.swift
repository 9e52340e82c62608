// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

extension ARC27Request {
    /// Returns the broadcast after the keys have signed; nil if nothing is to be posted.
    func broadcast(of results: [KeyResult]) -> Broadcast? {
        guard case .post(let posting) = body, results.count == operations.count,
            let signed = signedTransactions(posting.items, results)
        else { return nil }
        return posting.broadcast(signed)
    }

    /// Returns the result of the methods that post.
    func posted(_ ids: [String]) -> JSON {
        [
            "providerId": .string(answer.providerID),
            "txnIDs": .array(ids.map { .string($0) }),
        ]
    }

    /// Returns the summary of transactions to be posted.
    func summary(of posting: Posting) -> Summary {
        guard let network = posting.network?.policyName else {
            return Summary(title: "Post nothing: the list is empty", lines: [], warnings: [])
        }
        guard !operations.isEmpty else { return signedSummary(of: posting, network) }
        var summary = summary(ofSigning: posting.items, isPosted: true)
        summary.title += ", and post"
        summary.lines.append(Summary.Line("then", "posted to \(network), at once").essential())
        return summary
    }

    private func signedSummary(of posting: Posting, _ network: String) -> Summary {
        let items = posting.items
        var lines = networkLines(items)
        var warnings: [String] = dangers.compactMap(\.warning)
        for (number, item) in items.enumerated() {
            let proof = try? PostedProof(
                canonical: item.wire.signed ?? [], of: item.wire.transaction)
            lines += item.numbered(
                item.lines(signed: proof?.text), number, of: items.count)
            warnings += item.warnings.map { items.count == 1 ? $0 : "\(number + 1): \($0)" }
        }
        lines.append(
            .init("not checked", "signatures, the current round, balances, rekeyed accounts"))
        let what =
            items.count == 1
            ? "one signed Algorand transaction" : "\(items.count) signed Algorand transactions"
        return Summary(
            title: "Post \(what) to \(network)",
            headlines: items.map { $0.headline(takesEffect: true) }, lines: lines,
            warnings: warnings, raw: items.raw)
    }
}
