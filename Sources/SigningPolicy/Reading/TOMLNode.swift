// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// A value of a TOML document with the places it and its key stand at.
struct TOMLNode: Sendable {
    /// The key; empty inside arrays.
    let key: String
    /// Where the key stands; inside arrays, where the value stands.
    let keyPosition: SourcePosition
    /// Where the value stands.
    let position: SourcePosition
    let value: TOMLValue
}

/// What TOML can say.
enum TOMLValue: Sendable {
    case text(String)
    case integer(Int64)
    case bool(Bool)
    case time(Timestamp)
    /// Members in the order of the file.
    case table([TOMLNode])
    case array([TOMLNode])
    /// A value no policy uses, with its name for people.
    case unusable(String)

    /// What it is, for people.
    var name: String {
        switch self {
        case .text: "text"
        case .integer: "an integer"
        case .bool: "true or false"
        case .time: "a date-time"
        case .table: "a table"
        case .array: "a list"
        case .unusable(let name): name
        }
    }
}

/// Why bytes are not a TOML document that can be read.
struct TOMLError: Error {
    let code: DiagnosticCode
    let message: String
    let position: SourcePosition
}
