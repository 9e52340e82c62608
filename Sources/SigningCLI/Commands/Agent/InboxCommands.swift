// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningAgent
import SigningCodecs
import SigningCore
import SigningPolicy
import SigningService
import SigningStorage
import SigningTerminal

extension CommandLineTool {
    static let inboxCommands = [inboxShow, inboxAnswer, inbox]

    private static let inbox = Command(
        of: OwnerActs.questionList, options: [Option(name: "--list", value: nil)], operands: 0...0,
        usage: """
            usage: countersign inbox [--list]

            Shows the questions that wait at the agent of this home, and takes your answers, one key
            for each; ? shows the keys. The inbox asks for the passphrase once and closes after 15
            minutes without a key. The first answer counts, from here or from the terminal of the
            agent. Questions for several people are listed too; the approver keys of this home
            answer them. --list, or --json, prints the questions and ends. Each line says what
            leaves the account, who receives it, the gravest danger and the seconds that are left.
            For a single question use "inbox show", "inbox answer" and the commands of "approver".

            example: countersign inbox
            """
    ) { invocation in
        let isList = invocation.arguments.has("--list") || invocation.console.isJSON
        if !isList, isatty(STDOUT_FILENO) == 0 || isatty(STDIN_FILENO) == 0 {
            throw CLIError("the inbox needs a terminal", hint: "use countersign inbox --list")
        }
        return try await OwnersInbox.session(invocation).use { session in
            guard isList else { return try await OwnersInbox.live(session, invocation) }
            let list = try await OwnerCommand.perform(OwnerActs.questionList, session)
            let approvals = try await OwnerCommand.perform(
                OwnerActs.approvalList, session)["waiting"]
            guard !invocation.console.isJSON else {
                let members =
                    (list.object.map(\.members) ?? [])
                    + [.init(name: "approvals", value: approvals ?? [])]
                invocation.console.put(JSON.object(JSONObject(members)).write())
                return .done
            }
            invocation.console.put(OwnersInbox.text(list, approvals?.list ?? []))
            return .done
        }
    }

    private static let inboxShow = Command(
        of: OwnerActs.questionShow, options: [Option(name: "--details", value: nil)],
        operands: 1...1,
        usage: """
            usage: countersign inbox show ID [--details]

            Shows a question that waits, as the terminal shows it, and the digest that an answer has
            to name. With --details it shows every byte of the request.

            example: countersign inbox show 0123456789abcdef0123456789abcdef
            """
    ) { invocation in
        let id = try OwnersInbox.id(invocation)
        let isDetails = invocation.arguments.has("--details")
        return try await OwnersInbox.session(invocation).use { session in
            let json = try await OwnerCommand.perform(
                isDetails ? OwnerActs.questionDetails : OwnerActs.questionShow, session, on: id)
            guard !invocation.console.isJSON else {
                invocation.console.put(json.write())
                return .done
            }
            let rest =
                ["others", "offer", "wishes"].compactMap { json[$0]?.text }
                .map { "\n\($0)" }.joined() + "\n"
            invocation.console.put(
                (json["text"]?.text ?? "") + rest + "digest: \(json["digest"]?.text ?? "")")
            return .done
        }
    }

    private static let inboxAnswer = Command(
        of: OwnerActs.questionAnswer, operands: 2...2,
        offers: [.fixed(["once"] + Remembering.Span.allCases.map(\.rawValue) + ["no", "never"])],
        usage: """
            usage: countersign inbox answer ID ANSWER --seen DIGEST
            options: --uses N, --total AMOUNT, --per PERIOD, --grant CHOICE, --account NAME

            Answers a question that waits. ANSWER is once, 5m, 1h, 1d, today, week, session, always,
            no or never; today and week end at midnight and on Sunday.
            DIGEST is the digest that "inbox show" printed below the question, or below its details
            if a yes needs them: it proves which text you read. --uses limits how often a remembered
            yes may be used. --total limits the amount that may leave with it, such as "20 ALGO".
            --per makes both count in each hour, day or week; without it they count once for all.
            --grant names the wishes of the client that you grant, and for how long, such as "1,3
            1d", or "1 1h 500" for 500 uses. The answer "use" with --account asks the question again
            for another of the accounts that it offers.

            example: countersign inbox answer 0123456789abcdef0123456789abcdef no --seen DIGEST
            """
    ) { invocation in
        let id = try OwnersInbox.id(invocation)
        var members: [JSONObject.Member] = [
            .init(name: "answer", value: .string(try invocation.operand(1))),
            .init(name: "seen", value: .string(try invocation.arguments.required("--seen"))),
        ]
        let terms = OwnerActs.questionAnswer.description.arguments.map(\.name)
        for name in terms where !["answer", "seen"].contains(name) {
            guard let text = invocation.arguments.value("--\(name)") else { continue }
            let number = name == "uses" ? Int64(text).map { JSON.integer($0) } : nil
            members.append(.init(name: name, value: number ?? .string(text)))
        }
        let body = JSON.object(JSONObject(members))
        return try await OwnersInbox.session(invocation).use { session in
            let json: JSON
            do {
                json = try await OwnerCommand.perform(
                    OwnerActs.questionAnswer, session, on: id, body)
            } catch {
                let error = CLIError(error)
                let hint = "see what it offers, or how it ended: countersign inbox show \(id)"
                throw CLIError(error.message, hint: error.hint ?? hint, status: error.status)
            }
            invocation.console.done(json, "answered: \(json["ending"]?.text ?? "")")
            return .done
        }
    }
}

