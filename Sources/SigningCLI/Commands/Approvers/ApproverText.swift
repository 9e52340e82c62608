// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningPolicy
import SigningService
import SigningStorage
import SigningTerminal

/// Questions to several people in words.
enum ApproverText {
    /// How a hub puts such questions; on a console it says that one waits.
    static func words(_ schemas: [FactSchema], _ console: Console? = nil) -> JointWords {
        JointWords(
            text: { QuestionText($0, schemas: schemas).details }, told: told(console))
    }

    /// Says on a console that a question waits.
    static func told(_ console: Console?) -> @Sendable (String, [ApproverDemand]) -> Void {
        { digest, demands in
            let who = demands.map(\.text).joined(separator: "; ")
            console?.note(
                "waits for approvers: \(VisibleText.escaped(who))\n"
                    + "question \(digest): countersign approver show \(digest)")
        }
    }

    /// The questions in this home's record that wait.
    static func waiting(_ invocation: Invocation) throws(CLIError) -> [ApproverItem] {
        let inbox = try invocation.workspace().approverInbox()
        return try CLIError.wrapping { () throws(ServiceError) in
            try inbox.waiting(at: SystemEnvironment().now())
        }
    }

    /// One of them in a line.
    static func row(_ item: ApproverItem) -> String {
        "\(Hex.encode(item.digest.span))  \(item.progressText)  until "
            + "\(item.question.binding.expires.utcText)  \(item.asksText)"
    }
}

extension Workspace {
    /// The questions to several people in this home's record.
    func approverInbox() throws(CLIError) -> ApproverInbox {
        let ledger = try openLedger()
        // Where no agent runs nobody else takes in what other hubs ask and answer.
        _ = try? ledger.catchUp()
        return ApproverInbox(ledger, vault)
    }
}

/// A question that a command names: one that lies in this home's ledger, or a file.
struct NamedQuestion {
    let question: JointQuestion
    let digest: [UInt8]
    /// Whether it came as a file, and its answer goes as one.
    let isFile: Bool

    init(_ name: String, in workspace: Workspace) throws(CLIError) {
        if let digest = Self.digest(name) {
            let ledger = try workspace.openLedger()
            _ = try? ledger.catchUp()
            let found = try CLIError.wrapping { () throws(LedgerError) in
                try ledger.jointQuestion(digest)
            }
            guard let found else {
                throw CLIError(
                    "no such question is on record here",
                    hint: "see \"countersign approver pending\"")
            }
            question = found.question
            self.digest = digest
            isFile = false
            return
        }
        guard let question = JointRecord.question(try Source.read(name)) else {
            throw CLIError(
                "\"\(VisibleText.escaped(name))\" is no question to approvers",
                hint: "give a file that \"approver export\" wrote, or the digest of a question")
        }
        self.question = question
        digest = JointRecord.digest(of: question)
        isFile = true
    }

    /// 64 hexadecimal digits; nil of anything else.
    static func digest(_ text: String) -> [UInt8]? {
        guard text.utf8.count == 64, let bytes = try? Hex.decode(text) else { return nil }
        return bytes
    }
}
