// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// A JSON value with exactly one written form: keys sorted, no spaces.
package enum JSONValue {
    case text(String)
    case bool(Bool)
    case integer(Int)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The JSON text.
    package var written: String { String(decoding: json.write(), as: UTF8.self) }

    private var json: JSON {
        switch self {
        case .text(let value): .string(value)
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(Int64(value))
        case .array(let values): .array(values.map(\.json))
        case .object(let members):
            .object(
                JSONObject(
                    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                        .map { JSONObject.Member(name: $0.key, value: $0.value.json) }))
        }
    }
}
