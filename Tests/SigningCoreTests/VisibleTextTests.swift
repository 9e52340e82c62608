// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import SigningCore

@Suite("Text for people")
struct VisibleTextTests {
    @Test(
        "hidden characters become visible",
        arguments: [
            ("plain text, ~", "plain text, ~"), ("a\u{1B}[31mred", "a\\u{1B}[31mred"),
            ("\u{202E}gpj.exe", "\\u{202E}gpj.exe"), ("two\nlines", "two\\nlines"),
            ("back\\slash", "back\\\\slash"), ("zero\u{200B}width", "zero\\u{200B}width"),
            ("Gr\u{FC}\u{DF}e \u{1F30D}", "Gr\u{FC}\u{DF}e \u{1F30D}"),
            ("nul\u{0}", "nul\\u{0}"), ("\u{85}\u{2028}", "\\u{85}\\u{2028}"),
            ("tag\u{E0041}", "tag\\u{E0041}"), ("soft\u{AD}hyphen", "soft\\u{AD}hyphen"),
            ("a\u{200D}b", "a\\u{200D}b"), ("a\u{FE0F}b", "a\\u{FE0F}b"),
            ("\u{2800}", "\\u{2800}"), ("\u{34F}\u{E0100}", "\\u{34F}\\u{E0100}"),
            (
                "\u{2764}\u{FE0F} \u{1F468}\u{200D}\u{1F469}",
                "\u{2764}\u{FE0F} \u{1F468}\u{200D}\u{1F469}"
            ),
            ("spaces          stay \"so\"", "spaces          stay \"so\""),
        ])
    func escaped(text: String, shown: String) {
        #expect(VisibleText.escaped(text) == shown)
    }

    @Test("the vectors that the pages of the agent go by as well")
    func vectors() throws {
        struct File: Decodable { let cases: [[String]] }
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        let data = try Data(contentsOf: tests.appending(path: "Vectors/visible_text.json"))
        let cases = try JSONDecoder().decode(File.self, from: data).cases
        #expect(cases.count > 20)
        for pair in cases {
            try #require(pair.count == 2)
            #expect(VisibleText.escaped(pair[0]) == pair[1])
        }
    }

    @Test("long text is cut and says how much is missing")
    func cut() {
        #expect(VisibleText.escaped("abcdef", countMax: 4) == "abcd... (2 more characters)")
        #expect(VisibleText.escaped("abcd", countMax: 4) == "abcd")
    }

    @Test("hidden characters are noticed; line ends alone are not an alarm")
    func hasHidden() {
        #expect(VisibleText.hasHidden("a\u{202E}b"))
        #expect(VisibleText.hasHidden("a\u{7}"))
        #expect(!VisibleText.hasHidden("two\nlines\tand \u{1F468}\u{200D}\u{1F469}"))
    }

    @Test(
        "ordinary writing is no alarm, and its look-alikes are",
        arguments: [
            // Keycaps, flags, Persian, Hindi, and Hebrew with a vowel mark.
            ("1\u{FE0F}\u{20E3}", false), ("#\u{FE0F}\u{20E3}", false), ("1\u{FE0F}", true),
            ("\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}!", false),
            ("\u{1F3F4}\u{E0068}\u{E0069}\u{E007F}", true), ("\u{E0067}", true),
            ("\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}", false),
            ("\u{915}\u{94D}\u{200D}\u{937}", false), ("a\u{200C}b", true), ("a\u{200D}b", true),
            ("\u{645}\u{200C}\u{200C}\u{62E}", true), ("\u{5E9}\u{5DC}\u{5D5}!\u{200F}", false),
            ("abc\u{200F}", true), ("\u{5E9}\u{202E}", true), ("\u{2600}\u{FE0E}", false),
        ])
    func ordinary(text: String, isHidden: Bool) {
        #expect(VisibleText.hasHidden(text) == isHidden)
    }

    @Test("parts are quoted one by one, and cannot be taken for each other")
    func parts() {
        func text(_ parts: [String]) -> String {
            Summary(
                title: "t", lines: [Summary.Line("tag", parts: parts, by: .client)], warnings: []
            ).text
        }
        #expect(text(["t", "x, y"]) == "t\n  tag  \"t\", \"x, y\"")
        #expect(text(["t", "x", "y"]) == "t\n  tag  \"t\", \"x\", \"y\"")
        #expect(text(["t\", \"x"]) == "t\n  tag  \"t\\\", \\\"x\"")
        let long = String(repeating: "y", count: 2_000)
        #expect(text([long, "x", "y"]).contains("... (2 more parts)"))
    }

    @Test("a summary quotes the client's words and escapes every line")
    func summary() {
        let summary = Summary(
            title: "sign a note",
            lines: [
                Summary.Line("key", "alice"), Summary.Line("content", "hi\n\u{202E}", by: .client),
            ], warnings: ["money"])
        #expect(
            summary.text == """
                sign a note
                  key      alice
                  content  "hi\\n\\u{202E}"
                  warning: money
                """)
    }

    @Test("client text cannot close its quote, pad a line or look like one of ours")
    func quotable() {
        #expect(VisibleText.quotable("a\" b") == "a\\\" b")
        #expect(VisibleText.quotable("a         b") == "a (9 spaces) b")
        #expect(VisibleText.quotable("a        b") == "a        b")
        #expect(
            VisibleText.quotable("a\u{2003}\u{A0}b", countMax: 2) == "a ... (2 more characters)")
        let long = String(repeating: "x", count: 70)
        let summary = Summary(
            title: "t", lines: [Summary.Line("content", long, by: .client)], warnings: [])
        #expect(
            summary.text == """
                t
                  content  (the client's text)
                    | \(String(repeating: "x", count: 60))
                    | xxxxxxxxxx
                """)
    }

    @Test("a cut text says so, and can be seen in full")
    func cutSummary() {
        let lines = (0..<50).map { Summary.Line("tag", "\($0)", by: .client) }
        let many = Summary(title: "t", lines: lines, warnings: [])
        #expect(
            many.isCut && many.text.contains("... 10 more lines") && !many.text.contains("\"49\""))
        #expect(many.fullText.contains("\"49\""))
        var clientLine = Summary.Line("asked by", "a client")
        clientLine = clientLine.essential()
        let asked = Summary(title: "t", lines: lines + [clientLine], warnings: [])
        #expect(asked.text.contains("... 10 more lines\n  asked by  a client"))
        #expect(!Summary(title: "t", lines: lines.prefix(40) + [clientLine], warnings: []).isCut)
        let long = String(repeating: "y", count: 2_001)
        let text = Summary(title: "t", lines: [.init("a", long, by: .client)], warnings: [])
        #expect(text.isCut && text.text.contains("(1 more characters)"))
        #expect(!Summary(title: "t", lines: [.init("a", "b")], warnings: []).isCut)
    }
}
