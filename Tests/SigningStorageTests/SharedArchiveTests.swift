// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import SigningCore
import SigningCrypto
import SigningTesting
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite("An archived part of a shared record", .serialized)
struct SharedArchiveTests {
    private static let claim = LimitClaim.count(window: nil, maximum: 1_000)
    private static let now: Int64 = 1_000 + 500 * 86_400
    var team: Team
    let vault: Vault

    init() throws {
        team = try Team(2) { ledger in
            for _ in 0..<3 { try Self.done(ledger, at: 1_000) }
        }
        vault = try team.homes[0].makeVault()
        for place in 0..<6 { try Self.done(team[place % 2], at: 1_000 + Int64(place)) }
        for place in 0..<4 { try Self.done(team[place % 2], at: Self.now - 1) }
    }

    private static func done(_ ledger: SQLiteLedger, at seconds: Int64) throws {
        let intent = makeIntent(at: seconds, claims: [claim])
        try ledger.reserve(intent)
        try ledger.settle(intent.id, .done(resultDigests: [[1]]), at: seconds)
    }

    @discardableResult
    private func archive(until seconds: Int64 = now - 2) throws -> ArchivedSegment? {
        try RecordArchive(
            vault: vault, ledger: team[0], environment: FixedEnvironment(seconds: Self.now)
        ).archive(until: Timestamp(seconds: seconds))
    }

    @Test("is taken as the first batch of a newer format, with the rows that it carries")
    func firstOfFormat() throws {
        for (home, ledger) in zip(team.homes, team.ledgers) {
            try ledger.flush()
            try ledger.catchUp()
            ReplayCheck.skip(home.home.ledgerPath)
        }
        for ledger in team.ledgers {
            try ledger.database.writeLocally { access, _ throws(LedgerError) in
                try access.set(.format, to: Array("17".utf8))
            }
        }
        #expect(try archive() != nil)
        try team[1].catchUp()
        #expect(try team[1].count("segments") == 1)
        #expect(try team[0].sharedRows() == team[1].sharedRows())
    }

    private func file(_ place: Int, _ number: Int64 = 1) -> String {
        Home.segmentPath(number, of: team.homes[place].home.ledgerPath)
    }

    private func bytes(_ place: Int, _ number: Int64 = 1) -> Data? {
        FileManager.default.contents(atPath: file(place, number))
    }

    /// Whether a hub has the file with the state that the newest segment names.
    private func hasState(_ place: Int, _ number: Int64) throws -> Bool {
        let segment = try team[place].database.read { access throws(LedgerError) in
            try access.segments().last
        }
        let path = team.homes[place].home.ledgerPath
        return segment?.number == number && segment?.hasState(besides: path) == true
    }

