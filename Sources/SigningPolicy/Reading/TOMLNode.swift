// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// A value of a TOML document with the positions of the value and of its key.
struct TOMLNode: Sendable {
    /// The key; empty inside arrays.
    let key: String
    /// The position of the key; inside arrays, that of the value.
    let keyPosition: SourcePosition
    /// The position of the value.
    let position: SourcePosition
    let value: TOMLValue

    /// The items of a list; any other value is its only item.
    var items: [TOMLNode] { if case .array(let items) = value { items } else { [self] } }
}

/// The values that TOML can express.
enum TOMLValue: Sendable {
    case text(String)
    case integer(Int64)
    case bool(Bool)
    case time(Timestamp)
    /// A table, with its members in the order of the file.
    case table([TOMLNode])
    case array([TOMLNode])
    /// A value of a type that no policy uses, with the type's name for people.
    case unusable(String)

    /// The name of the value's type, for people.
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

/// An error in a TOML document.
struct TOMLError: Error {
    let code: DiagnosticCode
    let message: String
    let position: SourcePosition
}
