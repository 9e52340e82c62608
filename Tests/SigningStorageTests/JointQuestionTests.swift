// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCrypto
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

/// The homes of two people who ask and answer each other, with one ledger.
struct JointRig {
    let asking: TestHome
    let others: TestHome
    let alice: ApproverKey
    let bob: ApproverKey
    let carol: ApproverKey
    let now = Timestamp(seconds: 1_000)

    init() throws {
        asking = try TestHome([])
        others = try TestHome([])
        alice = try others.vault.makeApproverKey(named: "alice")
        bob = try others.vault.makeApproverKey(named: "bob")
        carol = try asking.vault.makeApproverKey(named: "carol")
    }

    var ledger: SQLiteLedger { asking.ledger }

    func question(
        _ text: String = "send 5 ALGO", nonce: UInt8 = 1, policy: [UInt8] = policyHash,
        minimum: Int = 2, mayApprove: Bool = false
    ) -> JointQuestion {
        let members = [alice, bob, carol].map {
            ApproverDemand.Member(name: $0.name, key: $0.publicKey)
        }
        return JointQuestion(
            binding: ApprovalBinding(
                nonce: [UInt8](repeating: nonce, count: 16),
                requestDigest: [UInt8](repeating: 1, count: 32), policyHash: policy,
                keys: [KeyID("k")], expires: Timestamp(seconds: 1_900)),
            text: text, totals: ["5000000 algorand/mainnet"],
            demands: [
                ApproverDemand(
                    rule: "pay", minimum: minimum, members: members,
                    submitterMayApprove: mayApprove)
            ], ownKeys: [carol.publicKey])
    }

    func yes(_ key: ApproverKey, _ question: JointQuestion) throws -> JointAnswer {
        let vault = key.name == "carol" ? asking.vault : others.vault
        return try key.answer(question, isYes: true, in: vault)
    }

    /// Puts a question on record and adds an answer; returns the error of the answer.
    func refusal(
        of answer: JointAnswer, to question: JointQuestion, at seconds: Int64 = 1_000
    ) async throws -> JointAnswerError? {
        let digest = JointRecord.digest(of: question)
        if try ledger.jointQuestion(digest) == nil {
            #expect(try await ledger.put(question, at: now))
        }
        return try await ledger.answer(digest, answer, at: Timestamp(seconds: seconds))
    }

    /// The error of a yes by a key.
    func refusal(ofYesBy key: ApproverKey, _ question: JointQuestion) async throws
        -> JointAnswerError?
    {
        let answer = try yes(key, question)
        return try await refusal(of: answer, to: question)
    }

    /// The reason that an intent is not reserved; nil if it is.
    func refusal(of intent: Intent) -> LedgerError? {
        do throws(LedgerError) {
            try ledger.reserve(intent)
            return nil
        } catch {
            return error
        }
    }

    /// Puts a question on record with the yes of alice and bob; returns the approval.
    func approved(_ question: JointQuestion) async throws -> JointApproval {
        for key in [alice, bob] { #expect(try await refusal(ofYesBy: key, question) == nil) }
        return try approval(of: question)
    }

    /// The approval with the yes of alice and bob.
    func approval(of question: JointQuestion) throws -> JointApproval {
        JointApproval(
            question, [try yes(alice, question), try yes(bob, question)],
            digest: JointRecord.digest(of: question))
    }
}

@Suite("Questions to several people")
struct JointQuestionTests {
    @Test("take the signed answer of each that is asked, once")
    func answers() async throws {
        let rig = try JointRig()
        let question = rig.question()
        #expect(try await rig.refusal(ofYesBy: rig.alice, question) == nil)
        #expect(
            try await rig.refusal(ofYesBy: rig.alice, question) == .repeated)
        let no = try rig.alice.answer(question, isYes: false, in: rig.others.vault)
        #expect(try await rig.refusal(of: no, to: question) == .repeated)
        let waiting = try #require(try rig.ledger.jointQuestions(at: rig.now).first)
        #expect(waiting.question == question && waiting.answers.count == 1)
        let check = JointCheck(question, retired: [], at: rig.now)
        #expect(question.state(of: waiting.answers, by: check) == .open(["alice"]))
        let bob = try rig.yes(rig.bob, question)
        guard case .approved(let yeses) = question.state(of: waiting.answers + [bob], by: check)
        else {
            Issue.record("it is not approved")
            return
        }
        #expect(Set(yeses.map(\.publicKey)) == [rig.alice.publicKey, rig.bob.publicKey])
    }

