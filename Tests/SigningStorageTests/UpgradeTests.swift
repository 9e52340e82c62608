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

@Suite("A home of an earlier format")
struct UpgradeTests {
    let temporary: TemporaryHome
    let account: Account

    /// Creates a vault and a ledger in the previous format, with a key and a policy.
    init() throws {
        temporary = try TemporaryHome()
        let home = temporary.home
        let vaultKey = VaultKey()
        let seed = secret(of: 5)
        let logKey = try Ed25519Key(seed: secret(of: 5))
        let publicKey = logKey.publicKey
        let sealedLogKey = try vaultKey.seal(
            seed, label: RecordLabel(logPublicKey: publicKey, version: 1))
        let account = Account(
            id: KeyID("0123"), name: "alice", protocolID: nostr, algorithm: .bip340,
            publicKey: try Secp256k1Key(secret: secret(of: 1)).publicKey, address: "a",
            network: nil)
        self.account = account
        let sealed = try vaultKey.seal(secret(of: 1), label: RecordLabel(account))
        let header = try VaultHeader(
            sealing: vaultKey, passphrase: secret("pass"), parameters: .floor)
        let checkpoint = try logKey.signCheckpoint(.empty, at: Timestamp(seconds: 1))
        let policy = AttestedPolicy(
            [7], policyHash, Timestamp(seconds: 2),
            AuditHead(sequence: 0, time: Timestamp(seconds: 2), hash: []), sealedBy: vaultKey)
        let codes = vaultKey.authenticationCode(of: [account])
        try home.makeFile(home.vaultPath)
        let old = Schema(
            file: Schema.vault.file, applicationID: Schema.vault.applicationID,
            migrations: Array(Schema.vault.migrations.prefix(5)))
        let database = try Database<VaultError>(path: home.vaultPath, schema: old, .new)
        try database.write { access throws(VaultError) in
            try header.write(in: access)
            try access.run(
                "INSERT INTO log_key (id, public_key, sealed) VALUES (1, ?, ?)",
                .bytes(publicKey), .bytes(sealedLogKey))
            try access.write(checkpoint)
            try access.insert(account, sealed)
            try access.run("INSERT INTO account_list (id, seal) VALUES (1, ?)", .bytes(codes))
            try access.run("INSERT INTO settings VALUES ('a', 'b')")
            try access.run(
                "INSERT INTO policy (id, source, hash, time, seal) VALUES (1, ?, ?, 2, ?)",
                .bytes(policy.source), .bytes(policy.hash), .bytes(policy.seal))
        }
        try Self.makeOldLedger(home)
    }

    private static func makeOldLedger(_ home: Home) throws {
        try home.makeFile(home.ledgerPath)
        let old = Schema(
            file: Schema.ledger.file, applicationID: Schema.ledger.applicationID,
            migrations: Array(Schema.ledger.migrations.prefix(4)))
        let database = try Database<LedgerError>(path: home.ledgerPath, schema: old, .new)
        let hash = policyHash.map { _ in "09" }.joined()
        let body = #"{"clock":2,"kind":"attest","policy":"\#(hash)","time":2}"#
        let entry = AuditChain.hash(after: AuditChain.origin, sequence: 1, body: Array(body.utf8))
        try database.write { access throws(LedgerError) in
            try access.run(
                "INSERT INTO audit VALUES (1, 2, 'attest', ?, ?, ?)", .text(body),
                .bytes(AuditChain.origin), .bytes(entry))
        }
    }

