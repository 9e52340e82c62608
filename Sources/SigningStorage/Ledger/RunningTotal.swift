// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// The sum of all uses of a counter: an unsigned integer of 192 bits, which never overflows.
struct RunningTotal: Hashable, Sendable {
    private var high: UInt64 = 0
    private var low: UInt128 = 0

    /// The total before the first use.
    static let zero = RunningTotal()

    private init() {}

    /// Parses the 24 bytes of `bytes`, most significant first; nil for other input.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// The total as stored in its column.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
        return bytes
    }

    /// The total plus an amount, which must not be negative.
    func adding(_ amount: Int128) -> RunningTotal {
        var total = self
        let (sum, carries) = low.addingReportingOverflow(UInt128(amount))
        total.low = sum
        total.high &+= carries ? 1 : 0
        return total
    }

    /// The total minus an amount, which must not be negative.
    func removing(_ amount: Int128) -> RunningTotal {
        var total = self
        let (difference, borrows) = low.subtractingReportingOverflow(UInt128(amount))
        total.low = difference
        total.high &-= borrows ? 1 : 0
        return total
    }

    /// The difference from an earlier total; the largest `Int128` if the difference is larger.
    func since(_ earlier: RunningTotal) -> Int128 {
        let (difference, borrows) = low.subtractingReportingOverflow(earlier.low)
        guard high &- earlier.high == (borrows ? 1 : 0) else { return .max }
        return Int128(clamping: difference)
    }

    private static let byteCount = 24
}

extension Access<LedgerError> {
    /// The sum of all uses of a counter.
    func total(of counter: String) throws(LedgerError) -> RunningTotal {
        try first(
            """
            SELECT total FROM uses WHERE counter = ?
            ORDER BY time DESC, sequence DESC, position DESC LIMIT 1
            """, .text(counter)
        ) { row throws(LedgerError) in try row.total(0) } ?? .zero
    }

    /// The sum of a counter's uses up to and including a second.
    func total(of counter: String, upTo second: Int64) throws(LedgerError) -> RunningTotal {
        guard second > .min else { return .zero }
        return try first(
            """
            SELECT total FROM uses WHERE counter = ? AND time <= ?
            ORDER BY time DESC, sequence DESC, position DESC LIMIT 1
            """, .text(counter), .integer(second)
        ) { row throws(LedgerError) in try row.total(0) } ?? .zero
    }
}

/// The position of a use among those of its counter: by time, then in the order of the record.
struct UsePlace: Hashable {
    let counter: String
    let time: Int64
    let sequence: Int64
    let position: Int64
}

extension Row<LedgerError> {
    /// The place of a use, from the first four columns.
    func usePlace() throws(LedgerError) -> UsePlace {
        UsePlace(
            counter: try text(0), time: try integer(1), sequence: try integer(2),
            position: try integer(3))
    }

    /// The total in a column.
    func total(_ column: Int) throws(LedgerError) -> RunningTotal {
        guard let total = RunningTotal(try bytes(column)) else {
            throw .corrupt("a use of a limit has no total")
        }
        return total
    }
}
