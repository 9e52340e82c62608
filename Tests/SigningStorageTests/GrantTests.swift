// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite("Grants on record")
struct GrantTests {
    let temporary: TemporaryHome
    let ledger: SQLiteLedger

    init() throws {
        temporary = try TemporaryHome()
        ledger = try temporary.makeLedger()
    }

    static let scope = Grant.Scope(
        client: "https://a.example/\"x\"", proof: .callback, key: KeyID("k"),
        protocolID: ProtocolID("nostr"), method: "sign_event",
        facts: [
            Fact("a", .integer(.max)), Fact("b", .bool(true)), Fact("c", .text("\u{E9}")),
            Fact("d", .bytes([0, 255])), Fact("e", .time(Timestamp(seconds: -1))),
            Fact("f", .list([.text("x"), .list([]), .integer(-5)])),
        ])

    static func grant(
        _ byte: UInt8 = 1, _ answer: Grant.Answer = .yes, expires: Int64? = 5_000
    ) -> Grant {
        Grant(
            id: [UInt8](repeating: byte, count: 8), answer: answer, scope: scope,
            dangers: [.opaque], created: Timestamp(seconds: 1_000),
            expires: expires.map { Timestamp(seconds: $0) }, login: nil, usesMax: 3)
    }

    func remember(_ sealed: SealedGrant) throws {
        let intent = makeIntent()
        try ledger.reserve(intent)
        try ledger.settle(
            intent.id, .done(resultDigests: [], remembers: [sealed]), at: Timestamp(seconds: 1_000))
    }

    @Test("are read back as they were written")
    func roundTrip() throws {
        let sealed = SealedGrant(Self.grant(), seal: [1, 2])
        try remember(sealed)
        #expect(try ledger.grants(for: [Self.scope]) == [sealed])
        #expect(try ledger.grants(for: []).isEmpty)
        #expect(GrantRecord.grant(GrantRecord.body(sealed.grant)) == sealed.grant)
        let hourly = Grant(
            id: sealed.grant.id, answer: .yes, scope: Self.scope, dangers: [],
            created: Timestamp(seconds: 1_000), expires: nil, login: nil, usesMax: 20, per: .hour)
        let body = GrantRecord.body(hourly)
        #expect(GrantRecord.grant(body) == hourly)
        #expect(GrantRecord.grant(body.replacing("hour", with: "year")) == nil)
        let other = Grant.Scope(
            client: Self.scope.client, proof: .claimed, key: Self.scope.key,
            protocolID: Self.scope.protocolID, method: Self.scope.method, facts: Self.scope.facts)
        #expect(try ledger.grants(for: [other]).isEmpty)
    }

    @Test("end when they are revoked, and an intent that relies on one is refused")
    func revoked() throws {
        let grant = Self.grant()
        try remember(SealedGrant(grant, seal: [1]))
        try ledger.reserve(makeIntent(grants: [grant], scopes: [Self.scope]))
        try ledger.revoke([grant.id, [9]], at: Timestamp(seconds: 1_001))
        #expect(try ledger.grants(for: [Self.scope]).isEmpty)
        #expect(throws: LedgerError.grantChanged) {
            try ledger.reserve(makeIntent(grants: [grant], scopes: [Self.scope]))
        }
        #expect(try ledger.allGrants().map(\.revoked) == [Timestamp(seconds: 1_001)])
    }

    @Test("a newer yes with limits replaces the older one, on record")
    func replaced() throws {
        let (older, newer) = (Self.grant(1), Self.grant(2))
        try remember(SealedGrant(older, seal: [1]))
        try remember(SealedGrant(newer, seal: [1]))
        #expect(try ledger.grants(for: [Self.scope]).map(\.grant) == [newer])
        #expect(try ledger.allGrants().map(\.revoked) == [Timestamp(seconds: 1_000), nil])
        // A yes that lasts longer stays, and a no replaces nothing.
        try remember(SealedGrant(Self.grant(3, expires: nil), seal: [1]))
        try remember(SealedGrant(Self.grant(4), seal: [1]))
        try remember(SealedGrant(Self.grant(5, .no), seal: []))
        #expect(try ledger.grants(for: [Self.scope]).map(\.grant.id[0]) == [3, 4, 5])
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("a shared counter is read back")
    func counter() {
        let grant = Grant(
            id: [UInt8](repeating: 1, count: 8), answer: .yes, scope: Self.scope, dangers: [],
            created: Timestamp(seconds: 1_000), expires: nil, login: nil, usesMax: 20, per: .hour,
            counter: "grants:x")
        #expect(GrantRecord.grant(GrantRecord.body(grant)) == grant)
    }

    @Test("that ended, or that were never there, carry no intent")
    func ended() throws {
        let grant = Self.grant()
        #expect(throws: LedgerError.grantChanged) {
            try ledger.reserve(makeIntent(grants: [grant], scopes: [Self.scope]))
        }
        try remember(SealedGrant(grant, seal: [1]))
        #expect(throws: LedgerError.grantChanged) {
            try ledger.reserve(makeIntent(at: 5_000, grants: [grant], scopes: [Self.scope]))
        }
        // The clock went back to a time before the grant expired.
        #expect(throws: LedgerError.grantChanged) {
            try ledger.reserve(makeIntent(at: 5_000))
            try ledger.reserve(makeIntent(at: 1_000, grants: [grant], scopes: [Self.scope]))
        }
    }

    @Test("a no that came up meanwhile stops requests judged earlier")
    func freshNo() throws {
        try ledger.reserve(makeIntent(scopes: [Self.scope]))
        try ledger.record(makeRefusal(remembers: [Self.grant(2, .no)]))
        #expect(throws: LedgerError.grantChanged) {
            try ledger.reserve(makeIntent(scopes: [Self.scope]))
        }
        #expect(throws: Never.self) { try ledger.reserve(makeIntent()) }
    }

    @Test(
        "forged, changed or restored ones are found by the audit",
        arguments: [
            "DELETE FROM grants", "UPDATE grants SET revoked = NULL",
            "UPDATE grants SET revoked = 1", "UPDATE grants SET seal = x'05'",
            "UPDATE grants SET scope_hash = x'05'", "UPDATE grants SET sequence = 1",
            """
            INSERT INTO grants SELECT x'07', sequence, scope_hash, body, seal, NULL FROM grants
            WHERE revoked IS NULL
            """,
        ])
    func tampering(_ edit: String) throws {
        try remember(SealedGrant(Self.grant(1, expires: nil), seal: [1]))
        try remember(SealedGrant(Self.grant(2), seal: [1]))
        try ledger.revoke([Self.grant(2).id], at: Timestamp(seconds: 1_001))
        #expect(try temporary.verifiedLedger().problem == nil)
        try temporary.editLedger(edit)
        #expect(try temporary.verifiedLedger().problem != nil)
    }
}

