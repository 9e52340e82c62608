// SPDX-License-Identifier: Apache-2.0

/// The owner's names for accounts of other people.
///
/// A name is shown to people, and no rule sees it. Rules see the danger `lookalike`.
public protocol AccountNames: Sendable {
    /// True if these are still the owner's names.
    var isCurrent: Bool { get }

    /// Returns `lookalike` if an account in a fact or in the request's own summary looks like a
    /// named one and is another.
    func dangers(
        of request: JudgedRequest, in schema: FactSchema, shownIn summary: () -> Summary
    ) -> [Danger]

    /// Returns the summary with each name beside its address, and with a warning for each
    /// lookalike.
    ///
    /// `own` is the summary without the lines of the hub about the client. `keyNames` are the names
    /// of the keys held here, which stand for no other account.
    func naming(
        _ summary: Summary, of request: JudgedRequest, in schema: FactSchema,
        shownIn own: Summary, besides keyNames: [String]
    ) -> Summary
}

extension SigningHub {
    /// Returns the summary for a person, with the owner's names.
    ///
    /// If no person answers, rules allow the request at the time `allowedAt`.
    func summary(
        of decoded: Decoded<some SignRequest>, _ budgets: [String] = [],
        meeting new: [Counterparty] = [], allowedAt: Timestamp? = nil
    ) -> Summary {
        let own = decoded.request.summary
        let summary = own.completed(
            with: decoded.judged, budgets, meeting: new, allowedAt: allowedAt)
        guard let names else { return summary }
        let keyNames = ((try? keyStore.accounts()) ?? []).map(\.name)
        return names.naming(
            summary, of: decoded.judged, in: decoded.schema, shownIn: own, besides: keyNames)
    }
}