    @Test("opens, is sealed as one from then on, and its policy is bound to its entry")
    func upgrade() throws {
        #expect(throws: VaultError.olderFormat(found: 5, supported: 10)) {
            try temporary.openVault()
        }
        #expect(try temporary.home.bringUpToDate())
        #expect(try !temporary.home.bringUpToDate())
        let vault = try temporary.openVault()
        #expect(try vault.damagedParts().isEmpty)
        #expect(try vault.setting("a") == "b")
        let ledger = try SQLiteLedger.open(temporary.home)
        // The previous version made a checkpoint with each attested policy.
        let head = try ledger.database.read { access throws(LedgerError) in
            try access.auditHead()
        }
        try vault.keep(vault.signCheckpoint(head, at: Timestamp(seconds: 3)))
        let checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: FixedEnvironment())
        try checkpointer.check()
        #expect(try vault.attestedPolicy()?.sequence == 1)
        try checkpointer.atExit()
        _ = try vault.perform((account, .sign(TestDomains.note, "note")))
        #expect(
            try AuditLog.open(temporary.home).verify(
                logPublicKey: vault.logPublicKey(), lastKnownCheckpoint: vault.lastCheckpoint()
            ).problem == nil)
        // A vault that was upgraded is not accepted as old again.
        try temporary.editVault("DELETE FROM state")
        #expect(throws: VaultError.corruptedRecord("vault state")) {
            try temporary.openVault()
        }
    }

    @Test(
        "is not sealed anew where it was edited",
        arguments: [
            ("UPDATE policy SET hash = x'01'", "attested policy"),
            ("UPDATE keys SET tags = 'a'", "account list"),
            ("UPDATE last_checkpoint SET sequence = 1", "last checkpoint"),
        ])
    func edited(edit: String, name: String) throws {
        try temporary.home.bringUpToDate()
        try temporary.editVault(edit)
        #expect(throws: VaultError.corruptedRecord(name)) { try temporary.openVault() }
    }
}

@Suite("A ledger of the version before")
struct LedgerUpgradeTests {
    @Test("keeps every replay token, and gives back those of intents that are settled later")
    func replayTokens() throws {
        let temporary = try TemporaryHome()
        let home = temporary.home
        ReplayCheck.skip(home.ledgerPath)
        try home.makeFile(home.ledgerPath)
        let old = Schema(
            file: Schema.ledger.file, applicationID: Schema.ledger.applicationID,
            migrations: Array(Schema.ledger.migrations.prefix(12)),
            conversions: Schema.ledger.conversions)
        let intents = (1...2).map { byte in
            makeIntent(token: ReplayToken([UInt8(byte)], isSingleUse: true))
        }
        do {
            let database = try Database<LedgerError>(path: home.ledgerPath, schema: old, .new)
            try database.write { access throws(LedgerError) in
                for (place, intent) in intents.enumerated() {
                    let sequence = Int64(place) + 1
                    let head = try access.auditHead()
                    let body = intent.draft.body(at: intent.time, used: [])
                    try access.insert(
                        AuditEntry(
                            sequence: sequence, time: intent.time, kind: "intent",
                            body: String(decoding: body, as: UTF8.self), previousHash: head.hash,
                            hash: AuditChain.hash(after: head.hash, sequence: sequence, body: body)
                        ))
                    try access.run(
                        "INSERT INTO intents VALUES (?, ?)", .bytes(intent.id), .integer(sequence))
                    try access.run(
                        "INSERT INTO replay_tokens VALUES (?, ?)", .bytes(intent.id),
                        .bytes(intent.replayToken?.hash ?? []))
                }
            }
            // The state that archiving leaves of a result whose intent is in a file.
            try database.alone { connection throws(LedgerError) in
                let access = Access<LedgerError>(connection)
                try access.run("PRAGMA foreign_keys = OFF")
                try access.run(
                    "INSERT INTO replay_tokens VALUES (x'00', ?)",
                    .bytes(ReplayToken([3], isSingleUse: true).hash))
            }
        }
        #expect(throws: LedgerError.self) { try SQLiteLedger.open(home) }
        try home.bringUpToDate()
        let ledger = try SQLiteLedger.open(home)
        func wasSeen(_ byte: UInt8) throws -> Bool {
            try ledger.wasSeen(ReplayToken([byte], isSingleUse: true))
        }
        #expect(try wasSeen(1) && wasSeen(2) && wasSeen(3) && !wasSeen(4))
        try ledger.settle(
            intents[0].id, .notUsed(Reason(.keyUnavailable, "locked", rule: nil)), at: 1_001)
        #expect(try !wasSeen(1) && wasSeen(2) && wasSeen(3))
        #expect(throws: LedgerError.replayed) {
            try ledger.reserve(makeIntent(token: intents[1].replayToken))
        }
        try ledger.reserve(makeIntent(token: intents[0].replayToken))
    }
}
