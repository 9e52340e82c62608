// SPDX-License-Identifier: Apache-2.0

import Testing

/// The chapters of `Docs/Design`, which give the reasons for the present state.
@Suite("Design chapters")
struct DesignTests {
    private static let chapters = Tree.files(under: ["Docs/Design"], suffix: ".md")
    private static let wordsMax = 19_000
    private static let chapterWordsMax = 2_000

    @Test("are short")
    func words() {
        let counts = Self.chapters.map { $0.text.split(whereSeparator: \.isWhitespace).count }
        #expect(counts.reduce(0, +) <= Self.wordsMax)
        for (chapter, count) in zip(Self.chapters, counts) {
            #expect(count <= Self.chapterWordsMax, "\(chapter.path): \(count) words")
        }
    }

    @Test("stand in the table of contents")
    func contents() throws {
        let contents = try #require(Tree.read("Docs/Design/README.md")).text
        let names = Self.chapters.compactMap { $0.path.split(separator: "/").last }
        #expect(names.count > 14)
        for name in names where name != "README.md" {
            #expect(contents.contains("| [\(name)](\(name)) |"), "\(name) is not in README.md")
        }
    }
}
