// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import SigningCore

/// Asks the person at the terminal: yes, no, or first the details; once or for longer.
public struct TerminalApproval: Approval {
    private let secondsMax: Int64
    /// How values are written in what a remembered answer would be about.
    let words: GrantText

    /// Waits so many seconds for an answer; values are shown by the vocabularies of `schemas`.
    public init(
        secondsMax: Int64 = SigningHub.approvalSecondsDefault, schemas: [FactSchema]
    ) {
        self.secondsMax = secondsMax
        words = GrantText(schemas: schemas)
    }

    /// Makes a closed terminal end what is read from it and not the process, so that what was
    /// asked there goes on record as denied; call it once.
    ///
    /// A handler and not an ignored signal: programs started from here begin without it.
    public static func outliveTerminal() {
        signal(SIGHUP) { _ in }
    }

    /// Whether there is a terminal that somebody looks at.
    public var canAsk: Bool { Terminal() != nil }

    /// Asks there.
    public func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        // A request whose own time is over earlier has less.
        let left = question.binding.expires.seconds - Int64(time(nil))
        let seconds = max(1, min(secondsMax, left))
        let deadline = ContinuousClock.now + .seconds(seconds)
        guard let terminal = Terminal() else { throw .unavailable }
        // One question at a time: an answer is never that of another process's question.
        guard let turn = terminal.takeTurn(until: deadline) else { throw .timedOut }
        defer { withExtendedLifetime(turn) {} }
        show(question, for: seconds, at: terminal)
        terminal.settle()
        let prompt = Self.prompt(for: question)
        var hasAllInSight = !question.summary.isCut
        while true {
            switch terminal.ask(prompt, until: deadline) {
            // Nobody hung up where whoever asked has left: that is nobody's no.
            case .hungUp where Task.isCancelled: throw .timedOut
            // Whoever hangs up does not say yes.
            case .hungUp: return .denied()
            case .timedOut: throw .timedOut
            case .line("d"), .line("details"):
                terminal.page(Self.details(of: question, columns: terminal.textColumns), deadline)
                hasAllInSight = true
            case .line("u"), .line("use"):
                let accounts = Self.otherAccounts(of: question)
                terminal.show((accounts ?? "there is no other account for this client") + "\n")
            case .line("r"), .line("remember"):
                terminal.page(offer(of: question), deadline)
            case .line(let line):
                if let answer = Self.answer(line, to: question) {
                    if case .approved = answer, !hasAllInSight {
                        terminal.show("a yes needs a look at the details first: d\n")
                        continue
                    }
                    return try Self.completed(answer, question, terminal, until: deadline)
                }
                terminal.show(Self.demand(of: question) + "\n")
            }
        }
    }

    /// Shows what is asked; where it is longer than the screen, what leaves and the gravest are
    /// said once more where the answer is typed.
    private func show(
        _ question: ApprovalQuestion, for seconds: Int64, at terminal: borrowing Terminal
    ) {
        let summary = question.summary
        let text = summary.text(columns: terminal.textColumns)
        let paint = TerminalPaint()
        terminal.show("\n" + paint.painted(text, of: summary) + "\n")
        if summary.isCut {
            terminal.show(QuestionText.cutNote + "\n")
        }
        if Self.offersMore(question) { terminal.show(Self.offer(of: question) + "\n") }
        if let accounts = Self.otherAccounts(of: question) { terminal.show(accounts + "\n") }
        terminal.show("  no answer in \(seconds) s is a no\n")
        let rows = text.utf8.count { $0 == 0x0A } + 5
        guard rows > terminal.size.rows else { return }
        let reminder = Summary.reminder(of: summary, rowsMax: max(4, terminal.size.rows / 2))
        terminal.show(paint.painted(reminder, of: summary) + "\n")
    }

    private static func prompt(for question: ApprovalQuestion) -> String {
        let canRemember = question.canRememberYes || question.canRememberNo
        return "\(question.act.rawValue)? [y]es, [n]o, \(canRemember ? "[r]emember, " : "")"
            + (offersMore(question) ? "[g]rant more, " : "")
            + (question.otherAccounts.isEmpty ? "" : "[u]se another account, ") + "[d]etails: "
    }

    /// The answer with what else the person grants.
    private static func completed(
        _ answer: ApprovalAnswer, _ question: ApprovalQuestion, _ terminal: borrowing Terminal,
        until deadline: ContinuousClock.Instant
    ) throws(ApprovalError) -> ApprovalAnswer {
        // There it was offered with the question.
        guard !offersMore(question), case .approved(let binding, let remembering, _, _) = answer
        else { return answer }
        let granting = try wishes(of: question, at: terminal, until: deadline)
        return .approved(binding, remembering: remembering, granting: granting)
    }

    private static func demand(of question: ApprovalQuestion) -> String {
        guard question.canRememberYes || question.canRememberNo else {
            return "please answer y, n or d"
        }
        return "please answer y, n or d, or say how long to remember it: "
            + (question.canRememberYes ? "y 1h" : "n 1h")
    }

    private static func details(of question: ApprovalQuestion, columns: Int) -> String {
        let summary = question.summary
        let isAll = !summary.isCut && summary.raw.isEmpty
        return ((isAll ? [] : [summary.fullText(columns: columns)]) + bound(question))
            .joined(separator: "\n")
    }
}

extension Summary {
    /// What must not be overlooked of a long question.
    static func reminder(of summary: Summary, rowsMax: Int) -> String {
        var rows = ["once more, as it is long: " + VisibleText.escaped(summary.title)]
        rows += summary.totals.map { "  \($0.label)  \(VisibleText.escaped($0.text))" }
        rows += summary.lines.filter { $0.label == "dangers" && $0.author != .client }
            .map { "  \($0.label)  \(VisibleText.escaped($0.text))" }
        let grave = summary.headlines.filter { $0.gravity > .plain }
            .sorted { $0.gravity > $1.gravity }
        let room = max(1, rowsMax - rows.count - 1)
        rows += grave.prefix(room).map { "  \(VisibleText.escaped($0.text))" }
        let rest = summary.headlines.count - min(grave.count, room)
        if rest > 0, summary.headlines.count > 1 {
            rows.append("  ... and \(rest) more\(summary.isCut ? "" : " above")")
        }
        return rows.joined(separator: "\n")
    }
}
