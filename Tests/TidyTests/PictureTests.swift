// SPDX-License-Identifier: Apache-2.0

import Testing

/// `Docs/architecture.dot`, and the picture that `make docs` drew of it.
@Suite("The picture of the architecture")
struct PictureTests {
    private let source: Tree.File
    private let drawn: Tree.File

    init() throws {
        source = try #require(Tree.read("Docs/architecture.dot"))
        drawn = try #require(Tree.read("Docs/architecture.svg"))
    }

    /// SigningTesting is what tests are made of, and Template an example.
    private static let leftOut: Set = ["SigningTesting", "Template", "PolicyPresets"]

    @Test("shows every target")
    func isWhole() {
        let targets = Set(Tree.product.filter { !$0.isExample && !$0.isClient }.map(\.target))
            .map { $0.split(separator: "/").last.map(String.init) ?? $0 }
        #expect(targets.count > 15)
        for target in targets where !Self.leftOut.contains(target) {
            #expect(source.text.contains(target), "\(target) is not in the picture's source")
            #expect(drawn.text.contains("<title>\(target)</title>"), "make docs: \(target)")
        }
    }

    @Test("of one request has all nine steps, in the words of the table")
    func steps() throws {
        let drawn = try #require(Tree.read("Docs/request.svg")).text
        let page = try #require(Tree.read("Docs/Architecture.md"))
        let rows = page.lines.filter { $0.firstMatch(of: #/^\| [1-9] /#) != nil }
        #expect(rows.count == 9)
        for row in rows {
            let step = row.split(separator: "|")[0].split(separator: " ").prefix(2)
            #expect(drawn.contains(">\(step.joined(separator: " "))"), "\(row)")
        }
    }

    @Test("draws no arrow that no import is behind")
    func isTrue() throws {
        let text = source.text
        let start = try #require(text.firstRange(of: "// The main imports between targets"))
        var arrowCount = 0
        for statement in text[start.upperBound...].split(separator: ";") {
            let names = statement.split(separator: "->").compactMap {
                $0.split(whereSeparator: \.isWhitespace).last.map(String.init)
            }
            for (from, to) in zip(names, names.dropFirst()) {
                arrowCount += 1
                let importing = Tree.product.filter { $0.target.hasSuffix("/\(from)") }
                #expect(
                    importing.contains { LayerTests.imports(of: $0).contains(to) },
                    "\(from) does not import \(to)")
            }
        }
        #expect(arrowCount > 20)
    }
}