    /// Expects that all copies are equal and complete, each with its own files.
    private func expectWhole(
        segments: Int64 = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for ledger in team.ledgers {
            try ledger.flush()
            try ledger.catchUp()
        }
        let first = try team[0].sharedRows()
        for (place, ledger) in team.ledgers.enumerated() {
            #expect(try ledger.sharedRows() == first, sourceLocation: sourceLocation)
            #expect(try ledger.count("segments") == segments, sourceLocation: sourceLocation)
            for number in 0..<segments {
                #expect(bytes(place, number + 1) != nil, sourceLocation: sourceLocation)
                #expect(
                    bytes(place, number + 1) == bytes(0, number + 1),
                    sourceLocation: sourceLocation)
            }
            #expect(try hasState(place, segments), sourceLocation: sourceLocation)
            let home = team.homes[place].home
            let report = try AuditLog.open(home).verify(
                logPublicKey: vault.logPublicKey(),
                lastKnownCheckpoint: place == 0 ? vault.lastCheckpoint() : firstCheckpoint())
            #expect(report.problem == nil, sourceLocation: sourceLocation)
            #expect(report.unverified.isEmpty, sourceLocation: sourceLocation)
            #expect(
                !FileManager.default.fileExists(
                    atPath: Home.segmentPartPath(of: home.ledgerPath)),
                sourceLocation: sourceLocation)
        }
    }

    private func firstCheckpoint() throws -> AuditCheckpoint {
        try vault.openLogKey().signCheckpoint(.empty, at: Timestamp(seconds: 0))
    }

    @Test("is made by every hub of its own rows, before they go")
    func everywhere() throws {
        let used = try team[1].used(Self.claim, at: Self.now)
        let segment = try #require(try archive())
        #expect(segment.first == 1)
        #expect(try team[1].count("segments") == 0)
        try team[1].catchUp()
        #expect(bytes(1) == bytes(0) && bytes(1)?.isEmpty == false)
        #expect(try Home.status(of: file(1))?.mode == 0o600)
        #expect(try team[1].used(Self.claim, at: Self.now) == used)
        #expect(try team[1].count("uses") < used)
        try expectWhole()
        for ledger in team.ledgers { try Self.done(ledger, at: Self.now) }
        try #require(try archive(until: Self.now) != nil)
        // The next request imports it, as it holds the turn anyway.
        try Self.done(team[1], at: Self.now)
        try expectWhole(segments: 2)
    }

    @Test("is replayed by a vault that had not seen the archived part")
    func checkpoints() throws {
        let other = try Vault.copied(from: team.homes[0], to: team.homes[1])
        let checkpointer = Checkpointer(
            vault: other, ledger: team[1], environment: FixedEnvironment(seconds: Self.now))
        try checkpointer.check()
        try checkpointer.atExit()
        let known = try #require(try other.lastCheckpoint()?.sequence)
        for _ in 0..<3 { try Self.done(team[0], at: Self.now) }
        let segment = try #require(try archive(until: Self.now))
        try team[1].catchUp()
        #expect(0 < known && known < segment.last)
        let good = try #require(bytes(1))
        // The check fails for a segment whose file is missing or changed.
        var altered = good
        altered[good.count - 5] ^= 1
        for wrong in [nil, altered] {
            try FileManager.default.removeItem(atPath: file(1))
            try wrong?.write(to: URL(filePath: file(1)))
            #expect(throws: LedgerError.self) { try checkpointer.check() }
            if wrong == nil { try good.write(to: URL(filePath: file(1))) }
        }
        try good.write(to: URL(filePath: file(1)))
        try checkpointer.check()
        try checkpointer.atExit()
        #expect(try #require(try other.lastCheckpoint()).sequence > segment.last)
    }

    @Test("is taken in with many batches, however little an answer holds", arguments: [1, 3, 256])
    func among(answerMax: Int) throws {
        for _ in 0..<4 { try Self.done(team[0], at: Self.now) }
        try archive()
        for _ in 0..<4 { try Self.done(team[0], at: Self.now) }
        try archive(until: Self.now)
        for _ in 0..<4 { try Self.done(team[0], at: Self.now) }
        team.log.setAnswerMax(answerMax)
        try Self.done(team[1], at: Self.now)
        try expectWhole(segments: 2)
    }

    @Test("counts where the answer got lost, and does not where it never arrived")
    func lostAnswers() throws {
        let before = team.log.batches.count
        team.log.fail(.lostBefore)
        #expect(throws: LedgerError.self) { try archive() }
        #expect(try team[0].count("segments") == 0 && team.log.batches.count == before)
        #expect(bytes(0) != nil)
        team.log.fail(.lostAfter)
        #expect(throws: LedgerError.self) { try archive() }
        #expect(try team[0].count("segments") == 0 && team.log.batches.count == before + 1)
        #expect(try archive() == nil)
        try expectWhole()
        // Files of the first attempt do not prevent another archive.
        try Self.done(team[0], at: Self.now)
        try expectWhole()
    }

    @Test("replaces the remains of one that was never put on record")
    func leftBehind() throws {
        team.log.fail(.lostBefore)
        #expect(throws: LedgerError.self) { try archive() }
        let old = try #require(bytes(0))
        // Another hub archives fewer entries under the same number.
        let other = RecordArchive(
            vault: try Vault.copied(from: team.homes[0], to: team.homes[1]), ledger: team[1],
            environment: FixedEnvironment(seconds: Self.now))
        try #require(try other.archive(until: Timestamp(seconds: 1_003)) != nil)
        try team[0].catchUp()
        #expect(bytes(0) != old && bytes(0) == bytes(1))
        try #require(try archive() != nil)
        try team[1].catchUp()
        #expect(bytes(1, 2) == bytes(0, 2))
        #expect(try team[0].sharedRows() == team[1].sharedRows())
    }

    @Test("is refused while another file is in its place, and taken in once that is gone")
    func nameTaken() throws {
        try Data("something of somebody's".utf8).write(to: URL(filePath: file(1)))
        let rows = try team[1].count("audit")
        try archive()
        for _ in 0..<2 {
            #expect {
                try team[1].catchUp()
            } throws: { error in
                "\(error)".contains("ledger.db.archive-1 is in the place")
                    && "\(error)".contains("move the file away")
            }
            #expect(throws: LedgerError.self) { try Self.done(team[1], at: Self.now) }
        }
        #expect(try team[1].count("audit") >= rows)
        #expect(try team[1].count("segments") == 0)
        try FileManager.default.removeItem(atPath: file(1))
        try Self.done(team[1], at: Self.now)
        try expectWhole()
    }

    @Test("is refused by a hub with different rows")
    func apart() throws {
        try team[1].catchUp()
        try team.homes[1].editLedger(
            "UPDATE audit SET body = replace(body, 'nip155', 'nip157') WHERE sequence = 1")
        try archive()
        let rows = try team[1].sharedRows()
        #expect {
            try team[1].catchUp()
        } throws: { error in
            "\(error)".contains("the two copies do not match")
                || "\(error)".contains("cannot be written")
        }
        #expect(try team[1].count("segments") == 0)
        #expect(try team[1].sharedRows() == rows)
        #expect(bytes(1) == nil)
        // The log still has the entries that this copy lost.
        #expect(try SQLiteLedger.rebuild(in: team.homes[1].home, by: .fixture) != nil)
        var mended = self
        mended.team.replace(1, with: try SQLiteLedger.open(team.homes[1].home), in: team.homes[1])
        try mended.expectWhole()
    }

    @Test("leaves rows that have to stay, even if a hub archives them")
    func greedy() throws {
        let open = makeIntent(at: Self.now, claims: [Self.claim])
        try team[0].reserve(open)
        try team[1].catchUp()
        let last = try team[0].length().entries
        let lies: [(inout ForgedSegment) -> Void] = [
            { $0.last = last }, { $0.first = 2 }, { $0.number = 2 }, { $0.number = 0 },
            { $0.folded = last - 3 }, { $0.folded = -1 }, { $0.headHash[0] ^= 1 },
            { $0.digest[0] ^= 1 }, { $0.byteCount += 1 }, { $0.isSigned = false },
        ]
        for lie in lies {
            let honest = team.log.batches
            let rows = try team[1].sharedRows()
            var forged = ForgedSegment()
            lie(&forged)
            try forge(forged)
            #expect(throws: LedgerError.self) { try team[1].catchUp() }
            #expect(throws: LedgerError.self) { try Self.done(team[1], at: Self.now) }
            #expect(try team[1].sharedRows() == rows)
            #expect(bytes(1) == nil)
            team.log.batches = honest
        }
        try #require(try archive() != nil)
        try expectWhole()
    }

    /// A segment as a dishonest hub claims it.
    private struct ForgedSegment {
        var number: Int64 = 1
        var first: Int64 = 1
        var last: Int64 = 6
        var folded: Int64 = 0
        var headHash: [UInt8] = []
        var digest: [UInt8] = []
        var byteCount: Int64 = 0
        var isSigned = true
        init() {
            headHash = Array(repeating: 0, count: 32)
            digest = headHash
        }
    }

    /// Records a segment with the first hub's keys that no honest program makes.
    private func forge(_ forged: ForgedSegment) throws {
        let key = try vault.openLogKey()
        let good = try #require(
            try team[0].database.query { access throws(LedgerError) in
                try access.entries(after: forged.last - 1, countMax: 1).first?.hash
            })
        var segment = ArchivedSegment(
            number: forged.number, first: forged.first, last: forged.last,
            headHash: zip(good, forged.headHash).map { $0 ^ $1 },
            foldedSequence: forged.folded, byteCount: forged.byteCount, digest: forged.digest)
        if forged.isSigned {
            segment.signature = try LogStatement.archive(segment: segment.message).signed(by: key)
        }
        let made = segment
        let logPublicKey = try vault.logPublicKey()
        let home = try team.copy(of: 0)
        ReplayCheck.skip(home.home.ledgerPath)
        let ledger = try SQLiteLedger.open(home.home)
        try ledger.database.write { access throws(LedgerError) in
            _ = try access.append(
                .archive(ArchiveEntry(segment: made, logPublicKey: logPublicKey)),
                at: Timestamp(seconds: Self.now))
        }
    }

    @Test("is there for hubs that come later, by a backup from before and from after")
    func laterHubs() throws {
        var team = self.team
        let before = try team.copy(of: 0)
        try archive()
        let old = try SQLiteLedger.open(before.home)
        try old.join(as: "hub-3", at: Timestamp(seconds: Self.now))
        #expect(
            FileManager.default.contents(atPath: Home.segmentPath(1, of: before.home.ledgerPath))
                == bytes(0))
        // A backup contains the file of the segment.
        let after = try team.copy(of: 0)
        try FileManager.default.copyItem(
            atPath: file(0), toPath: Home.segmentPath(1, of: after.home.ledgerPath))
        let new = try SQLiteLedger.open(after.home)
        try new.join(as: "hub-4", at: Timestamp(seconds: Self.now))
        try Self.done(new, at: Self.now)
        try Self.done(old, at: Self.now)
        team.replace(1, with: old, in: before)
        team.replace(0, with: new, in: after)
        for ledger in [old, new] { try ledger.catchUp() }
        #expect(try old.sharedRows() == new.sharedRows())
    }

    @Test("is made anew with the copy, and stays where the record goes on alone")
    func rebuilt() throws {
        try archive()
        try team[1].catchUp()
        let good = try #require(bytes(1))
        var altered = good
        altered[good.count / 2] ^= 1
        try altered.write(to: URL(filePath: file(1)))
        let home = team.homes[1]
        team.log.setAnswerMax(3)
        #expect(try SQLiteLedger.rebuild(in: home.home, by: .fixture) == "ledger.db.1")
        #expect(bytes(1) == good)
        var mended = self
        mended.team.replace(1, with: try SQLiteLedger.open(home.home), in: home)
        try mended.expectWhole()
        try mended.team[1].unshare(at: Timestamp(seconds: Self.now))
        let report = try AuditLog.open(home.home).verify(
            logPublicKey: vault.logPublicKey(), lastKnownCheckpoint: firstCheckpoint())
        #expect(report.problem == nil && report.unverified.isEmpty)
    }

    @Test("waits while another process writes it")
    func busy() throws {
        let part = Home.segmentPartPath(of: team.homes[1].home.ledgerPath)
        let descriptor = unsafe open(part, O_RDWR | O_CREAT, 0o600)
        try #require(flock(descriptor, LOCK_EX) == 0)
        try archive()
        #expect(throws: LedgerError.self) { try team[1].catchUp() }
        #expect(try team[1].count("segments") == 0)
        // The process was killed: its lock ends, and its partial file stays.
        #expect(unsafe write(descriptor, "rubbish", 7) == 7)
        close(descriptor)
        try team[1].catchUp()
        try expectWhole()
    }
}

extension Vault {
    /// The files that a backup brings to another hub.
    fileprivate static func copied(
        from home: TemporaryHome, to other: TemporaryHome
    ) throws -> Vault {
        let source = try Database<VaultError>(
            path: home.home.vaultPath, schema: .vault, .existing)
        try source.query { access throws(VaultError) in
            try access.run("VACUUM INTO ?", .text(other.home.vaultPath))
        }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: other.home.vaultPath)
        return try other.openVault()
    }
}
