// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningService
import SigningVault

extension CommandLineTool {
    static let approverPending = Command(
        of: OwnerActs.approvalList, operands: 0...0,
        usage: """
            usage: countersign approver pending

            Lists the questions that wait for several people, in the record of this home and in the
            records of the teams that it joined. For each question it shows the digest, how many
            people said yes, how many are needed, when the question ends, and whom each rule asks.
            Needs no passphrase.

            example: countersign approver pending
            """
    ) { invocation in
        let rows = try ApproverText.waiting(invocation)
        guard !invocation.console.isJSON else {
            let list: JSON = [
                "waiting": .array(
                    rows.map { item in
                        [
                            "question": .string(Hex.encode(item.digest.span)),
                            "approved": .string(item.progressText),
                            "expires": .string(item.question.binding.expires.utcText),
                            "asks": .array(item.question.demands.map { .string($0.text) }),
                            "team": item.team.map { .string($0) } ?? .null,
                        ]
                    })
            ]
            invocation.console.put(list.write())
            return .done
        }
        for item in rows { invocation.console.put(ApproverText.row(item)) }
        if rows.isEmpty { invocation.console.note("nothing waits for approvers") }
        return .done
    }

    static let approverShow = Command(
        of: OwnerActs.approvalShow, operands: 1...1,
        usage: """
            usage: countersign approver show QUESTION

            Shows all of a question to several people, and the digest that an answer has to name.
            QUESTION is a file that "approver export" wrote, or the digest of a question that waits
            here. For a digest it also shows who has answered. The home that asks wrote the text of
            the question; the lines below it are computed on this machine.

            example: countersign approver show question.json
            """
    ) { invocation in
        let inbox = try invocation.workspace().approverInbox(invocation.console)
        let named = try NamedQuestion(try invocation.operand(0), in: inbox)
        guard !invocation.console.isJSON else {
            invocation.console.put(JointRecord.body(named.question))
            return .done
        }
        let now = SystemEnvironment().now()
        invocation.console.put(ApproverItem.whole(named.question, named.digest, at: now))
        guard !named.isFile else { return .done }
        let item = try inbox.item(named.digest, at: now)
        if let item { invocation.console.put(item.stateText) }
        return .done
    }

    static let approverExport = Command(
        name: "approver export", options: [], operands: 1...1,
        summary: "write a question to a file, for another machine",
        usage: """
            usage: countersign approver export DIGEST

            Writes a question that waits here to standard output, for approvers on machines that do
            not share this record. It contains everything that they are shown, and no secret.

            example: countersign approver export DIGEST > question.json
            """
    ) { invocation in
        let inbox = try invocation.workspace().approverInbox(invocation.console)
        let named = try NamedQuestion(try invocation.operand(0), in: inbox)
        invocation.console.put(JointRecord.body(named.question))
        return .done
    }

    static let approverAnswer = Command(
        of: OwnerActs.approvalAnswer, operands: 2...2,
        usage: """
            usage: countersign approver answer QUESTION yes|no --seen DIGEST [--as NAME]

            Answers a question with your approver key, after the passphrase of this home. QUESTION
            is a file or a digest, as for "approver show". DIGEST is the digest that "approver show"
            printed below the text: it proves which text you read. The answer to a file is written
            to standard output, for "approver deliver" in the home that asks; any other answer goes
            on the record that contains the question. A no ends the question. --as names the key, if
            several keys of this home may answer.

            example: countersign approver answer question.json yes --seen DIGEST > answer.json
            """
    ) { invocation in
        let word = try invocation.operand(1)
        guard word == "yes" || word == "no" else {
            throw CLIError.usage(
                "unknown answer \"\(VisibleText.quotable(word))\"", hint: "say yes or no")
        }
        let seen = try invocation.arguments.required("--seen")
        let workspace = try invocation.workspace(toWrite: true)
        let inbox = try workspace.approverInbox(invocation.console)
        let named = try NamedQuestion(try invocation.operand(0), in: inbox)
        guard NamedQuestion.digest(seen) == named.digest else {
            throw CLIError(
                "--seen is not the digest of this question",
                hint: "read this question first: countersign approver show")
        }
        let now = SystemEnvironment().now()
        guard now <= named.question.binding.expires else { throw CLIError(JointAnswerError.late) }
        let key = try approverKey(for: named, saying: word == "yes", invocation, inbox)
        let passphrase = try invocation.passphrase().read(
            to: "say \(word) as the approver \"\(key.name)\"")
        try workspace.unlock(passphrase)
        let answer = try inbox.sign(word == "yes", to: named.question, by: key)
        guard !named.isFile else {
            invocation.console.put(JointRecord.body(answer, to: named.digest))
            return .done
        }
        try await deliver(answer, to: named.digest, in: inbox)
        invocation.console.done(["answered": .string(word)], "answered: \(word)")
        return .done
    }

    static let approverDeliver = Command(
        name: "approver deliver", options: [], operands: 1...1,
        summary: "deliver an answer from a file",
        usage: """
            usage: countersign approver deliver FILE

            Adds an answer that "approver answer" wrote to its question in this home. The answer is
            checked first: its signature, question, approver and time, and that the approver has not
            answered before. Needs no passphrase, because the answer is signed.

            example: countersign approver deliver answer.json
            """
    ) { invocation in
        let inbox = try invocation.workspace(toWrite: true).approverInbox(invocation.console)
        guard let read = JointRecord.answer(try Source.read(try invocation.operand(0))) else {
            throw CLIError(
                "this is not the answer of an approver",
                hint: "give a file that \"approver answer\" wrote")
        }
        try await deliver(read.answer, to: read.digest, in: inbox)
        let word = read.answer.isYes ? "yes" : "no"
        invocation.console.done(["delivered": .string(word)], "delivered: \(word)")
        return .done
    }

    /// Writes an answer to the record; throws the reason if the answer is not valid.
    private static func deliver(
        _ answer: JointAnswer, to digest: [UInt8], in inbox: ApproverInbox
    ) async throws {
        let refusal = try await inbox.deliver(answer, to: digest, at: SystemEnvironment().now())
        if let refusal { throw CLIError(refusal) }
    }

    /// The key of this home that a question asks.
    private static func approverKey(
        for named: NamedQuestion, saying isYes: Bool, _ invocation: Invocation,
        _ inbox: ApproverInbox
    ) throws -> ApproverKey {
        let name = invocation.arguments.value("--as")
        // The state of a question from a file is not known here.
        let item =
            named.isFile
            ? nil : try inbox.item(named.digest, at: SystemEnvironment().now())
        let found = try inbox.key(
            for: named.question, named: name,
            among: item.map { isYes ? $0.mayApprove : $0.mayDeny })
        switch found {
        case .success(let key): return key
        case .failure(.none):
            throw CLIError(
                "this home has no approver key that may answer this question",
                hint: "see \"countersign approver list\"")
        case .failure(.several):
            throw CLIError.usage(
                "several approver keys of this home may answer this question",
                hint: "name one with --as NAME")
        }
    }
}

extension CLIError {
    /// The reason that an answer is not valid.
    fileprivate init(_ refusal: JointAnswerError) {
        let hint =
            switch refusal {
            case .ambiguous: "answer no: this question was written to deceive you"
            case .notAsked, .ownRequest: "see the approvers of the rule in policy.toml"
            case .retired: "ask the owner of the policy to add your new key"
            case .unsigned: "answer the question that waits now"
            case .late, .unknown: "ask for the request to be sent again"
            case .repeated: "each approver answers once; the first answer counts"
            }
        self.init("the answer is not valid: \(refusal.text)", hint: hint, status: .denied)
    }
}
