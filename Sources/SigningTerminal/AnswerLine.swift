// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
package import SigningService

extension GivenAnswer {
    /// Parses `y`, `n`, `y 1h`, `n always`, `y this week`, `y 1d 20`, `y week 20 an hour`,
    /// `y 1h 20 ALGO`, `y always 5 ALGO a day` or `use 2`; nil for other lines.
    package init?(line: String) {
        let typed = line.split(separator: " ", maxSplits: 1).map(String.init)
        if let first = typed.first, ["u", "use"].contains(first.lowercased()) {
            guard typed.count == 2 else { return nil }
            // Names of accounts are case-sensitive.
            self = .account(typed[1])
            return
        }
        var words = line.lowercased().split(separator: " ").map(String.init)
        if words.dropFirst().first == "this", words.count > 2 { words.remove(at: 1) }
        guard let first = words.first else { return nil }
        let isYes = ["y", "yes"].contains(first)
        guard isYes || ["n", "no"].contains(first) else { return nil }
        guard words.count > 1, words[1] != "once" else {
            guard words.count <= 2 else { return nil }
            self = isYes ? .yes(nil) : .no(nil)
            return
        }
        guard let span = Remembering.Span(rawValue: words[1]) else { return nil }
        guard isYes else {
            guard words.count == 2 else { return nil }
            self = .no(span)
            return
        }
        guard let grant = GrantRequest(span, bounds: words.dropFirst(2)) else { return nil }
        self = .yes(grant)
    }
}

extension GrantRequest {
    /// Parses the bounds of a yes: `20` uses, `20 ALGO` in total, or both in this order; `an hour`
    /// or another period after them makes them count in each.
    fileprivate init?(_ span: Remembering.Span, bounds words: ArraySlice<String>) {
        var words = words
        var per: Remembering.Period?
        if words.count > 1, ["a", "an", "per"].contains(words[words.endIndex - 2]) {
            per = words.last.flatMap(Remembering.Period.init)
            words.removeLast(2)
            guard per != nil, !words.isEmpty else { return nil }
        }
        var uses: Int64?
        if let first = words.first,
            words.count == 1 || words.dropFirst().first.flatMap({ Int128($0) }) != nil
        {
            guard let count = Int64(first), count > 0 else { return nil }
            uses = count
            words.removeFirst()
        }
        let total = words.popFirst().map { Total($0, words.joined(separator: " ")) }
        self.init(span, usesMax: uses, total: total, per: per)
    }
}

extension TerminalApproval {
    /// Returns the answer that a line gives to a question; nil if it is invalid or not offered.
    ///
    /// Besides the answers of every screen, a line may grant wishes, such as `g 1 1h 500`.
    static func answer(_ line: String, to question: ApprovalQuestion) -> ApprovalAnswer? {
        more(line, in: question) ?? GivenAnswer(line: line)?.answer(to: question)
    }

    private static func more(_ line: String, in question: ApprovalQuestion) -> ApprovalAnswer? {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard question.offersMore, words.count == 2,
            ["g", "grant"].contains(words[0].lowercased()),
            let choice = WishChoice(words[1])?.granted(in: question)
        else { return nil }
        return .approved(question.binding, granting: choice)
    }
}
