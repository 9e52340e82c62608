// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningPolicy
import SigningService
import SigningStorage

extension CommandLineTool {
    static let approverPending = Command(
        name: "approver pending", options: [], operands: 0...0,
        usage: """
            usage: countersign approver pending

            Lists the questions in this home's record that wait for several people: the digest of
            each, how many said yes of how many it takes, until when, and whom each rule asks.
            Needs no passphrase.

            example: countersign approver pending
            """
    ) { invocation throws(CLIError) in
        let ledger = try invocation.workspace().openLedger()
        let now = SystemEnvironment().now()
        let (waiting, retired) = try CLIError.wrapping { () throws(LedgerError) in
            (try ledger.jointQuestions(at: now), try ledger.retiredApprovers())
        }
        let rows = waiting.map { item in
            let check = JointCheck(item.question, retired: retired, at: now)
            return (item, ApproverText.progress(item, check))
        }
        guard !invocation.console.isJSON else {
            let list: JSON = [
                "waiting": .array(
                    rows.map { item, progress in
                        [
                            "question": .string(Hex.encode(item.digest.span)),
                            "approved": .string(progress),
                            "expires": .string(item.question.binding.expires.utcText),
                            "asks": .array(item.question.demands.map { .string($0.text) }),
                        ]
                    })
            ]
            invocation.console.put(list.write())
            return .done
        }
        for (item, progress) in rows {
            let asks = item.question.demands.map { "\($0.rule): \($0.text)" }
            invocation.console.put(
                "\(Hex.encode(item.digest.span))  \(progress)  until "
                    + "\(item.question.binding.expires.utcText)  "
                    + asks.joined(separator: "; "))
        }
        if rows.isEmpty { invocation.console.note("nothing waits for approvers") }
        return .done
    }

    static let approverShow = Command(
        name: "approver show", options: [], operands: 1...1,
        usage: """
            usage: countersign approver show QUESTION

            Shows a question to several people whole, and the digest that an answer names. QUESTION
            is a file that "approver export" wrote, or the digest of one in this home's record.
            The words are those of the home that asks; what stands below them is read here.

            example: countersign approver show question.json
            """
    ) { invocation throws(CLIError) in
        let named = try NamedQuestion(
            try invocation.operand(0), in: try invocation.workspace())
        invocation.console.put(
            invocation.console.isJSON
                ? JointRecord.body(named.question)
                : ApproverText.whole(
                    named.question, named.digest, at: SystemEnvironment().now()))
        return .done
    }

    static let approverExport = Command(
        name: "approver export", options: [], operands: 1...1,
        usage: """
            usage: countersign approver export DIGEST

            Writes a question that waits here to standard output, for approvers on machines that do
            not share this record. It holds all that they are shown, and no secret.

            example: countersign approver export DIGEST > question.json
            """
    ) { invocation throws(CLIError) in
        let named = try NamedQuestion(
            try invocation.operand(0), in: try invocation.workspace())
        invocation.console.put(JointRecord.body(named.question))
        return .done
    }

    static let approverAnswer = Command(
        name: "approver answer",
        options: [Option(name: "--seen", value: "DIGEST"), Option(name: "--as", value: "NAME")],
        operands: 2...2,
        usage: """
            usage: countersign approver answer QUESTION yes|no --seen DIGEST [--as NAME]

            Answers a question with your approver key, after the passphrase of this home. DIGEST is
            what "approver show" wrote below the words: an answer counts for what was read. To a
            file the answer is written to standard output, for "approver deliver" in the home that
            asks; else it goes on record here. A no ends the question. --as names the key where
            several of this home are asked.

            example: countersign approver answer question.json yes --seen DIGEST > answer.json
            """
    ) { invocation throws(CLIError) in
        let word = try invocation.operand(1)
        guard word == "yes" || word == "no" else {
            throw .usage(
                "\"\(VisibleText.escaped(word))\" is no answer", hint: "say yes or no")
        }
        let seen = try invocation.arguments.required("--seen")
        let workspace = try invocation.workspace()
        let named = try NamedQuestion(try invocation.operand(0), in: workspace)
        guard NamedQuestion.digest(seen) == named.digest else {
            throw CLIError(
                "--seen names another question than this one",
                hint: "read it first: countersign approver show")
        }
        let now = SystemEnvironment().now()
        guard now <= named.question.binding.expires else { throw CLIError(JointFault.late) }
        let key = try approverKey(for: named.question, invocation, workspace)
        let passphrase = try invocation.passphrase().read(
            to: "say \(word) as the approver \"\(key.name)\"")
        try workspace.unlock(passphrase)
        let answer = try CLIError.wrapping { () throws(VaultError) in
            try key.answer(named.question, isYes: word == "yes", in: workspace.vault)
        }
        guard !named.isFile else {
            invocation.console.put(JointRecord.body(answer, to: named.digest))
            return .done
        }
        try await deliver(answer, to: named.digest, in: workspace)
        invocation.console.done(["answered": .string(word)], "answered: \(word)")
        return .done
    }

    static let approverDeliver = Command(
        name: "approver deliver", options: [], operands: 1...1,
        usage: """
            usage: countersign approver deliver FILE

            Hands an answer that "approver answer" wrote to the question of this home that it
            names. It is checked first: signature, question, approver, time, and that nobody
            answers twice. Needs no passphrase: the signature is what counts.

            example: countersign approver deliver answer.json
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        guard let read = JointRecord.answer(try Source.read(try invocation.operand(0))) else {
            throw CLIError(
                "this is no answer of an approver",
                hint: "give a file that \"approver answer\" wrote")
        }
        try await deliver(read.answer, to: read.digest, in: workspace)
        let word = read.answer.isYes ? "yes" : "no"
        invocation.console.done(["delivered": .string(word)], "delivered: \(word)")
        return .done
    }

    /// Puts an answer on record, or tells why it counts for nothing.
    private static func deliver(
        _ answer: JointAnswer, to digest: [UInt8], in workspace: Workspace
    ) async throws(CLIError) {
        let ledger = try workspace.openLedger()
        let fault: JointFault?
        do throws(LedgerError) {
            fault = try await ledger.answer(digest, answer, at: SystemEnvironment().now())
        } catch {
            throw CLIError(error)
        }
        if let fault { throw CLIError(fault) }
    }

    /// The key of this home that a question asks.
    private static func approverKey(
        for question: JointQuestion, _ invocation: Invocation, _ workspace: Workspace
    ) throws(CLIError) -> ApproverKey {
        let keys = try CLIError.wrapping { () throws(VaultError) in
            try workspace.vault.approverKeys()
        }
        let name = invocation.arguments.value("--as")
        let asked = keys.filter {
            question.name(of: $0.publicKey) != nil && (name == nil || $0.name == name)
        }
        guard let key = asked.first else {
            throw CLIError(
                "this home holds no key that the question asks",
                hint: "see \"countersign approver list\"")
        }
        guard asked.count == 1 else {
            throw .usage(
                "several keys of this home are asked", hint: "name one with --as NAME")
        }
        return key
    }
}

extension CLIError {
    /// Why an answer counts for nothing.
    fileprivate init(_ fault: JointFault) {
        let hint =
            switch fault {
            case .stranger, .ownRequest: "see the approvers of the rule in policy.toml"
            case .retired: "let the owner of the policy name your new key"
            case .unsigned: "answer the question that waits now"
            case .late, .gone: "let the request be sent again"
            case .repeated: "one answer of each person counts; the first stands"
            }
        self.init("the answer counts for nothing: \(fault.text)", hint: hint, status: .denied)
    }
}
