// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// Writes rules in the notation of policy files.
package enum RuleText {
    /// The conditions on the client's proof.
    static func conditions(of proof: Client.Proof) -> [String] {
        ["\"client.proof\" = \(quoted(proof.word))"]
            + (proof.profile.map { ["\"client.profile\" = \(quoted($0))"] } ?? [])
    }

    /// A value in the notation of its type.
    static func literal(_ value: FactValue, _ type: FactType) -> String {
        switch (value, type) {
        case (.integer(let number), .amount(let unit)): quoted(unit.text(of: number))
        // TOML has integers of 64 bits.
        case (.integer(let number), _):
            Int64(exactly: number).map { String($0) } ?? quoted(String(number))
        case (.bool(let bool), _): bool ? "true" : "false"
        case (.text(let text), _): self.value(text)
        case (.bytes(let bytes), _): quoted(hex(bytes))
        case (.time(let time), _): time.utcText
        case (.list(let elements), _):
            "[" + elements.map { literal($0, type) }.joined(separator: ", ") + "]"
        }
    }

    /// A text to compare with, with a leading `@` escaped, as `@` would name a set.
    static func value(_ text: String) -> String {
        quoted(text.utf8.first == UInt8(ascii: "@") ? "@" + text : text)
    }

    /// A basic string of TOML.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default:
                let isVisible = VisibleText.escaped(String(scalar)) == String(scalar)
                result += isVisible ? String(scalar) : "\\U" + padded(scalar.value)
            }
        }
        return result + "\""
    }

    private static func padded(_ number: UInt32) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
