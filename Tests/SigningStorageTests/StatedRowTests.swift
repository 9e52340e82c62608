// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningHome
@testable import SigningStorage
@testable import SigningVault

@Suite("Notes, drawn numbers and questions")
struct StatedRowTests {
    private let temporary: TemporaryHome
    private let vault: Vault
    private let ledger: SQLiteLedger
    private let key = Note.Subject.key(KeyID("k"))
    private let rig: JointRig

    init() async throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        ledger = try temporary.makeLedger()
        rig = try JointRig()
        try note([1, 2])
        _ = try await ledger.drawSerials(3, in: "s", above: 5, below: 99)
        let question = rig.question()
        #expect(try await ledger.put(question, at: rig.now))
        let yes = try rig.yes(rig.alice, question)
        #expect(
            try await ledger.answer(JointRecord.digest(of: question), yes, at: rig.now) == nil)
        try checkpoint()
    }

    private func note(_ detail: [UInt8]) throws {
        let intent = makeIntent()
        try ledger.reserve(intent)
        let notes = [Note(key, "list/3", 1, detail: detail), Note(key, "size", 9)]
        try ledger.settle(intent.id, .done(resultDigests: [], notes: notes), at: 1_000)
        try ledger.flush()
    }

    private func checkpoint() throws {
        try Checkpointer(vault: vault, ledger: ledger, environment: FixedEnvironment()).atExit()
    }

    private var problem: String? {
        get throws {
            try AuditLog.open(temporary.home).verify(
                logPublicKey: vault.logPublicKey(), lastKnownCheckpoint: vault.lastCheckpoint()
            ).problem?.text
        }
    }

    private func repair() throws {
        ReplayCheck.skip(temporary.home.ledgerPath)
        #expect(HomeRepair.canRepairTables(of: temporary.home, vault))
        _ = try HomeRepair.repairTables(of: temporary.home, vault, at: Timestamp(seconds: 2_000))
        #expect(try problem == nil)
    }

    @Test("are in entries: a note that stays as it is in none")
    func entries() throws {
        #expect(try problem == nil)
        let kinds = try AuditLog.open(temporary.home).entries(limit: 9).map(\.kind)
        #expect(Set(kinds) == ["intent", "result", "draw", "ask", "answer"])
        try note([1, 2])
        let result = try #require(try AuditLog.open(temporary.home).entries(limit: 1).first)
        #expect(result.kind == "result" && !result.body.contains("notes"))
        try note([3])
        let other = try #require(try AuditLog.open(temporary.home).entries(limit: 1).first)
        #expect(other.body.contains("list/3") && !other.body.contains("size"))
        #expect(try problem == nil)
    }

    @Test(
        "that were changed or removed are found, and are as before after a repair",
        arguments: [
            ("UPDATE notes SET value = 2 WHERE name = 'size'", "the note \"size\" about key k"),
            ("DELETE FROM notes WHERE name = 'size'", "the note \"size\" about key k"),
            ("INSERT INTO notes VALUES ('key k', 'x', 1, x'')", "the note \"x\" about key k"),
            ("UPDATE serials SET last = 3", "the last number of series \"s\""),
            ("DELETE FROM serials", "the last number of series \"s\""),
            ("UPDATE joint_questions SET expires = 1", "the question to several people"),
            ("UPDATE joint_questions SET intent_id = x'01'", "the question to several people"),
            ("UPDATE joint_answers SET yes = 0", "an answer to question"),
            ("DELETE FROM joint_answers", "an answer to question"),
        ])
    func found(edit: String, text: String) throws {
        let before = try ReplayCheck.rows(of: ledger.database)
        try temporary.editLedger(edit)
        #expect(try #require(try problem).contains(text))
        try repair()
        let after = try ReplayCheck.rows(of: ledger.database)
        for table in ["notes", "serials", "joint_questions", "joint_answers"] {
            #expect(after[table] == before[table], "\(table)")
        }
    }

    @Test("whose bytes are lost are named on record, and come back with the next request")
    func lost() throws {
        for edit in ["UPDATE notes SET detail = x'02'", "DELETE FROM notes"] {
            try temporary.editLedger(edit + " WHERE name = 'list/3'")
            #expect(try #require(try problem).contains("the note \"list/3\" about key k"))
            try repair()
            #expect(try ledger.noted("list/3", about: key) == Note(key, "list/3", 1))
            let entry = try #require(try AuditLog.open(temporary.home).entries(limit: 1).first)
            #expect(entry.body.contains("lost_texts"))
            try note([1, 2])
            #expect(try ledger.noted("list/3", about: key)?.detail == [1, 2])
            #expect(try problem == nil)
            try checkpoint()
        }
    }

    @Test("to several people without their text are withdrawn by the repair")
    func withdrawn() throws {
        try temporary.editLedger("UPDATE joint_questions SET body = '{}'")
        #expect(try #require(try problem).contains("the question to several people"))
        try repair()
        #expect(try ledger.count("joint_questions") == 0 && ledger.count("joint_answers") == 0)
    }

    private func move(_ table: String, _ body: () throws -> Void) throws {
        ReplayCheck.skip(temporary.home.ledgerPath)
        try temporary.editLedger(
            "CREATE TABLE z AS SELECT * FROM \(table)", "DELETE FROM \(table)")
        try body()
        try temporary.editLedger(
            "INSERT OR IGNORE INTO \(table) SELECT * FROM z", "DROP TABLE z")
    }

    private func reserve(_ approval: JointApproval? = nil) throws {
        var intent = makeIntent(token: ReplayToken([7], isSingleUse: false), tokenWasSeen: false)
        intent.approval = approval
        try ledger.reserve(intent)
    }

    /// The approval of a question on record, to which two approvers answered yes.
    private func approval() async throws -> JointApproval {
        let question = rig.question(nonce: 7)
        let digest = JointRecord.digest(of: question)
        #expect(try await ledger.put(question, at: rig.now))
        for key in [rig.alice, rig.bob] {
            let yes = try rig.yes(key, question)
            #expect(try await ledger.answer(digest, yes, at: rig.now) == nil)
        }
        return try rig.approval(of: question)
    }

    @Test("A token that a row did not show when the request was judged is found by verify")
    func token() throws {
        try reserve()
        #expect(throws: LedgerError.replayed) { try reserve() }
        try move("replay_tokens") { try reserve() }
        let length = try ledger.length().entries
        #expect(try problem == AuditProblem.repeated(sequence: length).text)
    }

    @Test("A yes of an approver whose key was retired is found by verify")
    func retired() async throws {
        let approval = try await approval()
        try await ledger.retireApprover(rig.bob.publicKey, at: rig.now)
        try move("retired_approvers") { try reserve(approval) }
        let length = try ledger.length().entries
        #expect(try problem == AuditProblem.unapproved(sequence: length).text)
    }

    @Test("A time that a false floor moved on is found by verify")
    func floor() throws {
        ReplayCheck.skip(temporary.home.ledgerPath)
        try temporary.editLedger("UPDATE meta SET value = value + 86400 WHERE name = 'floor'")
        try ledger.reserve(makeIntent())
        let length = try ledger.length().entries
        #expect(try problem == AuditProblem.untimely(sequence: length).text)
    }

    @Test("that were changed before the format was set back are not carried")
    func setBack() throws {
        ReplayCheck.skip(temporary.home.ledgerPath)
        try temporary.editLedger("UPDATE notes SET value = 0, detail = x'' WHERE name = 'list/3'")
        try temporary.setFormat(of: temporary.home.ledgerPath, to: 16)
        #expect(try temporary.home.bringUpToDate())
        #expect(try #require(try problem).contains("the note \"list/3\" about key k"))
        // A program that carries them anyway writes an entry that verify refuses.
        try SQLiteLedger.open(temporary.home).database.write { access throws(LedgerError) in
            try access.carryOlderRows()
        }
        let length = try ledger.length().entries
        #expect(try problem == AuditProblem.changed(sequence: length).text)
    }

    @Test("to several people that a request used, and that lost their text, keep the record")
    func usedText() async throws {
        try reserve(try await approval())
        try checkpoint()
        #expect(try problem == nil)
        try temporary.editLedger("DELETE FROM joint_questions")
        #expect(try #require(try problem).contains("the question to several people"))
        try repair()
        #expect(try ledger.count("open_intents") == 1)
    }

    @Test("that were used before are not drawn, and an answer after the end is refused, by verify")
    func rules() throws {
        let number = makeIntent(serials: [SerialUse(series: "s", number: 20)])
        try ledger.reserve(number)
        let length = try ledger.length().entries
        let draw = DrawEntry(series: "s", first: 19, count: 2)
        let digest = [UInt8](repeating: 9, count: 32)
        let answer = JointAnswer(publicKey: digest, isYes: true, signature: [1])
        for (entry, expected) in [
            (Entry.draw(draw), AuditProblem.repeated(sequence: length + 1)),
            (
                .answer(AnswerEntry(question: digest, answer: answer)),
                .changed(sequence: length + 1)
            ),
        ] {
            ReplayCheck.skip(temporary.home.ledgerPath)
            try ledger.database.write { access throws(LedgerError) in
                _ = try access.append(entry, at: Timestamp(seconds: 1_000))
            }
            #expect(try problem == expected.text)
            try temporary.editLedger("DELETE FROM audit WHERE sequence > \(length)")
        }
    }
}
