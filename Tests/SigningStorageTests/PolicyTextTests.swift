// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import SigningTesting
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningHome
@testable import SigningStorage
@testable import SigningVault

@Suite("The texts of attested policies")
struct PolicyTextTests {
    private static let otherHash = policyHash.map { $0 ^ 1 }

    let temporary: TemporaryHome
    let vault: Vault
    let ledger: SQLiteLedger

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        ledger = try temporary.makeLedger()
        try attest([1])
        try attest([2], Self.otherHash)
        try attest([3])
        try Checkpointer(vault: vault, ledger: ledger, environment: FixedEnvironment()).atExit()
    }

    private func attest(_ text: [UInt8], _ hash: [UInt8] = policyHash) throws {
        try vault.attest(policy: text, hash: hash, at: Timestamp(seconds: 1_000), in: ledger)
    }

    private var policies: [RecordedPolicy] {
        get throws { try AuditLog.open(temporary.home).policies().policies }
    }

    private var texts: [[UInt8]?] {
        get throws {
            let log = try AuditLog.open(temporary.home)
            return try log.policies().policies.map { try log.text(of: $0) }
        }
    }

    private var problem: String? {
        get throws {
            try AuditLog.open(temporary.home).verify(
                logPublicKey: vault.logPublicKey(), lastKnownCheckpoint: vault.lastCheckpoint()
            ).problem?.text
        }
    }

    @Test("are all kept, named by the entries")
    func kept() throws {
        let found = try policies
        #expect(try texts == [[1], [2], [3]])
        #expect(found.map(\.sequence) == [1, 2, 3])
        #expect(found.map(\.hash) == [policyHash, Self.otherHash, policyHash])
        #expect(found.allSatisfy { $0.isNamed && $0.approvers.isEmpty })
        #expect(found[0].textDigest == Digest.sha256(([1] as [UInt8]).span))
        #expect(try problem == nil)
        // The same text needs no second copy.
        try attest([1])
        #expect(try texts == [[1], [2], [3], [1]])
        #expect(try problem == nil)
    }

    @Test("are not kept if they are too long")
    func long() throws {
        try attest([UInt8](repeating: 9, count: PolicyText.bytesMax))
        try attest([UInt8](repeating: 9, count: PolicyText.bytesMax + 1))
        let found = try policies
        #expect(try texts[3]?.count == PolicyText.bytesMax && found[3].isKept)
        #expect(try texts[4] == nil && !found[4].isKept && found[4].textDigest == nil)
        #expect(try ledger.policyText(signedBy: vault.logPublicKey()) == nil)
        #expect(try problem == nil)
    }

    @Test("are listed although their entries are archived, unless the file is missing")
    func archived() throws {
        let archive = RecordArchive(
            vault: vault, ledger: ledger, environment: FixedEnvironment(seconds: 9_000))
        let made = try #require(try archive.archive(until: Timestamp(seconds: 8_000)))
        #expect(try texts == [[1], [2], [3]])
        #expect(try problem == nil)
        let file = Home.segmentPath(made.number, of: temporary.home.ledgerPath)
        try Home.move(file, to: file + ".away")
        let history = try AuditLog.open(temporary.home).policies()
        #expect(history.policies.map(\.sequence) == [3])
        #expect(history.unread.map(\.segment.number) == [made.number])
        try Home.move(file + ".away", to: file)
    }

    @Test(
        "that were changed or lost are noticed, and the repair names what is lost",
        arguments: [
            (
                "UPDATE blobs SET bytes = x'07' WHERE bytes = x'01'",
                "table blobs: the text of the policy is not as entry 1 says", [nil, [2], [3]]
            ),
            (
                "DELETE FROM blobs WHERE bytes = x'02'",
                "table blobs: the text of the policy is missing, which entry 2 is about",
                [[1], nil, [3]]
            ),
            // The vault has the text of the policy in force.
            (
                "DELETE FROM blobs WHERE bytes = x'03'",
                "table blobs: the text of the policy is missing, which entry 3 is about",
                [[1], [2], [3]]
            ),
            (
                "INSERT INTO blobs VALUES (x'00', x'')",
                "table blobs: a text is in no entry of the log", [[1], [2], [3]]
            ),
            (
                "DELETE FROM policies WHERE sequence = 2",
                "table policies: the text of the policy that entry 2 put in force is missing, "
                    + "which entry 2 is about", [[1], [2], [3]]
            ),
            (
                "UPDATE policies SET sha256 = x'01' WHERE sequence = 1",
                "table policies: the text of the policy that entry 1 put in force is not as "
                    + "entry 1 says", [[1], [2], [3]]
            ),
        ] as [(String, String, [[UInt8]?])])
    func damaged(edit: String, text: String, left: [[UInt8]?]) throws {
        try temporary.editLedger(edit)
        #expect(try problem == text)
        #expect(HomeRepair.canRepairTables(of: temporary.home, vault))
        _ = try HomeRepair.repairTables(of: temporary.home, vault, at: Timestamp(seconds: 2_000))
        #expect(try problem == nil)
        #expect(try texts == left)
        let entry = try #require(try AuditLog.open(temporary.home).entries(limit: 1).first)
        #expect(entry.body.contains("lost_texts") == left.contains(nil))
    }

    @Test(
        "are carried only for entries that put a policy in force and name none",
        arguments: [1, 9])
    func carried(sequence: Int64) throws {
        try ledger.database.write { access throws(LedgerError) in
            let text = CarryEntry.PolicyText(
                sequence: sequence, digest: [UInt8](repeating: 1, count: 32))
            _ = try access.append(
                .carry(CarryEntry(policies: [text])), at: Timestamp(seconds: 1_000))
        }
        #expect(try problem == "entry 4 was changed")
    }
}

