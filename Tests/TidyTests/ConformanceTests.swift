// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Every feature of the documents has its row and its test")
struct ConformanceTests {
    private static func page() throws -> String {
        try #require(Tree.read("Docs/Conformance.md"), "there is no Docs/Conformance.md").text
    }

    @Test("each row names tests that exist, and the counts are those of the tables")
    func rows() throws {
        let page = ConformancePage(try Self.page())
        #expect(page.findings(tests: TestNames.all) == [])
        #expect(page.documents.count == 6)
        // The number of rows when the documents were read line by line.
        #expect(page.documents.flatMap(\.rows).count >= 304)
    }

    /// One change of a correct page, and a part of the expected error.
    private static let changes = [
        ("`A.B/c`", "`A.B/gone`", "N-002: there is no test `A.B/gone`"),
        ("`A.B/c`", "A.B/c", "N-002: there is no test A.B/c"),
        ("`Transcripts/x.md`", "", "N-001 names no test"),
        ("N-002", "N-001", "N-001 stands twice"),
        ("| 2 | 1 | 0 | 1 | 0 |", "| 3 | 2 | 0 | 1 | 0 |", "the counts of Paper are"),
        ("| all | 2", "| other | 2", "there is no document other"),
        ("differs: it is so", "differs", "N-002: all states but works have a reason"),
        ("| works |", "| done |", "N-001: no state done"),
        ("2 Two", "2 Two; 3 Three", "Paper: no row for section 3 Three"),
        ("| 2 | second", "| 4 | second", "N-002: there is no section 4"),
        ("| first \\| one ", "| first | one ", "N-001 has 6 cells"),
        ("first \\| one", "", "N-001 names no feature"),
    ]

    private static let good = """
        | document | rows | works | partly | differs | missing |
        |---|---|---|---|---|---|
        | Paper | 2 | 1 | 0 | 1 | 0 |
        | all | 2 | 1 | 0 | 1 | 0 |
        ## Paper
        Sections: 1 One; 2 Two.
        | row | section | feature | state | test |
        |---|---|---|---|---|
        | N-001 | 1 | first \\| one | works | `Transcripts/x.md` |
        | N-002 | 2 | second | differs: it is so | `A.B/c` |
        """

    @Test("the check itself can fail", arguments: changes)
    func canFail(old: String, new: String, finding: String) {
        let tests: Set = ["A.B/c", "Transcripts/x.md"]
        #expect(ConformancePage(Self.good).findings(tests: tests) == [])
        let bad = Self.good.replacing(old, with: new)
        let found = ConformancePage(bad).findings(tests: tests)
        #expect(found.contains { $0.hasPrefix(finding) }, "\(found)")
    }

    @Test("tests are found by the names that their runners take")
    func names() {
        let swift = Tree.File(
            path: "Tests/ATests/B.swift",
            lines: """
                @Suite("b") struct B: Sendable {
                    @Test(
                        "two lines",
                        arguments: [1])
                    func one(_ number: Int) {}
                    func helper() {}
                    @Test("generic") func two<T>(_: T) {}
                }
                """.split(separator: "\n", omittingEmptySubsequences: false))
        #expect(TestNames.swift(swift) == ["ATests.B/one", "ATests.B/two"])
        let python = Tree.File(
            path: "Tests/Interop/a_peer.py",
            lines: """
                class Case(unittest.TestCase):
                    async def test_one(self):
                        pass
                    def helper(self):
                        pass
                class Other:
                    def test_two(self, more):
                        pass
                """.split(separator: "\n", omittingEmptySubsequences: false))
        #expect(TestNames.python(python) == ["a_peer.Case.test_one", "a_peer.Other.test_two"])
        #expect(TestNames.all.contains("TidyTests.ConformanceTests/names"))
    }
}
