// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// Remembered answers: the offer and the parser of answers.
extension TerminalApproval {
    /// Parses `y`, `n`, `y 1h`, `n always`, `y 1d 20`, `y 1h 20 ALGO` or `use 2`; nil if the line
    /// is not a valid answer.
    static func answer(_ line: String, to question: ApprovalQuestion) -> ApprovalAnswer? {
        if let account = otherAccount(line, in: question) { return .another(account.id) }
        if let more = more(line, in: question) { return more }
        let words = line.split(separator: " ").map(String.init)
        guard let first = words.first else { return nil }
        let isYes = ["y", "yes"].contains(first)
        guard isYes || ["n", "no"].contains(first) else { return nil }
        guard words.count > 1, words[1] != "once" else {
            guard words.count <= 2 else { return nil }
            return isYes ? .approved(question.binding) : .denied()
        }
        guard let span = Remembering.Span(rawValue: words[1]),
            isYes ? question.canRememberYes : question.canRememberNo,
            question.hasLogin || span != .session
        else { return nil }
        guard isYes else {
            return words.count == 2 ? .denied(remembering: Remembering(span)) : nil
        }
        guard let bounds = Bounds(words.dropFirst(2), in: question) else { return nil }
        let wish = Remembering(span, usesMax: bounds.uses, totals: bounds.totals)
        return .approved(question.binding, remembering: wish)
    }

    /// The bounds of a yes: `20` uses, `20 ALGO` in total, or both in this order.
    private struct Bounds {
        var uses: Int64?
        var totals: [Outflow] = []

        init?(_ words: ArraySlice<String>, in question: ApprovalQuestion) {
            var words = words
            guard let first = words.first else { return }
            if words.count == 1 || words.dropFirst().first.flatMap({ Int128($0) }) != nil {
                guard let count = Int64(first), count > 0 else { return nil }
                uses = count
                words.removeFirst()
            }
            guard let number = words.popFirst() else { return }
            let unit = words.joined(separator: " ")
            // A unit must name exactly one asset; a token or a second network may use the same
            // name.
            let assets = question.totals.map(\.asset).filter { $0.isCalled(unit) }
            guard assets.count == 1, let asset = assets.first,
                let amount = asset.amount(ofNumber: number), amount > 0
            else { return nil }
            totals = [Outflow(asset, amount)]
        }
    }

    /// The requests that a remembered answer would cover, and the syntax of such an answer at the
    /// terminal.
    func offer(of question: ApprovalQuestion) -> String {
        ([coverage(of: question)] + Self.instructions(for: question)).joined(separator: "\n")
    }

    /// The requests that a remembered answer would cover; every user interface shows this text.
    func coverage(of question: ApprovalQuestion) -> String {
        guard question.canRememberYes || question.canRememberNo else {
            return question.client == nil
                ? "no answer can be remembered: the client did not give a name"
                : "an answer to this request cannot be remembered"
        }
        var rows: [String] = []
        if question.canRememberYes {
            rows.append("a remembered yes applies to requests like this one:")
            rows += scopes(question.scopes, of: question, bounds: question.bounds)
            let dangers = question.dangers.map(\.name).joined(separator: ", ")
            rows.append("  dangers it covers: \(dangers.isEmpty ? "none" : dangers)")
            rows += question.totals.map { total in
                "  at most \(total.asset.text(of: total.amount)) on \(total.asset.network) in "
                    + "total, not counting this request"
            }
        } else {
            rows.append("a remembered no applies to requests like this one:")
            rows += scopes(question.refusalScopes, of: question, bounds: [])
            rows.append(
                "a yes to this request counts once: "
                    + "\(question.onlyOnce ?? "it cannot be distinguished from other requests")")
        }
        return rows.joined(separator: "\n")
    }

    private static func instructions(for question: ApprovalQuestion) -> [String] {
        let spans = Remembering.Span.allCases.filter { question.hasLogin || $0 != .session }
            .map(\.rawValue).joined(separator: ", ")
        guard question.canRememberYes else {
            return question.canRememberNo ? ["a no can be remembered: n with \(spans)"] : []
        }
        let more = question.totals.first.map { total in
            "; \"y 1d \(total.asset.text(of: total.amount))\" sets the most that may leave in total"
        }
        return [
            "answer y or n with \(spans), such as \"y 1h\"; \"y 1d 20\" is for 20 more times"
                + (more ?? "")
        ]
    }

    private func scopes(
        _ scopes: [Grant.Scope], of question: ApprovalQuestion, bounds: [[Fact]]
    ) -> [String] {
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
