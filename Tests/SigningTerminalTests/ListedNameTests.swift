// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningService
import Testing

@testable import SigningTerminal

@Suite("Names in lists")
struct ListedNameTests {
    @Test(
        "a name in a list cannot look like the words beside it",
        arguments: [
            ("app", "app"), ("https://a.example:1/x", "https://a.example:1/x"),
            ("", #""""#), ("bank (token): sign (1)", #""bank (token): sign (1)""#),
            ("bank, token) \u{1B}[2K(x", #""bank, token) \u{1B}[2K(x""#),
            ("a\"  b", #""a\"  b""#), ("b\u{e4}nk", "\"b\u{e4}nk\""),
            ("abcdefghijkl", #""abcdefghij... (2 more characters)""#),
        ])
    func listed(name: String, shown: String) {
        #expect(VisibleText.listed(name, countMax: name == "abcdefghijkl" ? 10 : 100) == shown)
    }

    @Test("a name that a client gives itself looks like no proof, however long it is")
    func claims() throws {
        var state = InboxState()
        let name = "bank (token): sign (1)" + String(repeating: " ", count: 90) + "x"
        let item: JSON = [
            "id": "1", "headline": "sign note", "act": "sign", "keys": ["alice"],
            "client": ["name": .string(name), "known_by": "claimed"], "seconds_left": 60,
            "remember": ["yes": [], "no": []], "needs_details": false,
        ]
        state.take([try #require(InboxQuestion(item, now: .now))], [], now: .now)
        let row = state.screen(rows: 24, columns: 80, now: .now)[1].text
        #expect(row.hasPrefix("\"bank (token): sign (1)") && row.contains("\" (claimed)"), "\(row)")
        let ended = try #require(
            InboxEnded([
                "ended": "now", "ending": "once", "headline": "sign", "client": .string(name),
                "known_by": "claimed",
            ]))
        #expect(ended.row.hasPrefix("now  once       (\"bank (token): sign (1)"))
        #expect(ended.row.hasSuffix("\", claimed)  sign"), "\(ended.row)")
    }
}