@Suite("The policy text of formats up to 15")
struct OlderPolicyTextTests {
    private static let source = Array("version = 1\n".utf8)
    private static let older = Schema(
        file: Schema.ledger.file, applicationID: Schema.ledger.applicationID,
        migrations: Array(Schema.ledger.migrations.prefix(15)),
        conversions: Schema.ledger.conversions)

    /// Makes a ledger of the previous format whose newest policy entry names no text.
    ///
    /// `mark` makes it one that other hubs share.
    private static func makeOlder(
        _ home: Home, by key: borrowing Ed25519Key, textOf sequence: Int64 = 1, mark: Bool = false
    ) throws {
        try home.makeFile(home.ledgerPath)
        let database = try Database<LedgerError>(path: home.ledgerPath, schema: older, .new)
        let statement = LogStatement.attest(policyHash: policyHash, .none, after: .empty)
        let attest = AttestEntry(policyHash: policyHash, signature: try statement.signed(by: key))
        try database.write { access throws(LedgerError) in
            _ = try access.append(.attest(attest), at: Timestamp(seconds: 1_000))
            try access.run(
                "INSERT INTO policy_text VALUES (1, ?, ?)", .integer(sequence), .bytes(source))
            if mark { try access.set(.mark, to: [1]) }
        }
    }

    private static func entries(_ home: Home) throws -> [AuditEntry] {
        try Database<LedgerError>(path: home.ledgerPath, schema: .ledger, .asFound)
            .read { access throws(LedgerError) in try access.entries(after: 0, countMax: 9) }
    }

    @Test("goes on record, and the entries before stay as they are")
    func carried() throws {
        let temporary = try TemporaryHome()
        let vault = try temporary.makeVault()
        try Self.makeOlder(temporary.home, by: vault.openLogKey())
        let before = try Self.entries(temporary.home)
        #expect(try temporary.home.bringUpToDate())
        let after = try Self.entries(temporary.home)
        #expect(after.dropLast() == before[...] && after.last?.kind == "carry")
        let ledger = try SQLiteLedger.open(temporary.home)
        let key = try vault.logPublicKey()
        #expect(try ledger.policyText(signedBy: key)?.source == Self.source)
        let log = try AuditLog.open(temporary.home)
        let policy = try #require(try log.policies().policies.first)
        #expect(try log.text(of: policy) == Self.source)
        #expect(policy.isKept && !policy.isNamed && policy.textDigest != nil)
        try Checkpointer(vault: vault, ledger: ledger, environment: FixedEnvironment()).atExit()
        let report = try log.verify(
            logPublicKey: key, lastKnownCheckpoint: vault.lastCheckpoint())
        #expect(report.problem == nil && report.entryCount == 2)
    }

