// SPDX-License-Identifier: Apache-2.0

public import SigningCore

extension SQLiteLedger {
    /// The most numbers that are drawn at one time.
    public static let serialsMax = 256

    /// Draws fresh numbers, durably: the first of `count` in a row.
    ///
    /// One transaction, so that no two callers, nor two processes, ever draw the same. A number
    /// that a client chose is passed over, and moves nothing: it may be far too large.
    public func drawSerials(
        _ count: Int, in series: String, above floor: UInt64
    ) throws(LedgerError) -> UInt64 {
        precondition((1...Self.serialsMax).contains(count), "numbers are drawn by the dozen")
        guard floor < UInt64(Int64.max) - UInt64(count) else {
            throw .unavailable("the numbers of this series are used up")
        }
        return try database.write { access throws(LedgerError) in
            var first = max(Int64(floor), try access.lastSerial(of: series) ?? 0) + 1
            while let used = try access.lastUsed(of: series, from: first, count) {
                first = used + 1
            }
            try access.raise(series, to: first + Int64(count) - 1)
            return UInt64(first)
        }
    }
}

extension Access<LedgerError> {
    fileprivate func lastSerial(of series: String) throws(LedgerError) -> Int64? {
        try first("SELECT last FROM serials WHERE series = ?", .text(series)) {
            row throws(LedgerError) in try row.integer(0)
        }
    }

    /// The largest number of so many in a row that was used.
    fileprivate func lastUsed(
        of series: String, from first: Int64, _ count: Int
    ) throws(LedgerError) -> Int64? {
        try self.first(
            """
            SELECT number FROM serial_uses WHERE series = ? AND number BETWEEN ? AND ?
            ORDER BY number DESC LIMIT 1
            """, .text(series), .integer(first), .integer(first + Int64(count) - 1)
        ) { row throws(LedgerError) in try row.integer(0) }
    }

    fileprivate func raise(_ series: String, to last: Int64) throws(LedgerError) {
        try run(
            """
            INSERT INTO serials (series, last) VALUES (?, ?)
            ON CONFLICT (series) DO UPDATE SET last = max(last, excluded.last)
            """, .text(series), .integer(last))
    }

    /// Uses numbers up; one that was used before is a replay.
    func use(_ serials: [SerialUse], for intentID: [UInt8]) throws(LedgerError) {
        for serial in serials {
            // The largest ones become negative; nothing but equality is asked of them.
            let number = Int64(bitPattern: serial.number)
            let isUsed = try exists(
                "SELECT 1 FROM serial_uses WHERE series = ? AND number = ?",
                .text(serial.series), .integer(number))
            guard !isUsed else { throw .replayed }
            try run(
                "INSERT INTO serial_uses (series, number, intent_id) VALUES (?, ?, ?)",
                .text(serial.series), .integer(number), .bytes(intentID))
        }
    }
}