    @Test("count no person twice, however often the answer is there")
    func twice() throws {
        let rig = try JointRig()
        let question = rig.question()
        let alice = try rig.yes(rig.alice, question)
        let check = JointCheck(question, retired: [], at: rig.now)
        #expect(question.state(of: [alice, alice], by: check) == .open(["alice"]))
    }

    @Test("end with the no of one")
    func refused() throws {
        let rig = try JointRig()
        let question = rig.question()
        let answers = [
            try rig.yes(rig.alice, question),
            try rig.bob.answer(question, isYes: false, in: rig.others.vault),
        ]
        let check = JointCheck(question, retired: [], at: rig.now)
        #expect(question.state(of: answers, by: check) == .refused(by: "bob"))
    }

    @Test("end with a no, although no hub is there to withdraw them")
    func overWithNobodyThere() async throws {
        let rig = try JointRig()
        let question = rig.question()
        let no = try rig.bob.answer(question, isYes: false, in: rig.others.vault)
        #expect(try await rig.refusal(of: no, to: question) == nil)
        #expect(try rig.ledger.jointQuestions(at: rig.now).isEmpty)
        #expect(try await rig.refusal(ofYesBy: rig.alice, question) == .unknown)
        // The hub that asked reads the reason.
        let digest = JointRecord.digest(of: question)
        #expect(try rig.ledger.jointQuestion(digest)?.answers == [no])
    }

    @Test("refuse answers to another question, an earlier one, another policy, and other words")
    func replays() async throws {
        let rig = try JointRig()
        let question = rig.question()
        let others = [
            rig.question(nonce: 2), rig.question("send 50 ALGO"),
            rig.question(policy: [UInt8](repeating: 8, count: 32)), rig.question(minimum: 1),
        ]
        for other in others {
            let answer = try rig.yes(rig.alice, other)
            #expect(try await rig.refusal(of: answer, to: question) == .unsigned)
        }
        let yes = try rig.yes(rig.alice, question)
        let turned = JointAnswer(
            publicKey: yes.publicKey, isYes: false, signature: yes.signature)
        #expect(try await rig.refusal(of: turned, to: question) == .unsigned)
        let borrowed = JointAnswer(
            publicKey: rig.bob.publicKey, isYes: true, signature: yes.signature)
        #expect(try await rig.refusal(of: borrowed, to: question) == .unsigned)
        #expect(try rig.ledger.jointQuestions(at: rig.now).first?.answers.isEmpty == true)
        let gone = try await rig.ledger.answer([UInt8](repeating: 7, count: 32), yes, at: rig.now)
        #expect(gone == .unknown)
    }

    @Test("refuse strangers, retired approvers, the own home, and late answers")
    func wrongPeople() async throws {
        let rig = try JointRig()
        let question = rig.question()
        let eve = try rig.others.vault.makeApproverKey(named: "eve")
        #expect(try await rig.refusal(ofYesBy: eve, question) == .notAsked)
        #expect(try await rig.refusal(ofYesBy: rig.carol, question) == .ownRequest)
        let open = rig.question(nonce: 3, mayApprove: true)
        #expect(try await rig.refusal(ofYesBy: rig.carol, open) == nil)
        let bob = try rig.yes(rig.bob, question)
        #expect(try await rig.refusal(of: bob, to: question, at: 1_901) == .late)
        try await rig.ledger.retireApprover(rig.bob.publicKey, at: rig.now)
        #expect(try await rig.refusal(of: bob, to: question) == .retired)
        // A no from the home that asked counts, as it only denies.
        let no = try rig.carol.answer(question, isYes: false, in: rig.asking.vault)
        #expect(try await rig.refusal(of: no, to: question) == nil)
    }

    @Test("are used once, in time, and not after their approver was retired")
    func used() async throws {
        let rig = try JointRig()
        let question = rig.question()
        var intent = makeIntent()
        intent.approval = try await rig.approved(question)
        var late = makeIntent(at: 1_901)
        late.approval = intent.approval
        #expect(rig.refusal(of: late) == .policyChanged)
        #expect(rig.refusal(of: intent) == nil)
        var again = makeIntent()
        again.approval = intent.approval
        #expect(rig.refusal(of: again) == .replayed)
        #expect(try rig.ledger.jointQuestions(at: rig.now).isEmpty)
        let digest = JointRecord.digest(of: question)
        let bob = try rig.yes(rig.bob, question)
        #expect(try await rig.ledger.answer(digest, bob, at: rig.now) == .unknown)
        // A used answer stays on record and cannot be withdrawn.
        try await rig.ledger.withdraw(digest)
        #expect(try rig.ledger.jointQuestion(digest)?.question == question)

        let second = rig.question(nonce: 2)
        var retired = makeIntent()
        retired.approval = try await rig.approved(second)
        try await rig.ledger.retireApprover(rig.bob.publicKey, at: rig.now)
        #expect(rig.refusal(of: retired) == .policyChanged)
    }