@Suite("The policy in force")
struct AttestedPolicyTests {
    let temporary: TemporaryHome
    let vault: Vault
    let ledger: SQLiteLedger

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        ledger = try temporary.makeLedger()
    }

    static let hash = [UInt8](repeating: 4, count: 32)

    @Test("needs the passphrase, and is the one attested last")
    func attesting() throws {
        #expect(try vault.attestedPolicy() == nil)
        vault.lock()
        #expect(throws: AttestingError.vault(.locked)) {
            try vault.attest(
                policy: [1], hash: Self.hash, at: Timestamp(seconds: 1), in: ledger)
        }
        try vault.unlock(passphrase: secret("pass"))
        try vault.attest(
            policy: [1], hash: Self.hash, at: Timestamp(seconds: 1), in: ledger)
        #expect(try vault.attestedPolicy()?.source == [1])
        #expect(try vault.isInForce(policyHash: Self.hash))
        try vault.attest(
            policy: [2], hash: [5], at: Timestamp(seconds: 2), in: ledger)
        #expect(try vault.attestedPolicy()?.source == [2])
        #expect(try !vault.isInForce(policyHash: Self.hash))
    }

    @Test(
        "opens no vault that another program changed",
        arguments: [
            "UPDATE policy SET source = x'05'", "UPDATE policy SET hash = x'05'",
            "UPDATE policy SET time = 5", "UPDATE policy SET seal = x'05'",
            "INSERT OR REPLACE INTO policy VALUES (1, x'01', x'02', 3, x'04', 1, x'05')",
            "DELETE FROM policy",
        ])
    func tampering(_ edit: String) throws {
        try vault.unlock(passphrase: secret("pass"))
        try vault.attest(
            policy: [1], hash: Self.hash, at: Timestamp(seconds: 1), in: ledger)
        vault.lock()
        try temporary.editVault(edit)
        #expect(throws: VaultError.corruptedRecord("attested policy")) {
            try vault.unlock(passphrase: secret("pass"))
        }
    }

    @Test("a grant's seal is this vault's and this grant's")
    func seals() throws {
        vault.lock()
        #expect(throws: KeyStoreError.locked) { try vault.seal([GrantTests.grant()]) }
        try vault.unlock(passphrase: secret("pass"))
        let sealed = try vault.seal([GrantTests.grant()])
        try vault.check(sealed)
        let forged = [
            SealedGrant(GrantTests.grant(2), seal: sealed[0].seal),
            SealedGrant(GrantTests.grant(), seal: []),
            SealedGrant(GrantTests.grant(expires: nil), seal: sealed[0].seal),
        ]
        for grant in forged {
            #expect(throws: KeyStoreError.forgedGrant(grant.grant.idText)) {
                try vault.check([grant])
            }
        }
        let no = try vault.seal([GrantTests.grant(3, .no)])
        #expect(throws: KeyStoreError.forgedGrant(no[0].grant.idText)) { try vault.check(no) }
    }
}
