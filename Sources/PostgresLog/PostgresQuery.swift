// SPDX-License-Identifier: Apache-2.0

/// A value sent to or received from the server, in binary form.
enum PostgresValue: Hashable {
    case short(Int32)
    case long(Int64)
    case bytes([UInt8])
    case text(String)
}

/// The types of columns that are used, with PostgreSQL's numbers for them.
enum PostgresType: UInt32 {
    case bytes = 17
    case long = 20
    case short = 23
    case text = 25
}

/// One statement and the expected form of its answer.
struct PostgresQuery {
    /// The name under which each connection prepares the statement; empty for a statement that is
    /// used only once.
    var name = ""
    /// The SQL text, with placeholders for the arguments.
    let sql: String
    var arguments: [PostgresValue] = []
    /// The types of the answer's columns; empty for statements that return no rows.
    var columns: [PostgresType] = []
    var rowsMax = 0
    /// The expected command tag of the answer, such as `INSERT 0 1`.
    let tag: String

    /// A statement that returns no rows.
    init(_ sql: String, _ arguments: [PostgresValue] = [], name: String = "", tag: String) {
        self.name = name
        self.sql = sql
        self.arguments = arguments
        self.tag = tag
    }

    /// A statement that returns rows.
    init(
        _ sql: String, _ arguments: [PostgresValue] = [], name: String = "",
        columns: [PostgresType], rowsMax: Int
    ) {
        self.name = name
        self.sql = sql
        self.arguments = arguments
        self.columns = columns
        self.rowsMax = rowsMax
        tag = "SELECT"
    }
}

extension PostgresValue {
    var type: PostgresType {
        switch self {
        case .short: .short
        case .long: .long
        case .bytes: .bytes
        case .text: .text
        }
    }

    /// The encoded value: integers are big-endian.
    var wire: [UInt8] {
        switch self {
        case .short(let value): Self.bigEndian(UInt64(UInt32(bitPattern: value)), count: 4)
        case .long(let value): Self.bigEndian(UInt64(bitPattern: value), count: 8)
        case .bytes(let bytes): bytes
        case .text(let text): Array(text.utf8)
        }
    }

    /// Parses a value of a type; nil if the bytes are malformed.
    init?(_ bytes: [UInt8], of type: PostgresType) {
        let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch type {
        case .short:
            guard bytes.count == 4 else { return nil }
            self = .short(Int32(bitPattern: UInt32(truncatingIfNeeded: number)))
        case .long:
            guard bytes.count == 8 else { return nil }
            self = .long(Int64(bitPattern: number))
        case .bytes: self = .bytes(bytes)
        case .text:
            guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
            self = .text(text)
        }
    }

    private static func bigEndian(_ value: UInt64, count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
}

/// One row of an answer, whose values have the types of the query.
struct PostgresRow {
    let values: [PostgresValue]

    func short(_ column: Int) throws(PostgresError) -> Int32 {
        guard case .short(let value) = values[column] else { throw Self.mistaken }
        return value
    }

    func long(_ column: Int) throws(PostgresError) -> Int64 {
        guard case .long(let value) = values[column] else { throw Self.mistaken }
        return value
    }

    func bytes(_ column: Int, count: Int? = nil) throws(PostgresError) -> [UInt8] {
        guard case .bytes(let bytes) = values[column], count == nil || bytes.count == count else {
            throw Self.mistaken
        }
        return bytes
    }

    func text(_ column: Int) throws(PostgresError) -> String {
        guard case .text(let text) = values[column] else { throw Self.mistaken }
        return text
    }

    private static let mistaken = PostgresError.strange("a value of another length or type")
}
