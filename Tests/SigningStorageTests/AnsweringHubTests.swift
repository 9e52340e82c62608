// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCrypto
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite("A hub that answers questions alone")
struct AnsweringHubTests {
    private let rig: JointRig
    private let team: Team
    private let place: TemporaryHome
    /// The copy of the ledger at the invited hub.
    private let invited: SQLiteLedger
    private static let code = [UInt8](repeating: 7, count: 32)

    init() throws {
        rig = try JointRig()
        team = try Team(2)
        place = try TemporaryHome()
        let invitation = try Self.invite("alice", in: team)
        let folder = Home(path: place.home.path + "/teams-1")
        try SQLiteLedger.accept(
            invitation, sealedBy: SecretBytes(copying: Self.code.span), in: folder)
        invited = try SQLiteLedger.open(folder)
    }

    private static func invite(_ name: String, in team: Team) throws -> [UInt8] {
        try team[0].invite(
            name, vouchedBy: try RecordTrust.fixture.logPublicKey, at: sharingTime,
            sealedBy: SecretBytes(copying: code.span))
    }

    private func taken(_ ledger: SQLiteLedger) -> String? {
        do { try ledger.catchUp() } catch LedgerError.corruptLog(let text) { return text } catch {
            return "\(error)"
        }
        return nil
    }

    /// Forges a change as an ordinary hub, like a modified program.
    private func forge(_ entry: Entry, _ named: NamedBytes = .none) throws {
        let folder = Home(path: place.home.path + "/teams-1")
        let copy = try Database<LedgerError>(
            path: folder.ledgerPath, schema: .ledger, .existing)
        try copy.write { access throws(LedgerError) in
            try access.run("UPDATE hubs SET answers_only = 0")
        }
        try invited.database.write { access throws(LedgerError) in
            _ = try access.append(entry, at: rig.now, named)
        }
        try copy.write { access throws(LedgerError) in
            try access.run("UPDATE hubs SET answers_only = 1 WHERE number = 3")
        }
    }

    @Test("sees waiting questions, and its approver's answer counts for the team")
    func answers() async throws {
        let question = rig.question()
        let digest = JointRecord.digest(of: question)
        #expect(try await team[0].put(question, at: rig.now))
        try invited.catchUp()
        #expect(try invited.jointQuestions(at: rig.now).map(\.digest) == [digest])
        for key in [rig.alice, rig.bob] {
            let yes = try rig.yes(key, question)
            #expect(try await invited.answer(digest, yes, at: rig.now) == nil)
        }
        #expect(taken(team[0]) == nil)
        var intent = makeIntent()
        intent.approval = try rig.approval(of: question)
        try team[0].reserve(intent)
        try team.expectOneTruth()
        try invited.catchUp()
        #expect(try invited.sharedRows() == team[1].sharedRows())
        let hubs = try team[1].hubs()
        #expect(hubs.map(\.answersOnly) == [false, false, true])
        #expect(hubs.map(\.isInUse) == [true, true, false])
    }

