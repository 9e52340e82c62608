// SPDX-License-Identifier: Apache-2.0

import SigningFiles
import Synchronization
import TestHome
import Testing

@testable import SigningCore
@testable import SigningStorage

/// Replays the record of every home of the tests into an empty index when its test ends, and
/// compares the tables that follow from entries row by row.
enum ReplayCheck {
    /// The ledgers whose rows a test changed by hand, by path.
    private static let edited = Mutex<Set<String>>([])

    /// Leaves out a ledger whose rows a test changes by hand.
    static func skip(_ ledgerPath: String) { edited.withLock { _ = $0.insert(ledgerPath) } }

    /// The columns that follow from entries; entries name the bytes of others by their SHA-256.
    private static let columns = [
        "audit": "sequence, time, kind, body, previous_hash, hash",
        "open_intents": "id, sequence, time",
        "uses": "counter, time, sequence, position, intent_id, amount, total",
        "replay_tokens": "hash, intent_id", "serial_uses": "series, number, intent_id",
        "grants": "id, sequence, scope_hash, body, seal, revoked",
        "sessions":
            "id, sequence, protocol, client, proof, network, key_id, address, time, expires",
        "outbox": "id, sequence, protocol, network, sender, state, place, time",
        "notes": "subject, name, value", "serials": "series, last",
        "joint_questions": "digest, expires, intent_id",
        "joint_answers": "digest, public_key, yes, signature",
        "accepted": "mark, time", "retired_approvers": "public_key, time",
        "hubs": "number, name, public_key, joined, retired, answers_only",
        "segments": "number, first, last, head_hash, folded, bytes, sha256, state, signature",
        "policies": "sequence, sha256", "meta": "name, value",
    ]

    private struct State {
        let entries: [EntryBody]
        let rows: [String: Set<String>]
        /// The texts in `blobs`.
        let texts: [[UInt8]]
        /// True if rows of an older version are still to be carried.
        let isOlder: Bool
    }

    static func check(_ home: Home) {
        guard !edited.withLock({ $0.contains(home.ledgerPath) }),
            let kept = try? Database<LedgerError>(
                path: home.ledgerPath, schema: .ledger, .existing)
        else { return }
        do {
            // One transaction: a result may be recorded after its test has ended.
            let state = try kept.read { access throws(LedgerError) in
                State(
                    entries: try Self.entries(in: access, at: kept.path),
                    rows: try Self.rows(in: access),
                    texts: try access.all("SELECT bytes FROM blobs") { row throws(LedgerError) in
                        try row.bytes(0)
                    }, isOlder: try access.awaitsCarriedRows())
            }
            let (entries, expected) = (state.entries, state.rows)
            let made = try replay(entries, state.texts)
            let found = try rows(of: made.index)
            let unknown = try valuesOfNoEntry(in: kept, entries)
            let carried = state.isOlder ? CarriedRows.tables.map(\.name) : []
            for (table, rows) in expected where !carried.contains(table) {
                let differing = rows.symmetricDifference(found[table] ?? []).filter { row in
                    !unknown.contains { row.hasPrefix("'\($0)'") }
                }
                #expect(differing.isEmpty, "\(table) of \(home.path)")
            }
        } catch {
            Issue.record("\(home.path) cannot be replayed: \(error)")
        }
    }

    /// The names of values in `meta` that a ledger may lack although its entries lead to them.
    private static func valuesOfNoEntry(
        in ledger: Database<LedgerError>, _ entries: [EntryBody]
    ) throws -> [String] {
        let isShared = try ledger.query { access throws(LedgerError) in
            try access.local(.mark) != nil
        }
        let isOld = entries.contains { body in
            if case .attest(let attest) = body.entry { attest.signature == nil } else { false }
        }
        // A hub that has left its team continues the record; older versions stored no mark.
        return (isShared ? [] : ["moved"]) + (isOld ? ["policy"] : [])
    }

    /// All entries, also archived ones.
    private static func entries(
        in access: borrowing Access<LedgerError>, at path: String
    ) throws(LedgerError) -> [EntryBody] {
        var bodies: [EntryBody] = []
        let segments = try access.segments()
        for segment in segments {
            let lines = try SegmentLines(segment, besides: path)
            while let line = try lines.next() { bodies.append(try body(line)) }
        }
        let rest = try access.entries(after: segments.last?.last ?? 0, countMax: .max)
        return try bodies
            + rest.map { (entry) throws(LedgerError) in try body(Array(entry.body.utf8)) }
    }

    private static func body(_ bytes: [UInt8]) throws(LedgerError) -> EntryBody {
        guard let body = try? EntryBody(bytes) else { throw .corrupt("an entry") }
        return body
    }

    /// A ledger of its own with these entries.
    private static func replay(
        _ entries: [EntryBody], _ texts: [[UInt8]]
    ) throws -> (index: Database<LedgerError>, folder: TemporaryFolder) {
        let folder = TemporaryFolder()
        let home = try Home.create(at: folder.path)
        try home.makeFile(home.ledgerPath)
        let index = try Database<LedgerError>(path: home.ledgerPath, schema: .ledger, .new)
        try index.query { access throws(LedgerError) in
            try access.run("PRAGMA synchronous = OFF")
            try access.run("PRAGMA foreign_keys = OFF")
            for table in DerivedTable.all where table.bytes != nil {
                try access.run("DROP TABLE \(table.name)")
                let definition = table.definition(in: "temp")
                try access.run(definition.replacing("TABLE temp.", with: "TABLE main."))
            }
            for text in texts { _ = try access.keep(blob: text) }
        }
        try index.write { access throws(LedgerError) in
            for body in entries {
                var used: [Int128] = []
                if case .intent(let intent) = body.entry { used = intent.used }
                _ = try access.append(
                    EntryDraft(body.entry, at: body.clock), at: body.time, used: used)
                if case .archive(let archive) = body.entry {
                    try Index(of: access).drop(archive.segment)
                }
            }
        }
        return (index, folder)
    }

    static func rows(
        of ledger: Database<LedgerError>
    ) throws -> [String: Set<String>] {
        try ledger.read { access throws(LedgerError) in try rows(in: access) }
    }

    private static func rows(
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for (table, columns) in columns {
            let text = columns.split(separator: ", ").map { "quote(\($0))" }
                .joined(separator: " || ', ' || ")
            found[table] = Set(
                try access.all("SELECT \(text) FROM \(table)") { row throws(LedgerError) in
                    try row.text(0)
                })
        }
        return found
    }
}
