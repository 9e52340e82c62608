// SPDX-License-Identifier: Apache-2.0

import SigningCore
import Testing

@Suite("Text for people")
struct VisibleTextTests {
    @Test(
        "what is hidden becomes visible",
        arguments: [
            ("plain text, ~", "plain text, ~"), ("a\u{1B}[31mred", "a\\u{1B}[31mred"),
            ("\u{202E}gpj.exe", "\\u{202E}gpj.exe"), ("two\nlines", "two\\nlines"),
            ("back\\slash", "back\\\\slash"), ("zero\u{200B}width", "zero\\u{200B}width"),
            ("Gr\u{FC}\u{DF}e \u{1F30D}", "Gr\u{FC}\u{DF}e \u{1F30D}"),
            ("nul\u{0}", "nul\\u{0}"), ("\u{85}\u{2028}", "\\u{85}\\u{2028}"),
            ("tag\u{E0041}", "tag\\u{E0041}"),
        ])
    func escaped(text: String, shown: String) {
        #expect(VisibleText.escaped(text) == shown)
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
}
