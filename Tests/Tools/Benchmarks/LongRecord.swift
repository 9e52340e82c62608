// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
import SigningCodecs
import SigningCrypto

/// Writes a long record directly into the file of a ledger.
///
/// It repeats the only request on record in the format of the ledger.
@safe final class LongRecord {
    private let connection: OpaquePointer

    /// The peak memory of this process, in MiB.
    static var peakMebibytes: Int {
        var usage = rusage()
        unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.ru_maxrss / 1_024
    }

    init(path: String) {
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open(path, &opened)
        guard code == SQLITE_OK, let connection = unsafe opened else {
            preconditionFailure("no ledger")
        }
        unsafe self.connection = connection
        execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -65536")
    }

    deinit { unsafe sqlite3_close(connection) }

    /// Repeats the existing intent and result up to a number of entries.
    func fill(to count: Int) {
        let texts = [body(1), body(2)]
        var (id, hash) = (
            blob("SELECT intent_id FROM uses"), blob("SELECT hash FROM audit WHERE sequence = 2")
        )
        let name = Hex.encode(id.span)
        // The bodies around the id; behind it, an intent states the used amount of its limit.
        let parts = texts.map { $0.split(separator: name, maxSplits: 1).map { Array($0.utf8) } }
        let mark = Array(#""used":["0""#.utf8)
        let stated = parts[0][1].firstRange(of: mark) ?? 0..<0
        precondition(!stated.isEmpty, "the intent states no used amount")
        let uses = useStatement()
        let audit = statement(
            """
            INSERT INTO audit SELECT ?1, time, kind, CAST(?3 AS TEXT), ?4, ?5
            FROM audit WHERE sequence = ?2
            """)
        execute("BEGIN")
        for sequence in stride(from: Int64(3), to: Int64(count), by: 2) {
            id = Self.bytes(sequence) + id.suffix(8)
            for place in [0, 1] {
                let own = sequence + Int64(place)
                var rest = parts[place][1]
                if place == 0 {
                    let used = #""used":["\#((sequence - 1) / 2)""#
                    rest.replaceSubrange(stated, with: used.utf8)
                }
                let body = parts[place][0] + Array(Hex.encode(id.span).utf8) + rest
                let next = Digest.sha256((hash + Self.bytes(own) + body).span)
                audit.run([
                    .integer(own), .integer(Int64(place) + 1), .bytes(body), .bytes(hash),
                    .bytes(next),
                ])
                hash = next
            }
            uses.run(use(sequence, id, (sequence + 1) / 2))
        }
        execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Adds uses without entries up to a number.
    func fillUses(to count: Int) {
        let uses = useStatement()
        let id = blob("SELECT intent_id FROM uses LIMIT 1")
        execute("BEGIN; DELETE FROM uses WHERE sequence > 1")
        for place in 2...Int64(count) { uses.run(use(place, id, place)) }
        execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private func useStatement() -> RawStatement {
        statement("INSERT INTO uses SELECT counter, time, ?1, 0, ?2, '1', ?3 FROM uses LIMIT 1")
    }

    private func use(_ sequence: Int64, _ id: [UInt8], _ total: Int64) -> [RawStatement.Value] {
        let total = [UInt8](repeating: 0, count: 16) + Self.bytes(total)
        return [.integer(sequence), .bytes(id), .bytes(total)]
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    private func body(_ sequence: Int) -> String {
        let sql = "SELECT CAST(body AS BLOB) FROM audit WHERE sequence = \(sequence)"
        return String(decoding: blob(sql), as: UTF8.self)
    }

    private func blob(_ sql: String) -> [UInt8] { statement(sql).blob() }

    private func statement(_ sql: String) -> RawStatement {
        unsafe RawStatement(sql, on: connection)
    }

    private func execute(_ script: String) {
        precondition(unsafe sqlite3_exec(connection, script, nil, nil, nil) == SQLITE_OK, script)
    }
}

/// One statement of SQLite, whose errors end the benchmark.
@safe private final class RawStatement {
    enum Value {
        case integer(Int64)
        case bytes([UInt8])
    }

    private let handle: OpaquePointer

    init(_ sql: String, on connection: OpaquePointer) {
        var prepared: OpaquePointer?
        unsafe sqlite3_prepare_v2(connection, sql, -1, &prepared, nil)
        guard let handle = unsafe prepared else { preconditionFailure(sql) }
        unsafe self.handle = handle
    }

    deinit { unsafe sqlite3_finalize(handle) }

    func run(_ values: [Value]) {
        for (place, value) in values.enumerated() {
            switch value {
            case .integer(let number):
                unsafe sqlite3_bind_int64(handle, Int32(place + 1), number)
            case .bytes(let bytes):
                _ = unsafe bytes.withUnsafeBytes {
                    unsafe sqlite3_shim_bind_blob(
                        handle, Int32(place + 1), $0.baseAddress, UInt64($0.count))
                }
            }
        }
        precondition(unsafe sqlite3_step(handle) == SQLITE_DONE)
        unsafe sqlite3_reset(handle)
    }

    /// The first column of the first row.
    func blob() -> [UInt8] {
        precondition(unsafe sqlite3_step(handle) == SQLITE_ROW)
        let count = unsafe Int(sqlite3_column_bytes(handle, 0))
        return unsafe Array(
            UnsafeRawBufferPointer(start: sqlite3_column_blob(handle, 0), count: count))
    }
}