    @Test("is left out if it is of another entry, and stays in a ledger that is shared")
    func left() throws {
        let key = try Ed25519Key(seed: secret(of: 5))
        let foreign = try TemporaryHome()
        try Self.makeOlder(foreign.home, by: key, textOf: 7)
        try foreign.home.bringUpToDate()
        #expect(try Self.entries(foreign.home).count == 1)
        let shared = try TemporaryHome()
        ReplayCheck.skip(shared.home.ledgerPath)
        try Self.makeOlder(shared.home, by: key, mark: true)
        try shared.home.bringUpToDate()
        #expect(try Self.entries(shared.home).count == 1)
        let ledger = try SQLiteLedger.open(shared.home)
        #expect(try ledger.policyText(signedBy: key.publicKey)?.source == Self.source)
    }

    @Test("goes on record once, or the file stays as it was, if processes are killed")
    func killed() throws {
        let key = try Ed25519Key(seed: secret(of: 5))
        for _ in 0..<6 {
            let temporary = try TemporaryHome()
            try Self.makeOlder(temporary.home, by: key)
            let probes = try (0..<4).map { _ in
                try ProbeProcess(temporary.home, maximum: 9, requests: 0)
            }
            for probe in probes.prefix(3) { probe.kill() }
            for probe in probes { _ = probe.finish() }
            _ = try temporary.home.bringUpToDate()
            #expect(try Self.entries(temporary.home).map(\.kind) == ["attest", "carry"])
            #expect(try temporary.verifiedLedger().problem == nil)
        }
    }

    @Test("reaches other hubs, and the first that writes puts it on record for all")
    func shared() throws {
        let team = try Team(2)
        let key = try Ed25519Key(seed: secret(of: 5))
        try Self.attestAsOlder(team, key)
        for ledger in team.ledgers {
            #expect(try ledger.policyText(signedBy: key.publicKey)?.source == Self.source)
        }
        try team[1].freeze("lost", at: sharingTime)
        try team[0].catchUp()
        for ledger in team.ledgers {
            #expect(try ledger.policyText(signedBy: key.publicKey)?.source == Self.source)
            let (kinds, hasTable) = try ledger.read { access throws(LedgerError) in
                (
                    try access.entries(of: .carry, after: 0, upTo: .max).count,
                    try access.exists(
                        "SELECT 1 FROM sqlite_schema WHERE name = ?", .text(Schema.olderTable))
                )
            }
            #expect(kinds == 1 && !hasTable)
        }
        try team.expectOneTruth()
    }

    /// Puts a policy in force whose entry names no text, which each hub has in the older table.
    private static func attestAsOlder(_ team: Team, _ key: borrowing Ed25519Key) throws {
        try team[0].catchUp()
        let head = try team[0].read { access throws(LedgerError) in try access.auditHead() }
        let statement = LogStatement.attest(policyHash: policyHash, .none, after: head)
        let attest = AttestEntry(policyHash: policyHash, signature: try statement.signed(by: key))
        let entry = try team[0].database.write { access throws(LedgerError) in
            try access.append(.attest(attest), at: sharingTime)
        }
        try team[1].catchUp()
        for ledger in team.ledgers {
            try ledger.database.writeLocally { access, _ throws(LedgerError) in
                try access.run(
                    """
                    CREATE TABLE policy_text (
                        id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                        sequence INTEGER NOT NULL,
                        source BLOB NOT NULL
                    ) STRICT
                    """)
                try access.run(
                    "INSERT INTO policy_text VALUES (1, ?, ?)", .integer(entry.sequence),
                    .bytes(source))
            }
        }
    }
}
