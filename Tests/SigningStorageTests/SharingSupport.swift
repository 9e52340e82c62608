// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage

let sharingTime = Timestamp(seconds: 900)

/// A change that stores an item of a size in bytes.
func keeping(_ name: String, _ size: Int) -> CommitQueue.Change {
    { (access: borrowing Access<LedgerError>) throws(LedgerError) in
        let intent = makeIntent()
        let item = Broadcast.Item(id: name, sender: "a", bytes: Randomness.bytes(size))
        let done = Settlement.done(
            resultDigests: [], broadcast: Broadcast(network: "n", items: [item]))
        _ = try access.append(.intent(IntentEntry(intent)), at: intent.time)
        _ = try access.append(
            .result(ResultEntry(done, of: intent.id)), at: intent.time, NamedBytes(of: done))
    }
}

/// Hubs in separate homes that share one ledger, over a log in memory or at an address.
struct Team {
    let log = MemoryLog()
    private(set) var homes: [TemporaryHome] = []
    private(set) var ledgers: [SQLiteLedger] = []

    /// Creates the hubs; the changes of the first one before sharing are in all of them.
    init(
        _ count: Int, at address: String? = nil,
        _ prepare: (SQLiteLedger) throws -> Void = { _ in }
    ) throws {
        RecordCheck.install
        let first = try TemporaryHome()
        let ledger = try first.makeLedger()
        try prepare(ledger)
        try ledger.share(
            over: address.map { try SharedLogs.open($0) } ?? log.connect(),
            address: address ?? log.address, hubName: "hub-1", at: sharingTime)
        homes = [first]
        ledgers = [ledger]
        while ledgers.count < count { try add() }
    }

    /// Makes another hub of a copy of the first one's ledger.
    mutating func add() throws {
        let home = try copy(of: 0)
        let ledger = try SQLiteLedger.open(home.home)
        try ledger.join(as: "hub-\(ledgers.count + 1)", at: sharingTime)
        homes.append(home)
        ledgers.append(ledger)
    }

    /// A home restored from a hub's backup.
    func copy(of place: Int) throws -> TemporaryHome {
        let home = try TemporaryHome()
        let source = try Database<LedgerError>(
            path: homes[place].home.ledgerPath, schema: .ledger, .existing)
        try source.query { access throws(LedgerError) in
            try access.run("VACUUM INTO ?", .text(home.home.ledgerPath))
        }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: home.home.ledgerPath)
        return home
    }

    /// Replaces the ledger of a hub by another copy.
    mutating func replace(_ place: Int, with ledger: SQLiteLedger, in home: TemporaryHome) {
        ledgers[place] = ledger
        homes[place] = home
    }

    subscript(_ place: Int) -> SQLiteLedger { ledgers[place] }

    /// Expects equal copies after all hubs caught up, and valid records.
    func expectOneTruth(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for ledger in ledgers {
            try ledger.flush()
        }
        for ledger in ledgers { try ledger.catchUp() }
        let contents = try ledgers.map { try $0.sharedRows() }
        for content in contents {
            #expect(content == contents[0], sourceLocation: sourceLocation)
        }
        for home in homes {
            #expect(try home.verifiedLedger().problem == nil, sourceLocation: sourceLocation)
        }
    }
}

extension Ed25519Key {
    /// The log key of the tests.
    static func fixture() throws -> Ed25519Key { try Ed25519Key(seed: secret(of: 5)) }
}

extension RecordTrust {
    /// The trust in records whose owner's entries are signed by the key of the tests.
    static var fixture: RecordTrust {
        get throws {
            RecordTrust(
                logPublicKey: try Ed25519Key.fixture().publicKey, lastCheckpoint: nil)
        }
    }
}

extension SQLiteLedger {
    /// Every row of every shared table, as text.
    func sharedRows() throws -> [String: [String]] {
        var rows: [String: [String]] = [:]
        for table in Schema.sharedTables {
            rows[table] = try database.read { access throws(LedgerError) in
                let columns = try access.all("SELECT name FROM pragma_table_info('\(table)')") {
                    row throws(LedgerError) in try row.text(0)
                }
                let quoted = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
                return try access.all("SELECT \(quoted) FROM \(table) ORDER BY 1") {
                    row throws(LedgerError) in try row.text(0)
                }
            }
        }
        return rows
    }

    /// The hub that wrote an entry.
    func writer(of sequence: Int64) throws -> Int32? {
        try database.query { access throws(LedgerError) in try access.writer(of: sequence) }
    }

    /// Changes rows without an entry about it; a shared ledger sends another entry with them.
    func write(_ statement: String) throws {
        ReplayCheck.skip(database.path)
        try database.write { access throws(LedgerError) in
            try access.run(statement)
            if try access.local(.mark) != nil { try access.record(makeRefusal()) }
        }
    }

    /// The place of this hub in the shared log.
    func place() throws -> LogPlace {
        try database.query { access throws(LedgerError) in try access.logPlace() }
    }
}

/// A change that writes an intent.
func reserving(_ intent: Intent) -> CommitQueue.Change {
    let draft = intent.draft
    return { (access: borrowing Access<LedgerError>) throws(LedgerError) in
        try access.reserve(intent, as: draft, policyHash)
    }
}
