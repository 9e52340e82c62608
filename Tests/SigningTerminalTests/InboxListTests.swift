// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@testable import SigningTerminal

@Suite("The list of the inbox")
struct InboxListTests {
    @Test("the title says where not all questions fit, and keys reach the others")
    func many() {
        var bench = Bench()
        bench.take((0..<20).map { Bench.question("q\($0)", now: bench.now) })
        let title = bench.look()[0]
        #expect(title.contains("20 wait   5 of 20 shown, j and k for the others"), "\(title)")
        #expect(title.count <= 80)
        for _ in 0..<19 { _ = bench.press(.character("j")) }
        #expect(bench.look().contains { $0.contains("> ") && $0.contains("sign note q19") })
        bench.take("q0")
        #expect(!bench.look()[0].contains("shown"))
    }

    @Test("a client has the owner's name for it, with its key and its proof")
    func called() throws {
        var bench = Bench()
        let json: JSON = [
            "id": "1", "headline": "sign note", "act": "sign", "keys": ["alice"],
            "client": ["name": "7e7588e0", "known_by": "key", "called": "phone", "profile": .null],
            "seconds_left": 60, "remember": ["yes": [], "no": []], "needs_details": false,
        ]
        bench.take([try #require(InboxQuestion(json, now: bench.now))])
        #expect(bench.look()[1].hasPrefix("phone, 7e7588e0 (key): sign"))
        let ended = try #require(
            InboxEnded([
                "ended": "now", "ending": "once", "headline": "sign", "client": "https://a.example",
                "known_by": "browser", "called": .null, "profile": "home",
            ]))
        #expect(ended.row == "now  once       (https://a.example, browser home)  sign")
    }

    @Test(
        "a request that rules allow without an answer says so in the list",
        arguments: ["allow", "deny"])
    func unanswered(_ end: String) throws {
        var bench = Bench()
        let json: JSON = [
            "id": "1", "headline": "sign note", "act": "sign", "keys": ["alice"],
            "client": ["name": "app", "known_by": "token", "called": .null, "profile": .null],
            "seconds_left": 60, "without_answer": .string(end),
            "remember": ["yes": [], "no": []], "needs_details": false,
        ]
        bench.take([try #require(InboxQuestion(json, now: bench.now))])
        let isShown = bench.look().contains { $0.contains("without an answer your rules allow") }
        #expect(isShown == (end == "allow"))
    }
}
