// SPDX-License-Identifier: Apache-2.0

/// The owner's names for accounts of other people.
///
/// A name is shown to people, and no rule sees it. Rules see the danger `lookalike`.
public protocol AccountNames: Sendable {
    /// Returns `lookalike` if a fact has an account that looks like a named one and is another.
    func dangers(of request: JudgedRequest, in schema: FactSchema) -> [Danger]

    /// Returns the summary with each name beside its address, and with a warning for each
    /// lookalike.
    ///
    /// `keyNames` are the names of the keys held here, which stand for no other account.
    func naming(
        _ summary: Summary, of request: JudgedRequest, in schema: FactSchema,
        besides keyNames: [String]
    ) -> Summary
}

extension SigningHub {
    /// Returns the summary for a person, with the owner's names.
    func summary(of decoded: Decoded<some SignRequest>, _ budgets: [String] = []) -> Summary {
        let summary = decoded.request.summary.completed(with: decoded.judged, budgets)
        guard let names else { return summary }
        let keyNames = ((try? keyStore.accounts()) ?? []).map(\.name)
        return names.naming(
            summary, of: decoded.judged, in: decoded.schema, besides: keyNames)
    }
}
