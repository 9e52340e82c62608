// SPDX-License-Identifier: Apache-2.0

/// The syntax of NEAR account ids.
package enum NEARAccountID {
    private static let countRange = 2...64

    /// True if a text is an account id: groups of a-z and 0-9 separated by one of `- _ .`.
    package static func isValid(_ text: String) -> Bool { isValid(text.utf8.span) }

    /// True if a part of a text is an account id.
    package static func isValid(_ text: Substring) -> Bool { isValid(text.utf8.span) }

    private static func isValid(_ bytes: Span<UInt8>) -> Bool {
        guard countRange.contains(bytes.count) else { return false }
        var needsLetter = true
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                needsLetter = false
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                guard !needsLetter else { return false }
                needsLetter = true
            default: return false
            }
        }
        return !needsLetter
    }
}