    @Test("does nothing else")
    func nothingElse() async throws {
        for attempt in 0..<5 {
            let error = await #expect(throws: LedgerError.self) {
                switch attempt {
                case 0: try invited.reserve(makeIntent())
                case 1: try invited.freeze("a", at: rig.now)
                case 2: _ = try await invited.put(rig.question(), at: rig.now)
                case 3: try await invited.retireApprover([1], at: rig.now)
                default: try invited.retire(hub: 1, at: rig.now)
                }
            }
            #expect("\(try #require(error))".contains("answers questions"), "\(attempt)")
        }
        #expect(throws: LedgerError.self) {
            try invited.invite(
                "bob", vouchedBy: [UInt8](repeating: 1, count: 32), at: rig.now,
                sealedBy: SecretBytes(copying: Self.code.span))
        }
        try team.expectOneTruth()
    }

    @Test(
        "is not believed when it writes other entries",
        arguments: [
            Entry.freeze(FreezeEntry(reason: "x")), .approver(.retires([1])), .withdraw([[1]]),
            .hub(HubEntry(.retire, HubKey(number: 1, publicKey: policyHash), named: "hub-1")),
            .draw(DrawEntry(series: "s", first: 1, count: 1)),
        ])
    func forged(entry: Entry) async throws {
        #expect(try await team[0].put(rig.question(), at: rig.now))
        try invited.catchUp()
        try forge(entry)
        #expect(taken(team[0])?.contains("may only answer questions") == true)
        #expect(taken(team[1]) != nil)
        let waiting = try team[0].jointQuestions(at: rig.now)
        #expect(waiting.count == 1 && waiting[0].answers.isEmpty)
    }

    @Test("brings in no answer that counts for nothing")
    func forgedAnswers() async throws {
        let question = rig.question()
        let digest = JointRecord.digest(of: question)
        let yes = try rig.yes(rig.alice, question)
        let own = try rig.yes(rig.carol, question)
        let lies: [([UInt8], [UInt8], Int64, [UInt8])] = [
            (digest, yes.publicKey, 0, yes.signature),
            (digest, rig.bob.publicKey, 1, yes.signature),
            (digest, own.publicKey, 1, own.signature),
            (digest, [UInt8](repeating: 9, count: 32), 0, yes.signature),
            ([UInt8](repeating: 9, count: 32), yes.publicKey, 1, yes.signature),
        ]
        for lie in lies {
            let test = try AnsweringHubTests()
            #expect(try await test.team[0].put(question, at: rig.now))
            try test.invited.catchUp()
            let answer = JointAnswer(
                publicKey: lie.1, isYes: lie.2 != 0, signature: lie.3)
            try test.forge(.answer(AnswerEntry(question: lie.0, answer: answer)))
            #expect(test.taken(test.team[0])?.contains("is not valid") == true)
            #expect(try test.team[0].jointQuestions(at: rig.now).first?.answers == [])
        }
    }

    @Test("is retired like any other, and holds nothing up")
    func retired() async throws {
        _ = try team[0].keepSnapshot(at: sharingTime)
        for ledger in team.ledgers { try ledger.reserve(makeIntent()) }
        for ledger in team.ledgers { try ledger.catchUp() }
        // The hub wrote nothing since, but the log can be cut.
        #expect(try team[0].cutLog(at: sharingTime).batchCount > 0)
        let question = rig.question()
        let digest = JointRecord.digest(of: question)
        #expect(try await team[0].put(question, at: rig.now))
        try team[0].retire(hub: 3, at: sharingTime)
        let first = try rig.yes(rig.alice, question)
        await #expect(throws: LedgerError.self) {
            try await invited.answer(digest, first, at: rig.now)
        }
        let later = try Self.accepted(Self.invite("alice", in: team))
        #expect(try later.ledger.sharing()?.hub == 4)
        let yes = try rig.yes(rig.alice, question)
        #expect(try await later.ledger.answer(digest, yes, at: rig.now) == nil)
        try team[0].catchUp()
        try team[0].retire(hub: 4, at: sharingTime)
        let more = try rig.yes(rig.bob, question)
        await #expect(throws: LedgerError.self) {
            try await later.ledger.answer(digest, more, at: rig.now)
        }
    }

    @Test("stops no hub by its statement about the log")
    func comparing() throws {
        let line = try invited.hubStatement()
        #expect(
            try team[0].compare(with: line, at: sharingTime) == .failure(.answersOnly("alice")))
        #expect(try team[0].comparedHubs().isEmpty)
    }

    @Test("that was taken back, or of a record that is here, is not joined")
    func takenBack() throws {
        let invitation = try Self.invite("bob", in: team)
        let known = try #require(try team[0].sharing()?.ledger)
        let folder = Home(path: place.home.path + "/other")
        #expect {
            try SQLiteLedger.accept(
                invitation, sealedBy: SecretBytes(copying: Self.code.span), besides: [known],
                in: folder)
        } throws: { "\($0)".contains("already") }
        try team[0].retire(hub: 4, at: sharingTime)
        #expect {
            try SQLiteLedger.accept(
                invitation, sealedBy: SecretBytes(copying: Self.code.span), in: folder)
        } throws: { "\($0)".contains("no longer valid") }
        let left = try FileManager.default.contentsOfDirectory(atPath: place.home.path)
        #expect(left == ["teams-1"])
    }

    private static func accepted(
        _ invitation: [UInt8], by code: [UInt8] = code, at address: String? = nil
    ) throws -> (ledger: SQLiteLedger, place: TemporaryHome) {
        let place = try TemporaryHome()
        let folder = Home(path: place.home.path + "/team")
        try SQLiteLedger.accept(
            invitation, sealedBy: SecretBytes(copying: code.span), at: address, in: folder)
        return (try SQLiteLedger.open(folder), place)
    }

    @Test("comes of an invitation that is whole, opened with its code, and of this log")
    func invitations() throws {
        let good = try Self.invite("bob", in: team)
        var code = Self.code
        code[3] ^= 1
        #expect(throws: LedgerError.self) { try Self.accepted(good, by: code) }
        #expect(throws: LedgerError.self) { try Self.accepted(good, by: []) }
        for place in stride(from: 0, to: good.count, by: 7) {
            var changed = good
            changed[place] ^= 0x10
            #expect(throws: LedgerError.self) { try Self.accepted(changed) }
        }
        #expect(throws: LedgerError.self) { try Self.accepted(Array(good.dropLast())) }
        #expect(throws: LedgerError.self) { try Self.accepted([]) }
        #expect(throws: LedgerError.self) {
            try Self.accepted(good + [UInt8](repeating: 0, count: 10_000))
        }
        // Another log, an unreachable log, and a log that is shorter than the invitation says.
        let other = try Team(1)
        #expect(throws: LedgerError.self) { try Self.accepted(good, at: other.log.address) }
        #expect(throws: LedgerError.self) { try Self.accepted(good, at: "memory:none") }
        let batches = team.log.batches
        team.log.batches = Array(batches.dropLast())
        #expect(throws: LedgerError.self) { try Self.accepted(good) }
        team.log.batches = batches
        let accepted = try Self.accepted(good)
        #expect(try accepted.ledger.sharing()?.hub == 4)
        #expect(throws: LedgerError.self) { try Self.invite("bob", in: team) }
        #expect(throws: LedgerError.self) { try Self.invite("b b", in: team) }
        #expect(throws: LedgerError.self) {
            let alone = try TemporaryHome().makeLedger()
            _ = try alone.invite(
                "bob", vouchedBy: [], at: sharingTime,
                sealedBy: SecretBytes(copying: Self.code.span))
        }
    }

    @Test("holds a snapshot against the record, as any hub does")
    func snapshot() async throws {
        try await team[0].retireApprover([1], at: sharingTime)
        for ledger in team.ledgers { try ledger.flush() }
        try team.homes[0].editLedger("DELETE FROM retired_approvers")
        _ = try team[0].keepSnapshot(at: sharingTime)
        for ledger in team.ledgers { try ledger.reserve(makeIntent()) }
        for ledger in team.ledgers { try ledger.catchUp() }
        let invitation = try Self.invite("bob", in: team)
        // The whole log is available, so the hub reads the entry in it.
        let accepted = try Self.accepted(invitation)
        #expect(try accepted.ledger.retiredApprovers() == [[1]])
        _ = try team[0].cutLog(at: sharingTime)
        #expect {
            _ = try Self.accepted(invitation)
        } throws: { "\($0)".contains("broken into") }
    }
}
