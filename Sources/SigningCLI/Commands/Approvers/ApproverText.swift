// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningService

/// The texts of questions to several people.
enum ApproverText {
    /// The texts that a hub uses; a console, if any, reports each waiting question.
    static func words(_ schemas: [FactSchema], _ console: Console? = nil) -> JointWords {
        JointWords(
            text: { QuestionText($0, schemas: schemas).details }, onWaiting: reporter(console))
    }

    /// The texts that a command uses; a signal that ends the command withdraws its question.
    static func interruptibleWords(_ schemas: [FactSchema], _ console: Console) -> JointWords {
        JointWords(
            text: { QuestionText($0, schemas: schemas).details }, onWaiting: reporter(console)
        ) {
            (asking) async throws(ApprovalError) in try await StopSignals.run(asking)
        }
    }

    /// Asks the approvers about an act and waits; a signal that ends the command withdraws the
    /// question.
    static func asking(_ console: Console) -> AskingPeople {
        { questions, text in
            try await StopSignals.run {
                try await questions.ask(text, onWaiting: reporter(console))
            }
        }
    }

    /// Reports on a console that a question waits.
    static func reporter(_ console: Console?) -> @Sendable (String, [ApproverDemand]) -> Void {
        { digest, demands in
            let who = demands.map(\.text).joined(separator: "; ")
            console?.note(
                "waits for approvers: \(VisibleText.escaped(who))\n"
                    + "question \(digest): countersign approver show \(digest)")
        }
    }

    /// The waiting questions in the record of this home and in those of its teams.
    static func waiting(_ invocation: Invocation) throws -> [ApproverItem] {
        let inbox = try invocation.workspace().approverInbox(invocation.console)
        return try inbox.waiting(at: SystemEnvironment().now())
    }

    /// One question in one line.
    static func row(_ item: ApproverItem) -> String {
        "\(Hex.encode(item.digest.span))  \(item.progressText)  until "
            + "\(item.question.binding.expires.utcText)  \(item.asksText)"
            + (item.team.map { "  \($0)" } ?? "")
    }
}

extension Workspace {
    /// The questions to several people in the records of this home and its teams; warns about a
    /// record that it cannot read.
    func approverInbox(_ console: Console) throws -> ApproverInbox {
        let inbox = ApproverInbox(of: open, try openLedger())
        // Without a running agent, only this command imports the entries of other hubs.
        for (team, problem) in inbox.catchUp() {
            console.warn(
                "team \(team.number) is not up to date: \(problem.message)",
                hint: problem.hint ?? "see \"countersign doctor\"")
        }
        for (number, problem) in inbox.broken {
            console.warn(
                "team \(number) cannot be read: \(problem.message)",
                hint: problem.hint ?? "leave the team, and ask it for a new invitation")
        }
        return inbox
    }
}

/// A question that a command names, in a record or in a file.
struct NamedQuestion {
    let question: JointQuestion
    let digest: [UInt8]
    /// True if the question came as a file, so that its answer is written as one.
    let isFile: Bool

    init(_ name: String, in inbox: ApproverInbox) throws {
        if let digest = Self.digest(name) {
            let found = try inbox.question(digest)
            guard let found else {
                throw CLIError(
                    "no such question is on record here",
                    hint: "see \"countersign approver pending\"")
            }
            question = found
            self.digest = digest
            isFile = false
            return
        }
        guard let question = JointRecord.question(try Source.read(name)) else {
            throw CLIError(
                "\"\(VisibleText.quotable(name))\" is not a question to approvers",
                hint: "give a file that \"approver export\" wrote, or the digest of a question")
        }
        self.question = question
        digest = JointRecord.digest(of: question)
        isFile = true
    }

    /// Decodes 64 hexadecimal digits; nil for other text.
    static func digest(_ text: String) -> [UInt8]? {
        guard text.utf8.count == 64, let bytes = try? Hex.decode(text) else { return nil }
        return bytes
    }
}
