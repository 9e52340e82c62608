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

    /// The sum of a counter's uses before the use at this place.
    func total(before use: UsePlace) throws(LedgerError) -> RunningTotal {
        try first(
            """
            SELECT total FROM uses
            WHERE counter = ? AND (time, sequence, position) < (?, ?, ?)
            ORDER BY time DESC, sequence DESC, position DESC LIMIT 1
            """, .text(use.counter), .integer(use.time), .integer(use.sequence),
            .integer(use.position)
        ) { row throws(LedgerError) in try row.total(0) } ?? .zero
    }

    /// Deletes the uses of an intent and corrects the totals of later uses.
    ///
    /// There are few later uses, as a key that was not used is reported at once.
    func giveBackUses(of intentID: [UInt8]) throws(LedgerError) {
        let uses = try all(
            """
            SELECT counter, time, sequence, position, amount FROM uses WHERE intent_id = ?
            """, .bytes(intentID)
        ) { row throws(LedgerError) in (place: try row.usePlace(), amount: try row.amount(4)) }
        try run("DELETE FROM uses WHERE intent_id = ?", .bytes(intentID))
        for use in uses {
            let later = try all(
                """
                SELECT counter, time, sequence, position, total FROM uses
                WHERE counter = ? AND (time, sequence, position) > (?, ?, ?)
                """, .text(use.place.counter), .integer(use.place.time),
                .integer(use.place.sequence), .integer(use.place.position)
            ) { row throws(LedgerError) in (place: try row.usePlace(), total: try row.total(4)) }
            for other in later {
                try run(
                    """
                    UPDATE uses SET total = ?
                    WHERE counter = ? AND time = ? AND sequence = ? AND position = ?
                    """, .bytes(other.total.removing(use.amount).bytes),
                    .text(other.place.counter), .integer(other.place.time),
                    .integer(other.place.sequence), .integer(other.place.position))
            }
        }
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

extension Schema {
    /// Upgrades a ledger of a version that did not store totals: computes them for all uses.
    static func addTotals(_ connection: SQLiteConnection) throws(SQLiteError) {
        try copyUses(connection)
        try connection.execute("DROP TABLE old_uses")
    }

    private static func copyUses(_ connection: SQLiteConnection) throws(SQLiteError) {
        let select = try connection.statement(
            """
            SELECT counter, time, intents.sequence, intent_id, position, amount
            FROM old_uses JOIN intents ON intents.id = intent_id
            ORDER BY counter, time, intents.sequence, position
            """)
        let insert = try connection.statement(
            """
            INSERT INTO uses (counter, time, sequence, intent_id, position, amount, total)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        defer { select.reset() }
        var counter = ""
        var total = RunningTotal.zero
        while try select.step() {
            let next = try select.text(0)
            if next != counter { total = .zero }
            counter = next
            let text = try select.text(5)
            guard let amount = Int128(text), amount >= 0 else {
                throw .unexpectedValue(statement: select.sql)
            }
            total = total.adding(amount)
            try insert.bind([
                .text(counter), .integer(try select.integer(1)), .integer(try select.integer(2)),
                .bytes(try select.bytes(3)), .integer(try select.integer(4)), .text(text),
                .bytes(total.bytes),
            ])
            _ = try insert.step()
            insert.reset()
        }
    }
}
