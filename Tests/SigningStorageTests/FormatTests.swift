// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite("A file whose format a newer version changes")
struct FormatTests {
    private let temporary: TemporaryHome
    private let ledger: SQLiteLedger

    init() throws {
        temporary = try TemporaryHome()
        ledger = try SQLiteLedger.made(in: temporary.home)
    }

    @Test("takes no intent of a ledger that is open, and says why")
    func reservation() throws {
        try ledger.reserve(makeIntent())
        #expect(ledger.formatProblem == nil)
        let newest = Schema.ledger.version
        try temporary.setFormat(of: temporary.home.ledgerPath, to: newest + 1)
        let problem =
            "ledger.db has format \(newest + 1), this version knows formats up to \(newest)"
        let intent = makeIntent()
        #expect(throws: LedgerError.unavailable(problem)) { try ledger.reserve(intent) }
        #expect(ledger.formatProblem == problem)
        try temporary.setFormat(of: temporary.home.ledgerPath, to: newest)
        #expect(ledger.formatProblem == nil)
        // The refused intent left no entry.
        #expect(try ledger.length().entries == 1)
        try ledger.reserve(intent)
    }

    @Test("unlocks no vault that is open")
    func vault() throws {
        try Vault.create(in: temporary.home, passphrase: secret("pass"), parameters: .floor)
        let vault = try Vault.open(temporary.home, domains: DomainRegistry([]))
        let newest = Schema.vault.version
        try temporary.setFormat(of: temporary.home.vaultPath, to: newest + 1)
        let error = VaultError.newerFormat(found: newest + 1, supported: newest)
        #expect(throws: error) { try vault.unlock(passphrase: secret("pass")) }
        #expect(vault.formatProblem == error.text && !vault.isUnlocked)
    }

    @Test("and an older one are refused by those that only read, and by AuditLog")
    func older() throws {
        let newest = Schema.ledger.version
        try temporary.editLedger("ALTER TABLE hubs DROP COLUMN answers_only")
        try temporary.setFormat(of: temporary.home.ledgerPath, to: newest - 1)
        #expect(throws: LedgerError.self) { try SQLiteLedger.open(temporary.home) }
        #expect(throws: LedgerError.self) { try AuditLog.open(temporary.home) }
        #expect(try temporary.home.bringUpToDate())
        #expect(try SQLiteLedger.open(temporary.home).length().entries == 0)
        #expect(try AuditLog.open(temporary.home).hubs().isEmpty)
    }

    @Test("and an older one can be frozen as it is")
    func freeze() throws {
        let newest = Schema.ledger.version
        try temporary.editLedger("ALTER TABLE hubs DROP COLUMN answers_only")
        try temporary.setFormat(of: temporary.home.ledgerPath, to: newest - 1)
        #expect(try temporary.home.freeze("lost laptop", at: Timestamp(seconds: 5)) == nil)
        try temporary.home.bringUpToDate()
        #expect(try SQLiteLedger.open(temporary.home).freezeReason() == "lost laptop")
    }
}
