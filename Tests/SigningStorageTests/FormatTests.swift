// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningHome
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
            "ledger.db has format \(newest + 1), this version knows formats up to \(newest): "
            + "install the newer version"
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
        try temporary.setFormat(of: temporary.home.ledgerPath, to: newest - 1)
        #expect(try temporary.home.freeze("lost laptop", at: Timestamp(seconds: 5)) == nil)
        try temporary.home.bringUpToDate()
        #expect(try SQLiteLedger.open(temporary.home).freezeReason() == "lost laptop")
    }

    @Test("that was set back while the tables stayed is named; nothing changes", arguments: 1...15)
    func setBack(format: Int) throws {
        try temporary.setFormat(of: temporary.home.ledgerPath, to: format)
        let text =
            "ledger.db says that it has format \(format), but its tables are not of that format: "
            + "put a good ledger.db back, or restore the home from a backup"
        #expect(throws: LedgerError.unavailable(text)) { try temporary.home.bringUpToDate() }
        try temporary.setFormat(of: temporary.home.ledgerPath, to: Schema.ledger.version)
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    /// Gives the ledger the format before the newest one, and returns the path of the copy that an
    /// upgrade makes of it.
    private func makeOlder() throws -> String {
        let format = Schema.ledger.version - 1
        try temporary.setFormat(of: temporary.home.ledgerPath, to: format)
        return "\(temporary.home.ledgerPath).format-\(format)"
    }

    @Test("is copied before its upgrade, and the version before can use the copy")
    func copied() throws {
        let home = temporary.home
        try ledger.reserve(makeIntent())
        let copy = try makeOlder()
        // The copy of an earlier upgrade, and what a killed upgrade left.
        for path in [home.ledgerPath + ".format-3", copy + ".part"] { try home.makeFile(path) }
        #expect(try home.bringUpToDate())
        #expect(home.copiesInOlderFormats() == [copy])
        try #require(try Home.status(of: copy)).checkIsPrivate()
        #expect(try Home.status(of: copy + ".part") == nil)
        let before = Schema(
            file: Schema.ledger.file, applicationID: Schema.ledger.applicationID,
            migrations: Array(Schema.ledger.migrations.dropLast()))
        let database = try Database<LedgerError>(path: copy, schema: before, .existing)
        let entries = try database.query { access throws(LedgerError) in
            try access.first("SELECT count(*) FROM audit") { row throws(LedgerError) in
                try row.integer(0)
            }
        }
        #expect(entries == 1)
        #expect(try SQLiteLedger.open(home).length().entries == 1)
        #expect(try !home.bringUpToDate())
    }

    @Test("stays as it is if it cannot be copied")
    func uncopied() throws {
        let home = temporary.home
        let copy = try makeOlder()
        try Home.makeDirectory(copy + ".part")
        #expect(throws: LedgerError.self) { try home.bringUpToDate() }
        #expect(home.copiesInOlderFormats().isEmpty)
        #expect(throws: LedgerError.self) { try SQLiteLedger.open(home) }
        try Home.removeFolder(copy + ".part")
        #expect(try home.bringUpToDate())
        try home.remove()
        #expect(try Home.status(of: home.path) == nil)
    }
}
