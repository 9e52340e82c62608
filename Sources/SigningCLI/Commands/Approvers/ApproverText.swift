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
            text: { QuestionText($0, schemas: schemas).details },
            told: { digest, demands in
                let who = demands.map(\.text).joined(separator: "; ")
                console?.note(
                    "waits for approvers: \(VisibleText.escaped(who))\n"
                        + "question \(digest): countersign approver show \(digest)")
            })
    }

    /// All of a question: the words of the home that asks, and below them what a yes is bound to,
    /// as this machine reads it.
    static func whole(_ question: JointQuestion, _ digest: [UInt8], at now: Timestamp) -> String {
        let binding = question.binding
        var rows = [question.text, "", "what a yes is bound to:"]
        rows.append("  question  \(Hex.encode(digest.span))")
        rows.append("  request   sha256 \(Hex.encode(binding.requestDigest.span))")
        rows.append("  policy    sha256 \(Hex.encode(binding.policyHash.span))")
        rows += binding.keys.map { "  key       \(VisibleText.escaped($0.text))" }
        rows += question.totals.map { "  leaves    \(VisibleText.escaped($0))" }
        rows += question.demands.map { "  rule      \($0.rule): \($0.text)" }
        rows.append(
            "  until     \(binding.expires.utcText)" + (now <= binding.expires ? "" : ", expired"))
        return rows.joined(separator: "\n")
    }

    /// Says how many questions wait for approvers, who answer them in another way.
    static func tellWaiting(_ invocation: Invocation) {
        let ledger = try? invocation.workspace().openLedger()
        let count = (try? ledger?.jointQuestions(at: SystemEnvironment().now()))?.count ?? 0
        guard count > 0 else { return }
        invocation.console.note("for approvers: \(count); see countersign approver pending")
    }

    /// How far a question has come, such as `1 of 2`.
    static func progress(_ waiting: WaitingJointQuestion, _ check: JointCheck) -> String {
        waiting.question.demands.map { demand in
            let counted = Set(demand.counted(besides: waiting.question.ownKeys).map(\.key))
            let yeses = waiting.answers.count { answer in
                answer.isYes && counted.contains(answer.publicKey)
                    && waiting.question.fault(of: answer, by: check) == nil
            }
            return "\(yeses) of \(demand.minimum)"
        }.joined(separator: ", ")
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
