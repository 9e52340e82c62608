// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
package import SigningService

extension GivenAnswer {
    /// Parses `y`, `n`, `y 1h`, `n always`, `y this week`, `y 1d 20`, `y week 20 an hour`,
    /// `y 1h 20 ALGO`, `y always 5 ALGO a day` or `use 2`.
    ///
    /// Nil for a line that is neither yes nor no; throws if what follows these cannot be read.
    package init?(line: String) throws(AnswerError) {
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
            guard words.count <= 2 else {
                throw AnswerError("an answer for once has no number, amount or period")
            }
            self = isYes ? .yes(nil) : .no(nil)
            return
        }
        guard let span = Remembering.Span(rawValue: words[1]) else {
            throw AnswerError(
                "\"\(VisibleText.quotable(words[1]))\" is not a time for which an answer is "
                    + "remembered, such as 1h or week")
        }
        guard isYes || words.count == 2 else {
            throw AnswerError("a no has no number, amount or period: n \(span.rawValue)")
        }
        self = isYes ? .yes(try GrantRequest(span, bounds: words.dropFirst(2))) : .no(span)
    }
}

extension GrantRequest {
    /// Parses the bounds of a yes: `20` uses, `20 ALGO` in total, or both in this order; `an hour`
    /// or another period after them makes them count in each.
    fileprivate init(
        _ span: Remembering.Span, bounds words: ArraySlice<String>
    ) throws(AnswerError) {
        var words = words
        var per: Remembering.Period?
        if words.count > 1, ["a", "an", "per"].contains(words[words.endIndex - 2]) {
            let name = words.removeLast()
            words.removeLast()
            per = Remembering.Period(rawValue: name)
            guard per != nil else {
                throw AnswerError(
                    "\"\(VisibleText.quotable(name))\" is not a period: an hour, a day or a week")
            }
            guard !words.isEmpty else {
                throw AnswerError("name a number or an amount for each \(name)")
            }
        }
        var uses: Int64?
        if let first = words.first,
            words.count == 1 || words.dropFirst().first.flatMap({ Int128($0) }) != nil
        {
            guard let count = Int64(first), count > 0 else {
                throw AnswerError(
                    "\"\(VisibleText.quotable(first))\" is not a number of times; an amount needs "
                        + "its unit")
            }
            uses = count
            words.removeFirst()
        }
        let total = words.popFirst().map { Total($0, words.joined(separator: " ")) }
        self.init(span, usesMax: uses, total: total, per: per)
    }
}

extension TerminalApproval {
    /// Returns the answer that a line gives to a question; nil if it is no answer, throws if it is
    /// not offered.
    ///
    /// Besides the answers of every screen, a line may grant wishes, such as `g 1 1h 500`.
    static func answer(
        _ line: String, to question: ApprovalQuestion
    ) throws(AnswerError) -> ApprovalAnswer? {
        if let answer = more(line, in: question) { return answer }
        return try GivenAnswer(line: line)?.answer(to: question)
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
