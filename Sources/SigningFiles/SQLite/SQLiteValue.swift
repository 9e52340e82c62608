// SPDX-License-Identifier: Apache-2.0

/// An argument of a statement.
package enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    /// A text, or null for nil.
    package static func optional(_ text: String?) -> SQLiteValue {
        text.map { .text($0) } ?? .null
    }
}