    @Test("are in the intent, so that each signature can be checked again from the record")
    func recorded() async throws {
        let rig = try JointRig()
        let question = rig.question()
        var intent = makeIntent()
        intent.approval = try await rig.approved(question)
        #expect(rig.refusal(of: intent) == nil)
        let entry = try #require(try AuditLog.open(rig.asking.home).entries(limit: 1).first)
        let body = try JSON.parse(Array(entry.body.utf8).span)
        let approvers = try #require(body["approvers"])
        let yeses = try #require(approvers["yes"]?.list)
        #expect(Set(yeses.compactMap { $0["name"]?.text }) == ["alice", "bob"])
        for yes in yeses {
            let key = try Hex.decode(yes["key"]?.text ?? "")
            let statement = JointAnswer.statement(
                digest: try Hex.decode(approvers["question"]?.text ?? ""),
                policyHash: try Hex.decode(body["policy"]?.text ?? ""),
                expires: Timestamp(seconds: approvers["expires"]?.integerValue ?? 0),
                totals: approvers["totals"]?.list?.compactMap(\.text) ?? [], isYes: true, by: key,
                of: .request)
            let signature = try Hex.decode(yes["signature"]?.text ?? "")
            let isSigned = Signatures.isValidEd25519(
                signature: signature.span, message: statement.span, publicKey: key.span)
            #expect(isSigned)
        }
    }

    @Test("come with a receipt that is checked without the record")
    func receipt() async throws {
        let rig = try JointRig()
        let question = rig.question()
        var intent = makeIntent(rule: "pay", decidedBy: "approvers")
        intent.approval = try await rig.approved(question)
        #expect(rig.refusal(of: intent) == nil)
        let done = Settlement.done(resultDigests: [[1]])
        try await rig.ledger.settle(intent.id, done, at: rig.now)
        try rig.ledger.flush()
        let entries = try AuditLog.open(rig.asking.home).entries(limit: 2)
        let receipt = try rig.asking.vault.sealReceipt(of: entries[1], entries[0], question)
        let key = try rig.asking.vault.logPublicKey()
        let read = try #require(Receipt(Array(receipt.text.utf8)))
        #expect(read == receipt && read.problem(logPublicKey: key) == nil)
        #expect(read.problem(policy: (policyHash, question.demands)) == nil)
        #expect(read.problem(logPublicKey: policyHash) == "another log key signed it")
        let milder = rig.question(minimum: 1).demands
        #expect(read.problem(policy: (policyHash, milder)) == "the policy asks other approvers")
        let other = [UInt8](repeating: 8, count: 32)
        #expect(read.problem(policy: (other, [])) == "the request was judged by another policy")
        let vault = rig.asking.vault
        let missing = try vault.sealReceipt(of: entries[1], entries[0], nil)
        #expect(missing.problem() == "the approvers answered another question")
        let swapped = try vault.sealReceipt(of: entries[1], entries[0], rig.question(nonce: 4))
        #expect(swapped.problem() == "the approvers answered another question")
        let turned = try vault.sealReceipt(of: entries[0], nil, nil)
        #expect(turned.problem() == "the entry of the request does not match its hash")
        let changed = receipt.text.replacing("send 5 ALGO", with: "send 1 ALGO")
        let forged = try #require(Receipt(Array(changed.utf8)))
        #expect(forged.problem() == "the signature of the log key is wrong")
        for bad in ["", "{}", " " + receipt.text, String(receipt.text.dropLast())] {
            #expect(Receipt(Array(bad.utf8)) == nil)
        }
    }

    @Test("are bounded at any time, and can be withdrawn")
    func bounds() async throws {
        let rig = try JointRig()
        for number in 0..<SQLiteLedger.jointQuestionsMax {
            #expect(try await rig.ledger.put(rig.question("\(number)"), at: rig.now))
        }
        #expect(try await !rig.ledger.put(rig.question("one more"), at: rig.now))
        let first = rig.question("0")
        try await rig.ledger.withdraw(JointRecord.digest(of: first))
        #expect(try await rig.ledger.put(rig.question("one more"), at: rig.now))
        let late = Timestamp(seconds: 1_901)
        #expect(try rig.ledger.jointQuestions(at: late).isEmpty)
        #expect(try await rig.ledger.put(first, at: late))
    }

