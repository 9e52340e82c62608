// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import SigningService
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite("An approver key that is retired")
struct RetiringTests {
    private func setFormat(to version: Int, in rig: Rig) throws {
        try SQLiteConnection(path: rig.home.home.ledgerPath).execute(
            "PRAGMA user_version = \(version)")
    }

    private func retire(
        _ key: ApproverKey, in rig: Rig, _ ledger: SQLiteLedger, by text: String = "correct horse"
    ) async throws {
        let bytes = Array(text.utf8)
        try await rig.home.retireApprover(
            key.publicKey, key, SecretBytes(copying: bytes.span), in: ledger)
    }

    @Test("is deleted once that is on record, and not before")
    func recordFirst() async throws {
        let rig = try Rig()
        try rig.home.unlock(rig.passphrase)
        let key = try rig.home.vault.makeApproverKey(named: "alice")
        let ledger = try rig.home.openLedger()
        // The record cannot be written.
        try setFormat(to: Schema.ledger.version + 1, in: rig)
        await #expect(throws: LedgerError.self) {
            try await retire(key, in: rig, ledger)
        }
        #expect(try rig.home.vault.approverKeys() == [key])
        #expect(try ledger.retiredApprovers().isEmpty)
        try setFormat(to: Schema.ledger.version, in: rig)
        // A process that stopped between the entry and the deletion; the command runs again.
        try await ledger.retireApprover(key.publicKey, at: SystemEnvironment().now())
        #expect(try rig.home.vault.approverKeys() == [key])
        try await retire(key, in: rig, ledger)
        #expect(try rig.home.vault.approverKeys().isEmpty)
        #expect(try ledger.retiredApprovers() == [key.publicKey])
        let entries = try AuditLog.open(rig.home.home).entries(limit: 10)
        #expect(entries.filter { $0.kind == "approver" }.count == 1)
    }

    @Test("takes the passphrase before anything is on record")
    func passphrase() async throws {
        let rig = try Rig()
        try rig.home.unlock(rig.passphrase)
        let key = try rig.home.vault.makeApproverKey(named: "alice")
        rig.home.vault.lock()
        let ledger = try rig.home.openLedger()
        await #expect(throws: VaultError.self) {
            try await retire(key, in: rig, ledger, by: "wrong")
        }
        #expect(try ledger.retiredApprovers().isEmpty)
    }
}
