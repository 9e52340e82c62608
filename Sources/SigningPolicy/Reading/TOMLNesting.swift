// SPDX-License-Identifier: Apache-2.0

/// Bounds the depth of a document before it is parsed.
///
/// toml++ limits nested values but not the parts of a dotted key, and destroys tables
/// recursively: a key of a million parts would overflow the stack.
enum TOMLNesting {
    /// The most parts of one dotted key.
    static let keyPartsMax = 16

    /// The line of the first key with too many parts.
    ///
    /// Reads only strings, comments and the bytes that may occur between the parts of a key. If the
    /// bytes are not TOML, the parser fails no later than where this reading goes wrong.
    static func lineTooDeep(in bytes: Span<UInt8>) -> Int? {
        var scanner = Scanner()
        while scanner.index < bytes.count {
            switch bytes[scanner.index] {
            case UInt8(ascii: "\n"):
                scanner.line += 1
                scanner.dots = 0
            case UInt8(ascii: "#"):
                scanner.skipComment(bytes)
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                scanner.skipString(bytes)
                continue
            case UInt8(ascii: "."):
                scanner.dots += 1
                if scanner.dots >= keyPartsMax { return scanner.line }
            case UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"),
                UInt8(ascii: "{"), UInt8(ascii: "}"):
                scanner.dots = 0
            default: break
            }
            scanner.index += 1
        }
        return nil
    }

    private struct Scanner {
        var index = 0
        var line = 1
        var dots = 0

        mutating func skipComment(_ bytes: Span<UInt8>) {
            while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
        }

        /// Skips a string of any of the four kinds; `index` is at its first quote.
        mutating func skipString(_ bytes: Span<UInt8>) {
            let quote = bytes[index]
            let quotes = run(of: quote, bytes, countMax: 3)
            index += quotes
            guard quotes != 2 else { return }
            let hasEscapes = quote == UInt8(ascii: "\"")
            while index < bytes.count {
                let byte = bytes[index]
                if hasEscapes, byte == UInt8(ascii: "\\") {
                    index += 1
                } else if byte == quote {
                    // A long string may end in up to two quotes that belong to its text.
                    let closing = run(of: quote, bytes, countMax: quotes == 3 ? 5 : 1)
                    index += closing
                    if closing >= quotes { return }
                    continue
                }
                if index < bytes.count, bytes[index] == UInt8(ascii: "\n") {
                    line += 1
                    if quotes == 1 { return }
                }
                index += 1
            }
        }

        private func run(of quote: UInt8, _ bytes: Span<UInt8>, countMax: Int) -> Int {
            var count = 0
            while count < countMax, index + count < bytes.count, bytes[index + count] == quote {
                count += 1
            }
            return count
        }
    }
}
