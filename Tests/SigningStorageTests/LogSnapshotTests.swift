// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCore
import SigningCrypto
import SigningTesting
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite("A snapshot beside a shared log")
struct LogSnapshotTests {
    private static let claim = LimitClaim.count(maximum: 1_000)
    var team: Team

    init() throws {
        team = try Team(2) { try $0.reserve(makeIntent(claims: [Self.claim])) }
        for place in 0..<8 { try team[place % 2].reserve(makeIntent(claims: [Self.claim])) }
    }

    /// Makes a snapshot; afterwards every hub imports it and writes.
    @discardableResult
    private func keep(by place: Int = 0) throws -> LogSnapshot {
        let made = try team[place].keepSnapshot(at: sharingTime)
        for ledger in team.ledgers { try ledger.reserve(makeIntent(claims: [Self.claim])) }
        for ledger in team.ledgers { try ledger.catchUp() }
        return made
    }

    private mutating func rebuild(_ place: Int = 1, by trust: RecordTrust? = nil) throws {
        _ = try SQLiteLedger.rebuild(in: team.homes[place].home, by: trust ?? .fixture)
        team.replace(
            place, with: try SQLiteLedger.open(team.homes[place].home), in: team.homes[place])
    }

    private func expectNoRebuild(
        _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let rows = try team[1].sharedRows()
        #expect(sourceLocation: sourceLocation) {
            try SQLiteLedger.rebuild(in: team.homes[1].home, by: .fixture)
        } throws: { error in
            "\(error)".contains(text) && "\(error)".contains("join again")
        }
        // All rows were restored.
        #expect(try team[1].sharedRows() == rows, sourceLocation: sourceLocation)
        try team[1].reserve(makeIntent(claims: [Self.claim]))
    }

    @Test("makes a copy anew without the part of the log before it", arguments: [1, 256])
    mutating func cut(answerMax: Int) throws {
        let made = try keep()
        #expect(made.partCount == 1)
        let length = team.log.batches.count
        let cut = try team[0].cutLog(at: sharingTime)
        #expect(cut.batchCount == made.place.sequence)
        #expect(team.log.batches.count == length + 1 - Int(cut.batchCount))
        #expect(team.log.batches.first?.previous == made.place)
        for ledger in team.ledgers { try ledger.reserve(makeIntent(claims: [Self.claim])) }
        try team.homes[1].editLedger("DELETE FROM replay_tokens", "UPDATE uses SET amount = '0'")
        team.log.setAnswerMax(answerMax)
        try rebuild()
        try team[1].reserve(makeIntent(claims: [Self.claim]))
        #expect(try team[1].sharing()?.hub == 2)
        try team.expectOneTruth()
        // Earlier places are known, so that hubs can compare them.
        let line = try team[0].hubStatement()
        guard case .success(let heard) = try team[1].compare(with: line, at: sharingTime) else {
            Issue.record("hubs do not compare")
            return
        }
        #expect(heard.isConfirmed)
    }

    @Test("goes in as many parts as it needs")
    mutating func parts() throws {
        for place in 0..<12 {
            _ = try team[0].database.writeAll([keeping("\(place)", 200_000)])
        }
        let made = try keep()
        #expect(made.partCount > 2)
        _ = try team[1].cutLog(at: sharingTime)
        try rebuild()
        try team.expectOneTruth()
    }

    @Test("is the one that the record names, or none")
    func forged() throws {
        let made = try keep()
        let honest = team.log.parts
        try keep(by: 1)
        let both = team.log.parts
        _ = try team[0].cutLog(at: sharingTime)
        let newest = try #require(team.log.parts.keys.first)
        #expect(newest != made.place)
        let good = try #require(team.log.parts[newest])
        let first = try #require(good[0])
        var flipped = first
        flipped[first.count / 2] ^= 1
        var unfinished = first
        unfinished[4] = 0
        let old = try #require(honest[made.place]?[0])
        let lies: [(String, [LogPlace: [Int32: [UInt8]]])] = [
            ("lacks part 1", [newest: [1: first]]), ("not this team", [newest: [0: flipped]]),
            ("not this team", [newest: [0: unfinished]]), ("lacks part 1", [newest: [0: []]]),
            ("not this team", [newest: [0: old]]),
            (
                "not this team",
                [LogPlace(sequence: newest.sequence, hash: made.place.hash): [0: first]]
            ),
            ("no longer contains batch", [made.place: [0: old]]), ("no longer contains batch", [:]),
            ("lacks part 1", [newest: [0: first + Array(repeating: 0, count: 2 << 20)]]),
        ]
        for (text, parts) in lies {
            team.log.parts = parts
            if text == "not this team" {
                #expect {
                    try SQLiteLedger.rebuild(in: team.homes[1].home, by: .fixture)
                } throws: { "\($0)".contains(text) }
            } else {
                try expectNoRebuild(text)
            }
        }
        team.log.parts = both
        var mended = self
        try mended.rebuild()
        try mended.team.expectOneTruth()
    }

    @Test("made with the team's key, but not on record, is refused")
    func unrecorded() throws {
        let made = try keep()
        _ = try team[0].cutLog(at: sharingTime)
        // A stolen hub deletes the uses of limits.
        let home = try team.copy(of: 0)
        try home.editLedger("DELETE FROM uses", "DELETE FROM replay_tokens")
        let identity = try #require(
            try team[0].database.query { access throws(LedgerError) in try access.logIdentity() })
        let other = try Database<LedgerError>(
            path: home.home.ledgerPath, schema: .ledger, .existing)
        let text = try other.read { access throws(LedgerError) in
            var found: [UInt8] = []
            try WholeContent.read(access) { found = $0 }
            return found
        }
        let part = try identity.part(text, at: 0, of: made.place, isLast: true)
        team.log.parts[made.place] = [0: part.bytes]
        #expect {
            try SQLiteLedger.rebuild(in: team.homes[1].home, by: .fixture)
        } throws: { error in
            "\(error)".contains("is not the one on record")
                || "\(error)".contains("leads to other rows here")
        }
        #expect(try team[1].used(Self.claim, at: 1_000) > 0)
    }

    @Test("after entries that a hub has not seen is refused")
    func unseen() throws {
        let older = try team.copy(of: 1)
        try team[0].reserve(makeIntent())
        try keep()
        _ = try team[0].cutLog(at: sharingTime)
        let restored = try SQLiteLedger.open(older.home)
        for attempt in 0..<2 {
            #expect {
                if attempt == 0 {
                    try restored.catchUp()
                } else {
                    try restored.reserve(makeIntent())
                }
            } throws: { error in
                "\(error)".contains("was cut") && "\(error)".contains("join again")
            }
        }
        #expect {
            try SQLiteLedger.rebuild(in: older.home, by: .fixture)
        } throws: { "\($0)".contains("was cut") }
        #expect {
            try restored.join(as: "late", at: sharingTime)
        } throws: { "\($0)".contains("was cut") }
        try team.expectOneTruth()
    }

    @Test("is cut in front of only where every hub in use has passed it, or was retired")
    func notPassed() throws {
        #expect { try team[0].cutLog(at: sharingTime) } throws: { error in
            "\(error)".contains("make one first")
        }
        _ = try team[0].keepSnapshot(at: sharingTime)
        let length = team.log.batches.count
        try team[0].reserve(makeIntent())
        #expect { try team[0].cutLog(at: sharingTime) } throws: { error in
            "\(error)".contains("these hubs have not written") && "\(error)".contains("hub-2")
        }
        #expect(team.log.batches.count == length + 1)
        try team[0].retire(hub: 2, at: sharingTime)
        #expect(try team[0].cutLog(at: sharingTime).batchCount > 0)
        // An older snapshot serves if all hubs have passed it, and not the newer one.
        let alone = try Team(2)
        let passed = try alone[0].keepSnapshot(at: sharingTime)
        try alone[1].reserve(makeIntent())
        _ = try alone[0].keepSnapshot(at: sharingTime)
        #expect(try alone[0].cutLog(at: sharingTime).snapshot == passed)
        #expect(alone.log.parts.count == 2)
        try alone.expectOneTruth()
    }

    @Test("is after the archived part, whose files stay in their places")
    mutating func archived() throws {
        let vault = try team.homes[0].makeVault()
        for place in 0..<4 {
            let intent = makeIntent(at: 1_010, claims: [Self.claim])
            try team[place % 2].reserve(intent)
            try team[place % 2].settle(intent.id, .done(resultDigests: [[1]]), at: 1_010)
        }
        let archive = RecordArchive(
            vault: vault, ledger: team[0],
            environment: FixedEnvironment(seconds: 1_010 + 4_000))
        try #require(try archive.archive(until: Timestamp(seconds: 1_005)) != nil)
        try team[1].reserve(makeIntent(at: 6_000))
        try keep()
        _ = try team[0].cutLog(at: Timestamp(seconds: 6_000))
        try rebuild(by: vault.recordTrust())
        for ledger in team.ledgers { try ledger.catchUp() }
        #expect(try team[0].sharedRows() == team[1].sharedRows())
        for home in team.homes {
            let report = try AuditLog.open(home.home).verify(
                logPublicKey: vault.logPublicKey(),
                lastKnownCheckpoint: vault.openLogKey().signCheckpoint(
                    .empty, at: Timestamp(seconds: 0)))
            #expect(report.problem == nil && report.unverified.isEmpty)
        }
    }

    @Test(
        "by a broken-in hub is compared with the record",
        arguments: [
            "DELETE FROM retired_approvers", "UPDATE uses SET amount = '0'",
            "UPDATE joint_questions SET intent_id = NULL",
        ])
    mutating func lying(edit: String) async throws {
        let vault = try team.homes[0].makeVault()
        let rig = try JointRig()
        let question = rig.question(minimum: 1)
        let digest = JointRecord.digest(of: question)
        #expect(try await team[0].put(question, at: sharingTime))
        let yes = try rig.yes(rig.alice, question)
        #expect(try await team[1].answer(digest, yes, at: sharingTime) == nil)
        try team[0].catchUp()
        var intent = makeIntent()
        intent.approval = JointApproval(question, [yes], digest: digest)
        try team[0].reserve(intent)
        try await team[0].retireApprover([1], at: sharingTime)
        for ledger in team.ledgers { try ledger.flush() }
        try team.homes[0].editLedger(edit)
        try keep()
        #expect {
            _ = try team[0].cutLog(at: sharingTime)
            _ = try SQLiteLedger.rebuild(in: team.homes[1].home, by: vault.recordTrust())
        } throws: { "\($0)".contains("broken into") }
        #expect(try team[1].retiredApprovers() == [[1]])
        // With the whole log, a rebuild does not trust the snapshot.
        let whole = try Team(2)
        try await whole[0].retireApprover([1], at: sharingTime)
        try whole[1].catchUp()
        try whole.homes[0].editLedger("DELETE FROM retired_approvers")
        _ = try whole[0].keepSnapshot(at: sharingTime)
        try whole[1].reserve(makeIntent())
        let home = whole.homes[1].home
        #expect(try SQLiteLedger.rebuild(in: home, by: .fixture) != nil)
        #expect(try SQLiteLedger.open(home).retiredApprovers() == [[1]])
    }

    @Test("by a broken-in hub leaves out nothing that archived entries led to")
    mutating func lyingAboutArchive() throws {
        let vault = try team.homes[0].makeVault()
        let accepted = [UInt8](repeating: 9, count: 32)
        #expect(try team[0].accept(accepted, at: sharingTime))
        try team[1].catchUp()
        let archive = RecordArchive(
            vault: vault, ledger: team[0],
            environment: FixedEnvironment(seconds: 1_010 + 4_000))
        try #require(try archive.archive(until: Timestamp(seconds: 1_005)) != nil)
        try team[1].reserve(makeIntent(at: 6_000))
        // The hub that rebuilds its copy has no archive file, and the other one a row less.
        for name in [Home.segmentName(1), Home.stateName(1)] {
            try FileManager.default.removeItem(atPath: "\(team.homes[1].home.path)/\(name)")
        }
        try team.homes[0].editLedger("DELETE FROM accepted")
        for home in team.homes { ReplayCheck.skip(home.home.ledgerPath) }
        try keep()
        _ = try team[0].cutLog(at: Timestamp(seconds: 6_000))
        #expect {
            _ = try SQLiteLedger.rebuild(in: team.homes[1].home, by: vault.recordTrust())
        } throws: { "\($0)".contains("broken into") }
        #expect(try team[1].count("accepted") == 1)
    }

    @Test("that is cut off while it is made, or not put on record, counts for nothing")
    func cutOff() throws {
        team.log.fail(.lostBefore)
        #expect(throws: LedgerError.self) { try team[0].keepSnapshot(at: sharingTime) }
        for ledger in team.ledgers { try ledger.reserve(makeIntent(claims: [Self.claim])) }
        #expect(throws: LedgerError.self) { try team[0].cutLog(at: sharingTime) }
        team.log.fail(.lostAfter)
        #expect(throws: LedgerError.self) { try team[0].keepSnapshot(at: sharingTime) }
        for ledger in team.ledgers { try ledger.reserve(makeIntent(claims: [Self.claim])) }
        // The snapshot is on record anyway, and complete.
        try #require(try team[1].cutLog(at: sharingTime).batchCount > 0)
        var mended = self
        try mended.rebuild()
        try mended.team.expectOneTruth()
    }
}
