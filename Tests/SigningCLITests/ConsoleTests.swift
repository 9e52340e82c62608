// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@testable import SigningCLI

@Suite("Output on a terminal")
struct ConsoleTests {
    @Test(
        "nothing in it moves the terminal, and JSON means the same",
        arguments: [
            "\u{1B}]0;x\u{7}", "\u{9B}2J", "\u{7F}", "a\u{202E}b", "\u{2028}", "x\ry", "\u{E0041}",
        ])
    func harmless(text: String) throws {
        let shown = String(decoding: Console.harmless(Array(text.utf8)), as: UTF8.self)
        #expect(shown.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) })
        let json = JSON.string(text).write()
        let again = Console.harmless(json)
        #expect(try JSON.parse(again.span) == JSON.string(text))
        #expect(again.allSatisfy { (0x20...0x7E).contains($0) })
    }

    @Test("ordinary text stays unchanged")
    func plain() {
        for text in ["a\tb\nc", "caf\u{E9}", "\u{1F468}\u{200D}\u{1F469}", "\u{2122}"] {
            #expect(Console.harmless(Array(text.utf8)) == Array(text.utf8))
        }
    }
}
