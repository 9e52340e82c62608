// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The offer to remember an answer.
extension QuestionText {
    /// The requests that a remembered answer would cover; every user interface shows this text.
    package var offer: String {
        guard question.canRememberYes || question.canRememberNo else {
            return question.client == nil
                ? "no answer can be remembered: the client did not give a name"
                : "an answer to this request cannot be remembered"
        }
        var rows: [String] = []
        if question.canRememberYes {
            rows.append("a remembered yes applies to requests like this one:")
            rows += scopes(question.scopes, bounds: question.bounds)
            let dangers = question.dangers.map(\.name).joined(separator: ", ")
            rows.append("  dangers it covers: \(dangers.isEmpty ? "none" : dangers)")
            rows += question.totals.map { total in
                "  at most \(total.asset.text(of: total.amount)) on \(total.asset.network) in "
                    + "total, not counting this request"
            }
        } else {
            rows.append("a remembered no applies to requests like this one:")
            rows += scopes(question.refusalScopes, bounds: [])
            rows.append(question.onlyOnceWords)
        }
        return rows.joined(separator: "\n")
    }

    private func scopes(_ scopes: [Grant.Scope], bounds: [[Fact]]) -> [String] {
        var rows: [String] = []
        var seen: Set<Grant.Scope> = []
        for (index, scope) in scopes.enumerated() where seen.insert(scope).inserted {
            let highest = bounds.indices.contains(index) ? bounds[index] : []
            rows += words.lines(
                scope, keyName: question.accounts[index].name, bounds: highest
            ).map { "  " + $0 }
        }
        return rows
    }
}
