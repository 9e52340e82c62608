// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Manuals")
struct ManualTests {
    static let sentenceWordsMax = 20.0
    static let wordsMax = 3_000
    static let glossaryEntriesMax = 70

    /// Every page that people read, without decisions and the list of changes.
    static let pages =
        (["README.md", "SECURITY.md", "CONTRIBUTING.md"].compactMap(Tree.read)
        + Tree.files(under: ["Docs"], suffix: ".md")
        + Tree.files(under: ["Clients", "Examples", "Plugins", "Sources"], suffix: "README.md"))
        .map(ManualPage.init)

    static let plugins = pages.filter { page in
        page.path.hasPrefix("Plugins/") && page.path != "Plugins/README.md"
    }

    /// The sections of a plugin's manual; Plugins/README.md says what belongs into each.
    static let outline = [
        "Requirements", "Example", "Requests", "Replies", "What policies see", "What is signed",
        "Refused", "Limitations", "Not supported",
    ]

    /// `Docs/Conformance.md` is a table with a row for each feature, not a text to read.
    private static let uncounted: Set = ["Docs/Conformance.md"]

    @Test("the pages are there")
    func there() {
        #expect(Self.pages.count > 30)
        #expect(Self.plugins.count == CompletenessTests.plugins.count)
    }

    @Test("sentences are short", arguments: pages)
    func sentences(page: ManualPage) {
        let longest = page.sentences.max {
            ManualPage.wordCount(of: $0) < ManualPage.wordCount(of: $1)
        }
        #expect(
            page.sentenceWords <= Self.sentenceWordsMax,
            "\(page.path): \(page.sentenceWords) words a sentence, such as: \(longest ?? "")")
    }

    @Test("pages are short", arguments: pages)
    func length(page: ManualPage) {
        guard !Self.uncounted.contains(page.path) else { return }
        #expect(page.wordCount <= Self.wordsMax, "\(page.path) has \(page.wordCount) words")
    }

    @Test("links and images lead somewhere", arguments: pages)
    func links(page: ManualPage) {
        let folder = Tree.root.appending(path: page.path).deletingLastPathComponent()
        for target in page.targets {
            let parts = target.split(
                separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let place =
                parts[0].isEmpty
                ? Tree.root.appending(path: page.path) : folder.appending(path: parts[0])
            let path = place.standardizedFileURL.path
            #expect(
                FileManager.default.fileExists(atPath: path), "\(page.path): \(target) is missing")
            guard parts.count == 2, path.hasSuffix(".md") else { continue }
            let other = Tree.read(String(path.dropFirst(Tree.root.path.count + 1)))
            #expect(
                other.map(ManualPage.init)?.anchors.contains(String(parts[1])) == true,
                "\(page.path): \(target) has no such heading")
        }
    }

    @Test("manuals of plugins have one outline", arguments: plugins)
    func outline(page: ManualPage) {
        #expect(
            Array(page.headings(level: 2).prefix(Self.outline.count)) == Self.outline,
            "\(page.path): see Plugins/README.md")
    }

    @Test("the outline is written where authors look")
    func outlineShown() throws {
        let readme = try #require(Tree.read("Plugins/README.md"))
        let rows = readme.lines.filter { $0.hasPrefix("| `") }.compactMap { line in
            line.split(separator: "`").dropFirst().first.map(String.init)
        }
        #expect(rows == Self.outline)
    }

    @Test("the glossary is short, in order, and has a text for each word")
    func glossary() throws {
        let page = ManualPage(try #require(Tree.read("Docs/Glossary.md")))
        let words = page.headings(level: 3)
        #expect(words.count > 20 && words.count <= Self.glossaryEntriesMax)
        #expect(words == words.sorted())
        #expect(Set(words).count == words.count)
        #expect(page.paragraphs.count > words.count)
    }

    /// The glossary itself, a table, and the page that explains its words as it goes.
    private static let unlinked: Set = [
        "Docs/Architecture.md", "Docs/Conformance.md", "Docs/Glossary.md",
    ]

    @Test("each manual leads to the glossary", arguments: pages)
    func glossaryLinked(page: ManualPage) {
        let parts = page.path.split(separator: "/")
        let isManual = parts.first == "Docs" && parts.count == 2 || page.path == "SECURITY.md"
        guard isManual, !Self.unlinked.contains(page.path) else { return }
        #expect(page.targets.contains { $0.contains("Glossary.md#") }, "\(page.path)")
    }

    @Test("counting tells sentences, words and headings")
    func counting() {
        let text = """
            # A title

            One two. [Three](x.md#y) four five!
            Six `seven` - eight?

            - Nine ten
            - Eleven

            | a. b. | c |
            ```sh
            ## not here. Nor here.
            ```
            ## What `x` is, and [why](z.md)
            """
        let page = ManualPage(
            Tree.File(
                path: "x.md", lines: text.split(separator: "\n", omittingEmptySubsequences: false)))
        #expect(
            page.sentences.map(ManualPage.wordCount(of:)) == [2, 3, 3, 2, 1])
        #expect(page.anchors == ["a-title", "what-x-is-and-why"])
        #expect(page.targets == ["x.md#y", "z.md"])
        #expect(page.headings(level: 2).count == 1)
        #expect(page.wordCount == 36)
    }
}
