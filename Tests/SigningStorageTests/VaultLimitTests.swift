// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import SigningTesting
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite("The vault's growing lists")
struct VaultLimitTests {
    let temporary: TemporaryHome
    let vault: Vault
    let ledger: SQLiteLedger

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        ledger = try temporary.makeLedger()
    }

    @Test("With more revocations than the vault lists, equally old ones do not count any more")
    func revoked() throws {
        let account = try vault.addNostr("alice", 1)
        let sealed = try vault.seal([
            GrantTests.grant(1, .yes, expires: nil),
            Grant(
                id: [UInt8](repeating: 3, count: 8), answer: .yes, scope: GrantTests.scope,
                dangers: [], created: Timestamp(seconds: 9_000), expires: nil, login: nil,
                usesMax: nil),
        ])
        let intent = makeIntent()
        try ledger.reserve(intent)
        try ledger.settle(
            intent.id, .done(resultDigests: [], remembers: sealed), at: Timestamp(seconds: 1_000))
        try ledger.record(makeRefusal(remembers: [GrantTests.grant(2, .no, expires: nil)]))
        func sign(on grant: SealedGrant) throws(KeyStoreError) {
            let operation = RequestedOperation(
                account: account, operation: .sign(TestDomains.note, "note"), facts: [],
                effects: [], dangers: [])
            _ = try vault.perform(
                SigningPermit(for: [operation], on: [grant], judgedBy: Self.noPolicy))
        }
        let checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: FixedEnvironment())
        try checkpointer.atExit()
        let last = try #require(try vault.lastCheckpoint())
        var revoked: [[UInt8]: Timestamp] = [:]
        for place in 1...RevokedAnswers.countMax {
            let id = [UInt8](repeating: 9, count: 6) + [UInt8(place >> 8), UInt8(place & 255)]
            revoked[id] = Timestamp(seconds: 4_000 + Int64(place))
        }
        try vault.keep(last, revoking: revoked)
        for grant in sealed { try sign(on: grant) }
        // One more revocation exceeds the limit, so all grants given by its time count as revoked.
        try vault.keep(last, revoking: [[8, 8, 8, 8, 8, 8, 8, 8]: Timestamp(seconds: 3_000)])
        #expect(throws: KeyStoreError.forgedGrant(sealed[0].grant.idText)) {
            try sign(on: sealed[0])
        }
        try sign(on: sealed[1])
        try ledger.record(makeRefusal())
        try checkpointer.atExit()
        #expect(try vault.damagedParts().isEmpty)
        let open = try ledger.allGrants().filter { $0.revoked == nil }.map(\.sealed.grant.answer)
        #expect(open == [.yes, .no])
        let entry = try #require(try AuditLog.open(temporary.home).entries(limit: 1).first)
        #expect(entry.kind == "revoke" && entry.body.contains("this answer is too old"))
        let report = try AuditLog.open(temporary.home).verify(
            logPublicKey: vault.logPublicKey(), lastKnownCheckpoint: vault.lastCheckpoint())
        #expect(report.problem == nil)
        try temporary.editVault("UPDATE revoked SET created = created - 1 WHERE id = x''")
        #expect(try vault.damagedParts() == ["revoked answers"])
    }

    @Test("A checkpoint is made although another part of the vault is damaged")
    func damaged() throws {
        try vault.addNostr("alice", 1)
        try ledger.record(makeRefusal())
        try temporary.editVault("UPDATE keys SET tags = 'other'")
        try Checkpointer(vault: vault, ledger: ledger, environment: FixedEnvironment()).atExit()
        #expect(try vault.lastCheckpoint()?.sequence == 1)
    }

    @Test("Of the records that repairs put aside the earliest go")
    func setAside() throws {
        let count = VaultRepair.setAsideMax
        try vault.addNostr("alice", 1)
        try temporary.editVault(
            """
            WITH RECURSIVE place(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM place WHERE n < 1000)
            INSERT INTO set_aside SELECT 'aside ' || n, name, protocol, algorithm, public_key,
                address, network, sealed, tags, members FROM place, keys
            """)
        try temporary.editVault("UPDATE keys SET sealed = zeroblob(60)")
        let repair = try HomeRepair(vault: vault, ledger: ledger).repairVault(
            at: Timestamp(seconds: 9_000))
        #expect(repair.setAside == ["alice"])
        let ids = try vault.database.read { access throws(VaultError) in
            try access.all("SELECT id FROM set_aside ORDER BY rowid") { row throws(VaultError) in
                try row.text(0)
            }
        }
        #expect(ids.count == Int(count) && ids.first == "aside 2")
        #expect(ids.last?.hasPrefix("aside") == false)
    }

    private static let noPolicy = [UInt8](repeating: 0, count: 32)
}
