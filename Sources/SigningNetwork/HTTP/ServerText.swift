// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

extension JSON {
    /// The integer from 0 to 2^64-1, if the value is one; `7.0`, `7e3` and `"7"` are not.
    package var unsigned: UInt64? {
        switch self {
        case .integer(let value): UInt64(exactly: value)
        case .number(let text): text.isDecimal ? UInt64(text) : nil
        default: nil
        }
    }
}

extension String {
    /// True if the text contains only digits: the initialisers of integers accept a sign too.
    package var isDecimal: Bool {
        !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The first part of a text from outside, in visible ASCII.
    package var visible: String {
        String(
            decoding: utf8.prefix(Self.visibleCountMax).map {
                (0x20..<0x7f).contains($0) ? $0 : UInt8(ascii: "?")
            }, as: UTF8.self)
    }

    private static let visibleCountMax = 300
}