/// The shared parts of the inbox commands.
private enum OwnersInbox {
    /// Opens a session of the owner.
    static func session(_ invocation: Invocation) async throws -> OwnerCommand {
        try await OwnerCommand(invocation, to: "open the inbox")
    }

    static func id(_ invocation: Invocation) throws -> String {
        let id = try invocation.operand(0)
        guard id.utf8.count == 32, id.utf8.allSatisfy({ Self.digits.contains($0) }) else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(id))\" is not the id of a question",
                hint: "see \"countersign inbox --list\"")
        }
        return id
    }

    private static let digits = Set("0123456789abcdef".utf8)

    /// One line for each waiting question.
    static func text(_ list: JSON, _ approvals: [JSON]) -> String {
        var rows = (list["waiting"]?.list ?? []).map { item in
            let client = item["client"]
            let name =
                (client?["called"]?.text.map { "\($0), " } ?? "")
                + VisibleText.listed(client?["name"]?.text ?? "")
            let known =
                (client?["known_by"]?.text ?? "")
                + (client?["profile"]?.text.map { " \($0)" } ?? "")
            return "\(item["id"]?.text ?? "")  \(item["seconds_left"]?.integerValue ?? 0) s  "
                + "\(item["act"]?.text ?? "")  \(item["headline"]?.text ?? "")  (\(name), \(known))"
                + below(item)
        }
        rows += approvals.map { item in
            func names(_ member: String) -> String {
                (item[member]?.list?.compactMap(\.text) ?? []).joined(separator: ", ")
            }
            let (yes, no) = (names("may_approve"), names("may_deny"))
            let who =
                !yes.isEmpty
                ? "for \(yes)" : no.isEmpty ? "answered elsewhere" : "\(no) may only say no"
            return "\(item["id"]?.text ?? "")  \(item["seconds_left"]?.integerValue ?? 0) s  "
                + "approvers \(item["approved"]?.text ?? "")  \(item["headline"]?.text ?? "")  "
                + "(\(who))" + below(item)
        }
        return rows.isEmpty ? "nothing waits" : rows.joined(separator: "\n")
    }

    /// The rows below a question: outflow, recipient, and the gravest danger.
    private static func below(_ item: JSON) -> String {
        let gist = QuestionGist(item["gist"])
        let isAllowed = item["without_answer"]?.text == "allow"
        let allowed = isAllowed ? InboxQuestion.allowedText : nil
        return [gist?.actionText, allowed, gist?.dangerText].compactMap { $0 }
            .map { "\n    " + FilledText.filled($0, columnsMax, 6) }.joined()
    }

    /// The width of a row below a question, in columns.
    private static let columnsMax = 76

    static func live(_ session: AgentSession, _ invocation: Invocation) async throws -> ExitStatus {
        let feed = InboxFeed(session) {
            let workspace = try? invocation.workspace()
            let rows = try? workspace?.perform(OwnerActs.limitList, ())
            return (rows ?? []).map(\.bar)
        } connections: {
            (try? ConnectedClients.rows(invocation.workspace())) ?? []
        }
        switch await Inbox.run(feed) {
        case .left, .hungUp: return .done
        case .idle:
            throw CLIError(
                "no key was pressed for 15 minutes",
                hint: "to open it again: countersign inbox")
        case .noTerminal:
            throw CLIError(
                "this terminal cannot show the inbox, or another process is asking a question on "
                    + "it",
                hint: "use countersign inbox --list")
        case .over: throw CLIError(feed.failure ?? .cancelled)
        case .signal(let number):
            await session.close()
            InboxSignals.die(of: number)
            return .failed
        }
    }
}

extension LimitRow {
    /// The limit as a bar of the inbox.
    var bar: InboxLimit { InboxLimit(text, used: trace.used, of: trace.maximum) }
}
