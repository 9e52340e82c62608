// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

extension SQLiteLedger {
    /// The maximum number of serial numbers that are allocated at one time.
    package static let serialsMax = 256

    /// Allocates `count` consecutive new numbers, durably, and returns the first.
    ///
    /// All callers and processes get different numbers. Numbers that clients chose themselves are
    /// skipped; they do not set the start of later numbers, as they may be very large.
    package func drawSerials(
        _ count: Int, in series: String, above floor: UInt64, below ceiling: UInt64
    ) async throws(LedgerError) -> UInt64 {
        precondition((1...Self.serialsMax).contains(count), "the count is out of range")
        return try await queue.write { access throws(LedgerError) in
            try access.drawSerials(count, in: series, above: floor, below: ceiling)
        }
    }

    /// The number at which allocation ends.
    static let serialEnd: Int64 = 1 << 62
}

extension Access<LedgerError> {
    /// Allocates `count` consecutive new numbers and returns the first.
    func drawSerials(
        _ count: Int, in series: String, above floor: UInt64, below ceiling: UInt64
    ) throws(LedgerError) -> UInt64 {
        // The end is far below the largest integer, so that the sums below cannot overflow.
        let end = min(Int64(clamping: ceiling), SQLiteLedger.serialEnd)
        let last = try lastSerial(of: series).flatMap { $0 < end ? $0 : nil } ?? 0
        var first = max(min(Int64(clamping: floor), end), last) + 1
        while first <= end, let used = try lastUsed(of: series, from: first, Int64(count)) {
            first = used + 1
        }
        guard first + Int64(count) <= end else {
            throw .unavailable("the numbers of this series are used up")
        }
        // The caller states no time, so that the draw has that of the entry before.
        let draw = DrawEntry(series: series, first: first, count: Int64(count))
        _ = try append(.draw(draw), at: auditHead().time)
        return UInt64(first)
    }

    /// The number of a series that was drawn last; nil if none was.
    func lastSerial(of series: String) throws(LedgerError) -> Int64? {
        try first("SELECT last FROM serials WHERE series = ?", .text(series)) {
            row throws(LedgerError) in try row.integer(0)
        }
    }

    /// The largest used number among the `count` numbers from `first` on; nil if none is used.
    func lastUsed(
        of series: String, from first: Int64, _ count: Int64
    ) throws(LedgerError) -> Int64? {
        try self.first(
            """
            SELECT number FROM serial_uses WHERE series = ? AND number BETWEEN ? AND ?
            ORDER BY number DESC LIMIT 1
            """, .text(series), .integer(first), .integer(first + (count - 1))
        ) { row throws(LedgerError) in try row.integer(0) }
    }

    /// Throws if a number was used before, or occurs twice: it is a replay.
    func check(_ serials: [SerialUse]) throws(LedgerError) {
        guard Set(serials).count == serials.count else { throw .replayed }
        for serial in serials
        where try lastUsed(of: Entry.clipped(serial.series), from: serial.column, 1) != nil {
            throw .replayed
        }
    }
}

extension SerialUse {
    /// The number as stored in its column.
    ///
    /// Numbers above the largest `Int64` become negative. They are only compared for equality.
    var column: Int64 { Int64(bitPattern: number) }
}
