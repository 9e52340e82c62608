// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// Asks the person at the terminal: yes, no, or first the details; once or for longer.
struct TerminalApproval: Approval {
    let secondsMax: Int64
    /// How values are written in what a remembered answer would be about.
    let words: GrantText

    var canAsk: Bool { Terminal() != nil }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        guard let terminal = Terminal() else { throw .unavailable }
        terminal.show("\n" + question.summary.text + "\n")
        if question.summary.isCut {
            terminal.show("  not all of it is shown: details show the rest\n")
        }
        let deadline = ContinuousClock.now + .seconds(secondsMax)
        let prompt =
            question.scopes.isEmpty
            ? "sign? [y]es, [n]o, [d]etails: " : "sign? [y]es, [n]o, [r]emember, [d]etails: "
        while true {
            switch terminal.ask(prompt, until: deadline) {
            // Whoever hangs up does not say yes.
            case .hungUp: return .denied()
            case .timedOut: throw .timedOut
            case .line("d"), .line("details"):
                terminal.show(Self.details(of: question) + "\n")
            case .line("r"), .line("remember"):
                terminal.show(offer(of: question) + "\n")
            case .line(let line):
                if let answer = Self.answer(line, to: question) {
                    return try Self.completed(answer, question, terminal, until: deadline)
                }
                terminal.show(Self.demand(of: question) + "\n")
            }
        }
    }

    /// The answer with what else the person grants.
    private static func completed(
        _ answer: ApprovalAnswer, _ question: ApprovalQuestion, _ terminal: borrowing Terminal,
        until deadline: ContinuousClock.Instant
    ) throws(ApprovalError) -> ApprovalAnswer {
        guard case .approved(let binding, let remembering, _) = answer else { return answer }
        let granting = try wishes(of: question, at: terminal, until: deadline)
        return .approved(binding, remembering: remembering, granting: granting)
    }

    /// What a line says: `y`, `n`, `y 1h`, `n always`, `y 1d 20`; nil where it says nothing.
    static func answer(_ line: String, to question: ApprovalQuestion) -> ApprovalAnswer? {
        let words = line.split(separator: " ").map(String.init)
        guard let first = words.first, words.count <= 3 else { return nil }
        let isYes = ["y", "yes"].contains(first)
        guard isYes || ["n", "no"].contains(first) else { return nil }
        guard words.count > 1, words[1] != "once" else {
            guard words.count <= 2 else { return nil }
            return isYes ? .approved(question.binding) : .denied()
        }
        guard let span = Remembering.Span(rawValue: words[1]), !question.scopes.isEmpty,
            question.canRememberYes || !isYes, question.hasSession || span != .session
        else { return nil }
        var usesMax: Int64?
        if words.count == 3 {
            guard let count = Int64(words[2]), count > 0, isYes else { return nil }
            usesMax = count
        }
        let wish = Remembering(span, usesMax: usesMax)
        return isYes
            ? .approved(question.binding, remembering: wish) : .denied(remembering: wish)
    }

    private static func demand(of question: ApprovalQuestion) -> String {
        question.scopes.isEmpty
            ? "please answer y, n or d"
            : "please answer y, n or d, or say how long to remember it: "
                + (question.canRememberYes ? "y 1h" : "n 1h")
    }

    /// What a remembered answer would be about, and how to give one.
    private func offer(of question: ApprovalQuestion) -> String {
        guard !question.scopes.isEmpty else {
            return question.client == nil
                ? "nothing can be remembered: nobody said who asks"
                : "nothing can be remembered of this request"
        }
        var rows = ["a remembered answer counts for requests like this one:"]
        var seen: Set<Grant.Scope> = []
        for (scope, account) in zip(question.scopes, question.accounts)
        where seen.insert(scope).inserted {
            rows += words.lines(scope, keyName: account.name).map { "  " + $0 }
        }
        if question.canRememberYes {
            let flags = question.dangers.map(\.name).joined(separator: ", ")
            rows.append("  flags a yes covers: \(flags.isEmpty ? "none" : flags)")
        }
        let spans = Remembering.Span.allCases.filter { question.hasSession || $0 != .session }
            .map(\.rawValue).joined(separator: ", ")
        rows.append(
            question.canRememberYes
                ? "answer y or n with \(spans), such as \"y 1h\"; \"y 1d 20\" is for 20 more times"
                : "a yes to this counts once, so only a no can be remembered: n with \(spans)")
        return rows.joined(separator: "\n")
    }

    private static func details(of question: ApprovalQuestion) -> String {
        let keys = question.accounts.map {
            "  key      \($0.name), \($0.protocolID) \($0.address)"
        }
        let reasons = question.reasons.map { "  because  \(VisibleText.escaped($0.text))" }
        let digest = Hex.encode(question.binding.requestDigest.span)
        let policy = Hex.encode(question.binding.policyHash.span)
        let bound = ["  request  sha256 \(digest)", "  policy   sha256 \(policy)"]
        let whole = question.summary.isCut ? [question.summary.fullText] : []
        return (whole + keys + reasons + bound).joined(separator: "\n")
    }
}
