// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningTerminal

@Suite struct FilledTextTests {
    @Test("lines that are too wide are broken between words, and the others stay")
    func breaking() {
        let text = "short\ncountersign: error: one two three four\n  kept  as it is"
        #expect(
            FilledText.filled(text, 24, 4)
                == "short\ncountersign: error: one\n    two three four\n  kept  as it is")
    }

    @Test("a quoted command stays whole, even if it is wider than the terminal")
    func quoted() {
        #expect(
            FilledText.filled("run \"countersign policy explain\" once", 20, 4)
                == "run\n    \"countersign policy explain\"\n    once")
    }

    @Test("the columns of a row stay, and its further lines begin under the last one")
    func columns() {
        #expect(
            FilledText.filled("ok     home        a path that is long", 30, 19)
                == "ok     home        a path that\n" + String(repeating: " ", count: 19)
                + "is long")
    }

    @Test("a very narrow terminal gets the lines unbroken")
    func narrow() {
        #expect(FilledText.filled("one two three", 5, 4) == "one two three")
    }

    @Test("every line of a message fits, and no word is lost")
    func complete() {
        let words = (1...60).map { "word\($0)" }
        let filled = FilledText.filled(words.joined(separator: " "), 40, 4)
        #expect(filled.split(separator: "\n").allSatisfy { $0.count <= 40 })
        #expect(filled.split { " \n".contains($0) }.map(String.init) == words)
    }
}