    @Test("leave room for those of other hubs, even if a hub's own places are full")
    func shares() async throws {
        let team = try Team(2)
        for ledger in team.ledgers { try ledger.catchUp() }
        let rig = try JointRig()
        let share = SQLiteLedger.jointQuestionsMax / 2
        for number in 0..<share {
            #expect(try await team[0].put(rig.question(nonce: UInt8(number)), at: rig.now))
        }
        let more = rig.question(nonce: 200)
        #expect(try await !team[0].put(more, at: rig.now))
        for number in 0..<share {
            let other = rig.question("of the other", nonce: UInt8(number))
            #expect(try await team[1].put(other, at: rig.now))
        }
        #expect(try await !team[1].put(rig.question(nonce: 201), at: rig.now))
        // A question that was withdrawn, denied or has expired frees its place.
        try await team[0].withdraw(JointRecord.digest(of: rig.question(nonce: 0)))
        #expect(try await team[0].put(more, at: rig.now))
        #expect(try await !team[0].put(rig.question(nonce: 202), at: rig.now))
        let late = Timestamp(seconds: 1_901)
        #expect(try await team[0].put(rig.question(nonce: 203), at: late))
    }

    @Test("go as files and come back the same; anything beside them is refused")
    func files() throws {
        let rig = try JointRig()
        let question = rig.question("a\u{202E}b\n\"c\"", mayApprove: true)
        let text = JointRecord.body(question)
        #expect(JointRecord.question(Array(text.utf8)) == question)
        #expect(JointRecord.question(Array((text + "\n").utf8)) == question)
        let answer = try rig.yes(rig.alice, question)
        let digest = JointRecord.digest(of: question)
        let written = JointRecord.body(answer, to: digest)
        let read = try #require(JointRecord.answer(Array(written.utf8)))
        #expect(read.answer == answer && read.digest == digest)
        for other in [
            text.replacing("{\"demands\"", with: "{\"aside\":1,\"demands\""),
            text.replacing("\"min\":2", with: "\"min\":\"2\""), String(text.dropLast()), "",
            text.replacing("countersign question v1", with: "countersign question v2"), written,
            " " + text,
        ] {
            #expect(JointRecord.question(Array(other.utf8)) == nil, "\(other.prefix(40))")
        }
        for other in [
            written.replacing("\"yes\"", with: "\"maybe\""), text,
            written.replacing("{\"answer\"", with: "{\"a\":1,\"answer\""),
        ] {
            #expect(JointRecord.answer(Array(other.utf8)) == nil, "\(other.prefix(40))")
        }
        let changed = text.replacing("\"within\":900", with: "\"within\":901")
        let other = try #require(JointRecord.question(Array(changed.utf8)))
        #expect(JointRecord.digest(of: other) != digest)
    }

    @Test("are skipped and counted where they were edited in the ledger")
    func edited() async throws {
        let rig = try JointRig()
        #expect(try await rig.ledger.put(rig.question(), at: rig.now))
        try rig.ledger.database.write { access throws(LedgerError) in
            try access.run("UPDATE joint_questions SET body = replace(body, '5 ALGO', '1 ALGO')")
        }
        #expect(try rig.ledger.jointQuestions(at: rig.now).isEmpty)
        #expect(try rig.ledger.impossibleQuestions(at: rig.now) == 1)
    }
}

@Suite("Approver keys")
struct ApproverKeyTests {
    @Test("have names of their own, open with the vault, and are gone once removed")
    func keys() throws {
        let rig = try JointRig()
        let vault = rig.others.vault
        #expect(try vault.approverKeys().map(\.name) == ["alice", "bob"])
        #expect(throws: VaultError.alreadyExists("bob")) {
            _ = try vault.makeApproverKey(named: "bob")
        }
        #expect(throws: VaultError.invalidName("no name")) {
            _ = try vault.makeApproverKey(named: "no name")
        }
        #expect(try vault.accounts().isEmpty)
        let question = rig.question()
        vault.lock()
        #expect(throws: VaultError.locked) { _ = try rig.yes(rig.alice, question) }
        try vault.unlock(passphrase: SecretBytes(copying: "pass".utf8.span))
        try vault.remove(rig.alice)
        #expect(try vault.approverKeys().map(\.name) == ["bob"])
    }
}
