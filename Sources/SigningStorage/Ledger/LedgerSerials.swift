// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension SQLiteLedger {
    /// The most numbers that are allocated at one time.
    package static let serialsMax = 256

    /// Allocates `count` consecutive new numbers, durably, and returns the first.
    ///
    /// One transaction, so that callers and processes never get the same number. A number that a
    /// client chose is skipped, and does not move the sequence: it may be far too large.
    package func drawSerials(
        _ count: Int, in series: String, above floor: UInt64, below ceiling: UInt64
    ) async throws(LedgerError) -> UInt64 {
        precondition((1...Self.serialsMax).contains(count), "the count is out of range")
        return try await queue.write { access throws(LedgerError) in
            try access.drawSerials(count, in: series, above: floor, below: ceiling)
        }
    }

    /// The upper bound of allocated numbers.
    fileprivate static let serialEnd: UInt64 = 1 << 62
}

extension Access<LedgerError> {
    /// Allocates `count` consecutive new numbers and returns the first.
    func drawSerials(
        _ count: Int, in series: String, above floor: UInt64, below ceiling: UInt64
    ) throws(LedgerError) -> UInt64 {
        // Far below the largest number, so that the arithmetic below cannot overflow.
        let end = Int64(clamping: min(ceiling, SQLiteLedger.serialEnd))
        let last = try lastSerial(of: series).flatMap { $0 < end ? $0 : nil } ?? 0
        var first = max(min(Int64(clamping: floor), end), last) + 1
        while first <= end, let used = try lastUsed(of: series, from: first, count) {
            first = used + 1
        }
        guard first + Int64(count) <= end else {
            throw .unavailable("the numbers of this series are used up")
        }
        try set(series, to: first + Int64(count) - 1)
        return UInt64(first)
    }

    fileprivate func lastSerial(of series: String) throws(LedgerError) -> Int64? {
        try first("SELECT last FROM serials WHERE series = ?", .text(series)) {
            row throws(LedgerError) in try row.integer(0)
        }
    }

    /// The largest used number among `count` consecutive ones.
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

    fileprivate func set(_ series: String, to last: Int64) throws(LedgerError) {
        try run(
            "INSERT OR REPLACE INTO serials (series, last) VALUES (?, ?)", .text(series),
            .integer(last))
    }

    /// Records numbers as used; throws for a number that was used before, which is a replay.
    func use(_ serials: [SerialUse], for intentID: [UInt8]) throws(LedgerError) {
        for serial in serials {
            // Large numbers become negative, as only equality matters.
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
