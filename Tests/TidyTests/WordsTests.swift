// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Words")
struct WordsTests {
    /// A comment: lines that follow one another and begin with the same mark.
    struct Comment {
        let line: Int
        let text: String
        let isDocumentation: Bool
    }

    @Test("comments name the thing they speak of", arguments: Tree.swift)
    func comments(file: Tree.File) {
        guard !PlainWords.leaving.contains(where: { file.path.hasSuffix("/\($0).swift") }) else {
            return
        }
        for comment in Self.comments(in: file.lines) {
            let found = PlainWords.findings(
                in: comment.text, isDocumentation: comment.isDocumentation)
            #expect(found == [], "\(file.path):\(comment.line)")
        }
    }

    @Test("titles of tests name their subject", arguments: Tree.swift)
    func titles(file: Tree.File) {
        for match in file.text.matches(of: /@(?:Test|Suite)\(\s*"([^"]*)"/) {
            let found = PlainWords.findings(in: String(match.1), isDocumentation: false)
            #expect(found == [], "\(file.path): \(match.1)")
        }
    }

    @Test("comments in other languages avoid the words of the list", arguments: Tree.scripts)
    func scripts(file: Tree.File) {
        for (number, line) in file.lines.enumerated() {
            let text = line.drop { $0 == " " }
            guard ["//", "#", "*", "\"\"\""].contains(where: { text.hasPrefix($0) }) else {
                continue
            }
            let found = PlainWords.findings(in: String(text), isDocumentation: false)
            #expect(found == [], "\(file.path):\(number + 1)")
        }
    }

    @Test("names of types are the field's words", arguments: Tree.product)
    func typeNames(file: Tree.File) {
        // The wire of this example controls doors, so that word is its subject.
        guard !file.path.hasPrefix("Examples/OwnProtocol/") else { return }
        for (number, line) in file.lines.enumerated() {
            guard let name = Self.declaredType(in: line) else { continue }
            let found = PlainWords.finding(inTypeName: name)
            #expect(found == nil, "\(file.path):\(number + 1): \(name)")
        }
    }

    @Test(
        "the list finds its own entries, and nothing else",
        arguments: [
            ("/// What a client sees.", ["begins \"What\""]),
            ("/// The same for keys.", ["begins \"The same for\""]),
            ("/// Whether it is open.", ["begins \"Whether it\""]),
            (
                "/// True if the socket is open, whatever\n/// its peer is.",
                [
                    "says \"whatever\" (write: name the thing)"
                ]
            ),
            (
                "/// True if somebody waits.",
                [
                    "says \"somebody\" (write: a person, a client, another user)"
                ]
            ),
            ("/// Whether the socket is open.", []),
            ("// What a comment inside a function begins with is free.", []),
            ("/// Whatsoever is no word of the list.", []),
        ])
    func list(text: String, expected: [String]) {
        let comments = Self.comments(in: text.split(separator: "\n"))
        #expect(comments.count == 1)
        #expect(
            comments.flatMap {
                PlainWords.findings(in: $0.text, isDocumentation: $0.isDocumentation)
            } == expected)
    }

    @Test(
        "an ending of a type's name is found",
        arguments: [
            ("LiquidDesk", "Desk"), ("Letters", "Letter"), ("Ending", "Ending"),
            ("Seating", nil), ("Keyboards", nil),
        ])
    func ending(name: String, expected: String?) {
        #expect(PlainWords.finding(inTypeName: name) == expected)
    }

    /// Returns the comments of a file, without those that follow code in its line.
    static func comments(in lines: [Substring]) -> [Comment] {
        var found: [Comment] = []
        var open: (line: Int, mark: String, texts: [String])?
        func close() {
            guard let comment = open else { return }
            open = nil
            found.append(
                Comment(
                    line: comment.line, text: comment.texts.joined(separator: " "),
                    isDocumentation: comment.mark == "///"))
        }
        for (number, line) in lines.enumerated() {
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("//"), !text.hasPrefix("// SPDX") else {
                close()
                continue
            }
            let mark = text.hasPrefix("///") ? "///" : "//"
            if open?.mark != mark { close() }
            let said = String(text.dropFirst(mark.count))
            if open == nil { open = (number + 1, mark, []) }
            open?.texts.append(said)
        }
        close()
        return found
    }

    /// Returns the name of the type that a line declares, or nil.
    static func declaredType(in line: Substring) -> String? {
        let words = line.split(separator: " ")
        guard !line.drop(while: { $0 == " " }).hasPrefix("//"),
            let place = words.firstIndex(where: { Self.kinds.contains(String($0)) }),
            words.indices.contains(place + 1)
        else { return nil }
        let name = words[place + 1].prefix { $0.isLetter || $0.isNumber }
        return name.isEmpty ? nil : String(name)
    }

    private static let kinds: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
}
