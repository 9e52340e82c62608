// SPDX-License-Identifier: Apache-2.0
import SigningCore
package import SigningPolicy

extension Diagnostic {
    /// The finding with the source line and a caret below it.
    package func render(source: Span<UInt8>) -> String {
        let text = sourceLine(in: source).unicodeScalars
        guard text.count <= Self.shownLineMax else { return headline }
        let before = VisibleText.escaped(String(text.prefix(max(0, column - 1))))
        let padding = String(repeating: " ", count: before.unicodeScalars.count)
        return "\(headline)\n  \(VisibleText.escaped(String(text)))\n  \(padding)^"
    }

    private func sourceLine(in source: Span<UInt8>) -> String {
        var number = 1
        var bytes: [UInt8] = []
        for index in 0..<source.count {
            let byte = source[index]
            if number == line, byte != Self.newline { bytes.append(byte) }
            guard byte == Self.newline else { continue }
            if number == line { break }
            number += 1
        }
        if bytes.last == Self.carriageReturn { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The longest source line that is shown with a caret, in characters.
    private static let shownLineMax = 160
    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
