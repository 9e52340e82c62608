// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import SigningCrypto
import SigningTesting
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningHome
@testable import SigningStorage
@testable import SigningVault

@Suite("An archived part of the record", .serialized)
struct ArchiveTests {
    let temporary: TemporaryHome
    let vault: Vault
    let ledger: SQLiteLedger
    private static let year: Int64 = 366 * 86_400
    /// A time long after the first uses, so that these are folded.
    static let now: Int64 = 1_000 + 2 * year
    private let grant: Grant
    private static let session = ClientConnection(
        id: [UInt8](repeating: 1, count: 16), protocolID: nostr,
        client: Client(id: "app", name: nil, proof: .claimed), network: "mainnet",
        key: KeyID("k"), address: "a.near", started: Timestamp(seconds: 1_000))
    private static let token = ReplayToken([7], isSingleUse: true)
    private static let serial = SerialUse(series: "s", number: 8)

    /// Old entries of each kind with rows that still count, and some new ones.
    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        ledger = try temporary.makeLedger()
        grant = GrantTests.grant(1, expires: nil)
        try vault.attest(
            policy: [1], hash: policyHash, at: Timestamp(seconds: 1_000), in: ledger)
        let sealed = try vault.seal([grant, GrantTests.grant(2, expires: nil)])
        try done(
            remembers: sealed,
            broadcast: Broadcast(
                network: "n", items: [Broadcast.Item(id: "item", sender: "a", bytes: [1])]))
        try done(sessions: [.opens(Self.session)])
        try ledger.revoke([sealed[1].grant.id], at: Timestamp(seconds: 1_001))
        for _ in 0..<3 { try done(claims: [.count(maximum: 99), .count("b", maximum: 99)]) }
        let unused = makeIntent(
            claims: [.count(maximum: 99)], token: ReplayToken([8], isSingleUse: true))
        try ledger.reserve(unused)
        try ledger.settle(unused.id, .notUsed(Reason(.keyUnavailable, "locked")), at: 1_000)
        try ledger.reserve(makeIntent(token: Self.token, serials: [Self.serial]))
        _ = try ledger.accept([5], at: Timestamp(seconds: 1_000))
        try ledger.freeze("pause", at: Timestamp(seconds: 1_002))
        try ledger.thaw(at: Timestamp(seconds: 1_003), signedBy: vault.openLogKey())
        for place in 0..<4 {
            try done(at: Self.now - 4 + Int64(place), claims: [.count(maximum: 99)])
        }
    }

    func done(
        at seconds: Int64 = 1_000, claims: [LimitClaim] = [], remembers: [SealedGrant] = [],
        sessions: [ConnectionChange] = [], broadcast: Broadcast? = nil
    ) throws {
        let intent = makeIntent(at: seconds, claims: claims)
        try ledger.reserve(intent)
        try ledger.settle(
            intent.id,
            .done(
                resultDigests: [[1]], remembers: remembers, connections: sessions,
                broadcast: broadcast), at: seconds)
    }

    private var checkpointer: Checkpointer {
        Checkpointer(
            vault: vault, ledger: ledger, environment: FixedEnvironment(seconds: Self.now))
    }

    @discardableResult
    func archive(until seconds: Int64 = now - 1) throws -> ArchivedSegment? {
        try RecordArchive(
            vault: vault, ledger: ledger, environment: FixedEnvironment(seconds: Self.now)
        ).archive(until: Timestamp(seconds: seconds))
    }

    func report() throws -> AuditReport {
        try AuditLog.open(temporary.home).verify(
            logPublicKey: vault.logPublicKey(), lastKnownCheckpoint: vault.lastCheckpoint())
    }

    var path: String { temporary.home.ledgerPath + ".archive-1" }
    var statePath: String { temporary.home.ledgerPath + ".state-1" }

    @Test("leaves limits unchanged, and is one chain with the later entries")
    func whole() throws {
        let before = try report()
        let windows: [LimitClaim] = [
            .count(window: nil), .count("b", window: nil), .count(window: 3),
            .count(window: Self.year),
        ]
        let used = try windows.map { try ledger.used($0, at: Self.now) }
        let unsent = try ledger.unsent()
        let segment = try #require(try archive())
        #expect(segment.first == 1 && segment.range == "1-\(segment.last)")
        #expect(try Home.status(of: path)?.mode == 0o600)
        let after = try report()
        #expect(after.problem == nil && after.unverified.isEmpty)
        #expect(after.entryCount == before.entryCount + 1)
        #expect(after.checkpointSequence == after.entryCount)
        #expect(after.unsettledCount == before.unsettledCount)
        #expect(try windows.map { try ledger.used($0, at: Self.now) } == used)
        #expect(used == [7, 3, 2, 4])
        #expect(try ledger.count("uses") == 6)
        #expect(try ledger.unsent() == unsent && unsent[0].signed == Timestamp(seconds: 1_000))
        #expect(try ledger.allConnections() == [Self.session])
        #expect(try ledger.grants(for: [grant.scope]).map(\.grant) == [grant])
        try checkpointer.check()
        for intent in [makeIntent(token: Self.token), makeIntent(serials: [Self.serial])] {
            #expect(throws: LedgerError.replayed) { try ledger.reserve(intent) }
        }
        #expect(try !ledger.accept([5], at: Timestamp(seconds: Self.now)))
        #expect(try ledger.latestTime() == Timestamp(seconds: Self.now - 1))
        // A window that is longer than the kept uses counts all uses.
        #expect(try ledger.used(.count(window: 3 * Self.year), at: Self.now) == 7)
        try ledger.reserve(makeIntent(grants: [grant], scopes: [grant.scope]))
    }

    @Test("is followed by others; their rows are read as one")
    func several() throws {
        var ends: [Int64] = []
        for round in 0..<3 {
            for _ in 0..<3 { try done(at: Self.now, claims: [.count(maximum: 99)]) }
            try ledger.record(makeRefusal(at: Self.now))
            let segment = try #require(try archive(until: Self.now))
            #expect(segment.number == Int64(round) + 1)
            #expect(segment.first == (ends.last ?? 0) + 1)
            ends.append(segment.last)
            #expect(try report().problem == nil)
        }
        #expect(try archive(until: Self.now - 100) == nil)
        #expect(try ledger.used(.count(window: nil), at: Self.now) == 16)
        // The newest intent stays, and only this one.
        #expect(try ledger.intentCount() == 1 && ledger.count("open_intents") == 0)
        try checkpointer.check()
        _ = try HomeRepair(vault: vault, ledger: ledger).repairVault(
            at: Timestamp(seconds: Self.now))
        #expect(try report().problem == nil)
    }

    @Test("that is missing or altered is named, and the rest examined without it")
    func missing() throws {
        let segment = try #require(try archive())
        let bytes = try Data(contentsOf: URL(filePath: path))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.removeItem(atPath: statePath)
        try done(at: Self.now, claims: [.count(maximum: 99)])
        #expect(try report().problem == nil)
        #expect(try report().unverified.map(\.error) == [.missing])
        #expect(
            try report().unverified.map(\.text) == [
                "entries 1-\(segment.last) are not verified: ledger.db.archive-1 is missing"
            ])
        var altered = bytes
        altered[bytes.count / 2] ^= 1
        try altered.write(to: URL(filePath: path))
        #expect(try report().unverified.map(\.error) == [.altered])
        #expect(throws: ArchiveError.self) { try archive(until: Self.now) }
        try temporary.editLedger(
            "UPDATE uses SET amount = '0' WHERE sequence = "
                + "(SELECT max(sequence) FROM uses)")
        let text = try #require(try report().problem?.text, "the rest was not examined")
        #expect(text.hasPrefix("table uses: a use of limit "))
        try temporary.editLedger(
            "UPDATE uses SET amount = '1' WHERE sequence = "
                + "(SELECT max(sequence) FROM uses)")
        try bytes.write(to: URL(filePath: path))
        #expect(try report().unverified.isEmpty && report().problem == nil)
    }

    static let edits = [
        "DELETE FROM uses WHERE sequence = (SELECT min(sequence) FROM uses)",
        "UPDATE uses SET total = zeroblob(24)"
            + " WHERE sequence = (SELECT min(sequence) FROM uses)",
        "DELETE FROM replay_tokens", "DELETE FROM serial_uses", "DELETE FROM accepted",
        "UPDATE grants SET revoked = NULL", "DELETE FROM grants WHERE revoked IS NULL",
        "UPDATE sessions SET key_id = 'other'", "DELETE FROM outbox",
        "UPDATE segments SET sha256 = zeroblob(32)", "DELETE FROM segments",
        "DELETE FROM audit WHERE sequence = 1",
        "UPDATE audit SET body = '{}' WHERE sequence = 1",
        "UPDATE meta SET value = '9' || value WHERE name = 'policy'",
        "INSERT INTO audit SELECT 2, time, kind, body, previous_hash, hash FROM audit"
            + " WHERE sequence = 1",
        "INSERT INTO open_intents SELECT x'01', max(sequence), 0 FROM audit",
    ]

    @Test(
        "is compared with the rows that it left, which are made again from the entries",
        arguments: edits)
    func edited(edit: String) throws {
        try archive()
        #expect(try report().problem == nil)
        let before = try ReplayCheck.rows(of: ledger.database)
        try temporary.editLedger("PRAGMA foreign_keys = OFF", edit)
        let problem = try #require(try report().problem, "\(edit)")
        // Entries and bytes for a network cannot be made again.
        let isLost = ["audit SET", "INTO audit", "FROM audit W"].contains { edit.contains($0) }
        #expect(HomeRepair.canRepairTables(of: temporary.home, vault) != isLost)
        #expect(try report().problem == problem)
        guard !isLost else {
            let edited = try ReplayCheck.rows(of: ledger.database)
            #expect(throws: LedgerError.self) {
                try HomeRepair.repairTables(
                    of: temporary.home, vault, at: Timestamp(seconds: Self.now))
            }
            #expect(try ReplayCheck.rows(of: ledger.database) == edited)
            return
        }
        _ = try HomeRepair.repairTables(
            of: temporary.home, vault, at: Timestamp(seconds: Self.now))
        // A transaction without bytes is given up by an entry.
        let isGivenUp = edit.contains("FROM outbox")
        var after = try ReplayCheck.rows(of: ledger.database)
        #expect(after["audit"]?.count == (before["audit"]?.count ?? 0) + (isGivenUp ? 2 : 1))
        after["audit"] = before["audit"]
        if isGivenUp { after["outbox"] = before["outbox"] }
        #expect(after == before)
        #expect(try ledger.allConnections() == [Self.session])
        #expect(try ledger.unsent().map(\.item.bytes) == (isGivenUp ? [] : [[1]]))
        try checkpointer.atExit()
        try checkpointer.check()
        #expect(try report().problem == nil)
    }

    @Test("is made of nothing that does not hold")
    func broken() throws {
        try temporary.editLedger(
            "UPDATE audit SET body = replace(body, 'a', 'b') WHERE sequence = 4")
        #expect(throws: CheckpointError.self) { try archive() }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("takes no place where another file is")
    func nameTaken() throws {
        let other = temporary.home.path + "/other"
        try Data("other".utf8).write(to: URL(filePath: other))
        let places: [() throws -> Void] = [
            { #expect(unsafe mkfifo(path, 0o600) == 0) },
            { #expect(unsafe symlink(other, path) == 0) },
            { #expect(unsafe mkdir(path, 0o700) == 0) },
            { try Data("something of somebody's".utf8).write(to: URL(filePath: path)) },
        ]
        for stand in places {
            try stand()
            #expect(throws: ArchiveError.nameTaken(file: "ledger.db.archive-1")) { try archive() }
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(try ledger.count("segments") == 0)
        // The partial file of a killed archiver is overwritten.
        let whole = try #require(try archive())
        let bytes = try Data(contentsOf: URL(filePath: path))
        let fresh = try ArchiveTests()
        try fresh.temporary.editLedger("DELETE FROM checkpoints")
        for count in [0, 30] {
            try bytes.prefix(count).write(to: URL(filePath: fresh.path))
        }
        #expect(try fresh.archive()?.last == whole.last)
        #expect(try fresh.report().problem == nil)
    }

    @Test("may hold a freeze: earlier judgements are refused, and nothing else")
    func frozenMeanwhile() throws {
        let freeze = try ledger.database.query { access throws(LedgerError) in
            try access.newestEntry(of: .freeze)
        }
        let frozen = try #require(freeze).sequence
        let segment = try #require(try archive())
        #expect(frozen < segment.last)
        var intent = makeIntent(at: Self.now)
        for place in [frozen, segment.last, try ledger.length().entries] {
            intent.judgedAt = RecordLength(entries: place - 1)
            if place == frozen {
                #expect(throws: LedgerError.frozen) { try ledger.reserve(intent) }
            } else {
                try ledger.reserve(intent)
                intent = makeIntent(at: Self.now)
            }
        }
    }

    @Test("is in a backup, and goes with a ledger that is put aside")
    func home() throws {
        try archive()
        let backup = temporary.home.path + "/a.backup"
        try Backup.create(
            of: temporary.home, vault, to: backup, passphrase: secret("pass"), parameters: .floor)
        let other = try TemporaryHome()
        try Backup.extract(backup, to: other.home, passphrase: secret("pass"))
        let restored = try other.openVault()
        let found = try AuditLog.open(other.home).verify(
            logPublicKey: restored.logPublicKey(),
            lastKnownCheckpoint: restored.lastCheckpoint())
        #expect(found.problem == nil && found.unverified.isEmpty)
        other.home.discard()
        #expect(!FileManager.default.fileExists(atPath: other.home.path))
        #expect(try temporary.home.setLedgerAside() == "ledger.db.1")
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(
            FileManager.default.fileExists(
                atPath: temporary.home.ledgerPath + ".1.archive-1"))
    }

    @Test("is there as a whole or not at all, whenever its maker is killed")
    func killed() throws {
        for _ in 0..<400 { try done(at: Self.now, claims: [.count(maximum: 9_999)]) }
        let used = try ledger.used(.count(window: nil), at: Self.now)
        var made = 0
        let first = try ProbeProcess(archiving: temporary.home)
        let start = ContinuousClock.now
        _ = first.finish()
        let step = (ContinuousClock.now - start) / 12
        // Later rounds take longer than the first: the record grows until it is archived.
        var round = 0
        while round < 16 || (made == 0 && round < 80) {
            defer { round += 1 }
            // An archive of more entries takes longer: later rounds add none.
            for _ in 0..<20 where round < 16 {
                try done(at: Self.now, claims: [.count(maximum: 9_999)])
            }
            let length = try ledger.length().entries
            let known = try ledger.database.read { access throws(LedgerError) in
                try access.segments().count
            }
            let probe = try ProbeProcess(archiving: temporary.home)
            let wait = (step * (round % 20 + round / 16 * 10)).components
            usleep(UInt32(wait.seconds * 1_000_000 + wait.attoseconds / 1_000_000_000_000))
            probe.kill()
            _ = probe.finish()
            let report = try report()
            #expect(report.problem == nil && report.unverified.isEmpty)
            let now = try ledger.database.read { access throws(LedgerError) in
                try access.segments().count
            }
            made += now - known
            #expect(report.entryCount == length + Int64(now - known))
        }
        #expect(try ledger.used(.count(window: nil), at: Self.now) == used + 16 * 20)
        for _ in 0..<2 { try done(at: Self.now) }
        #expect(try archive(until: .max) != nil)
        #expect(try report().problem == nil)
        #expect(made > 0)
    }
}
