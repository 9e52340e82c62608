// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import SigningCore
internal import SigningService

/// Asks the person at the terminal, who can answer yes or no, once or for longer, or read the
/// details.
public struct TerminalApproval: Approval {
    private let secondsMax: Int64
    /// The fact schemas that format values.
    let schemas: [FactSchema]

    /// Creates an approval that waits `secondsMax` seconds at most; `schemas` format the values.
    public init(
        secondsMax: Int64 = .max, schemas: [FactSchema]
    ) {
        self.secondsMax = secondsMax
        self.schemas = schemas
    }

    /// Prevents that a closed terminal ends the process, so that its question is recorded as
    /// denied; call it once.
    ///
    /// It installs a handler, as an ignored signal would be inherited by child processes.
    public static func outliveTerminal() {
        signal(SIGHUP) { _ in }
    }

    /// True if there is a terminal and standard error is one.
    public var canAsk: Bool { Terminal() != nil }

    /// Asks the question at the terminal.
    public func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        // A request that expires earlier leaves less time.
        // The hub ends the question of a delayed request: giving up earlier would deny it.
        let left =
            question.binding.expires.seconds - Int64(time(nil))
            + (question.isAllowedUnanswered ? 2 : 0)
        let seconds = max(1, min(secondsMax, left))
        let deadline = ContinuousClock.now + .seconds(seconds)
        guard let terminal = Terminal() else { throw .unavailable }
        // Only one process asks at a time, so that an answer never goes to another process's
        // question.
        guard let turn = terminal.takeTurn(until: deadline) else { throw .timedOut }
        defer { withExtendedLifetime(turn) {} }
        show(question, for: seconds, at: terminal)
        terminal.settle()
        let prompt = Self.prompt(for: question)
        var hasAllInSight = !question.summary.isCut
        while true {
            switch terminal.ask(prompt, until: deadline) {
            // A hang-up after the request was withdrawn is not a person's denial.
            case .hungUp where Task.isCancelled: throw .timedOut
            // A hang-up counts as a denial.
            case .hungUp: return .denied()
            case .timedOut: throw .timedOut
            case .line("d"), .line("details"):
                terminal.page(details(of: question, columns: terminal.textColumns), deadline)
                hasAllInSight = true
            case .line("u"), .line("use"):
                let accounts = question.otherAccountList
                terminal.show((accounts ?? "this client has no other account") + "\n")
            case .line("r"), .line("remember"):
                terminal.page(offer(of: question), deadline)
            case .line(let line):
                if let answer = Self.answer(line, to: question, correctingAt: terminal) {
                    if case .approved = answer, !hasAllInSight {
                        terminal.show("before a yes, read the details: d\n")
                        continue
                    }
                    return try Self.completed(answer, question, terminal, until: deadline)
                }
            }
        }
    }

    /// Shows the question; if it is longer than the screen, repeats its totals and gravest parts
    /// above the prompt.
    private func show(
        _ question: ApprovalQuestion, for seconds: Int64, at terminal: borrowing Terminal
    ) {
        let summary = question.summary
        let paint = TerminalPaint()
        let columns = terminal.size.columns
        let text = paint.painted(
            summary.text(columns: terminal.textColumns), of: summary, columns: columns)
        terminal.show("\n" + text + "\n")
        if summary.isCut {
            terminal.show(QuestionText.cutNote + "\n")
        }
        if question.offersMore { terminal.show(Self.wishOffer(of: question) + "\n") }
        if let accounts = question.otherAccountList { terminal.show(accounts + "\n") }
        if !question.isAllowedUnanswered {
            terminal.show("  without an answer in \(seconds) s the request is denied\n")
        }
        let rows = text.utf8.count { $0 == 0x0A } + 5
        guard rows > terminal.size.rows else { return }
        let reminder = Summary.reminder(of: summary, rowsMax: max(4, terminal.size.rows / 2))
        terminal.show(paint.painted(reminder, of: summary, columns: columns) + "\n")
    }

    private static func prompt(for question: ApprovalQuestion) -> String {
        let canRemember = question.canRememberYes || question.canRememberNo
        return "\(question.act.rawValue)? [y]es, [n]o, \(canRemember ? "[r]emember, " : "")"
            + (question.offersMore ? "[g]rant more, " : "")
            + (question.otherAccounts.isEmpty ? "" : "[u]se another account, ") + "[d]etails: "
    }

    /// Asks about the client's wishes after a yes and adds the granted ones to the answer.
    private static func completed(
        _ answer: ApprovalAnswer, _ question: ApprovalQuestion, _ terminal: borrowing Terminal,
        until deadline: ContinuousClock.Instant
    ) throws(ApprovalError) -> ApprovalAnswer {
        // In this case the wishes were shown with the question.
        guard !question.offersMore, case .approved(let binding, let remembering, _, _) = answer
        else { return answer }
        let granting = try wishes(of: question, at: terminal, until: deadline)
        return .approved(binding, remembering: remembering, granting: granting)
    }

    /// Returns the answer that a line gives; otherwise shows what is wrong with it and returns nil.
    private static func answer(
        _ line: String, to question: ApprovalQuestion, correctingAt terminal: borrowing Terminal
    ) -> ApprovalAnswer? {
        do throws(AnswerError) {
            if let answer = try answer(line, to: question) { return answer }
            terminal.show(demand(of: question) + "\n")
        } catch {
            terminal.show(error.detail + "\n")
        }
        return nil
    }

    private static func demand(of question: ApprovalQuestion) -> String {
        guard question.canRememberYes || question.canRememberNo else {
            return "please answer y, n or d"
        }
        return "please answer y, n or d, with a time to remember a yes or no: "
            + (question.canRememberYes ? "y 1h" : "n 1h")
    }

    private func details(of question: ApprovalQuestion, columns: Int) -> String {
        let summary = question.summary
        let isAll = !summary.isCut && summary.raw.isEmpty
        return
            ((isAll ? [] : [summary.fullText(columns: columns)])
            + QuestionText(question, schemas: schemas).bound)
            .joined(separator: "\n")
    }
}

extension Summary {
    /// The totals, dangers and gravest operations of a question that is longer than the screen.
    static func reminder(of summary: Summary, rowsMax: Int) -> String {
        var rows = ["again, because the question is long: " + VisibleText.escaped(summary.title)]
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
