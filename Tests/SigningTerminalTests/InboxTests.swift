// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningService
import Testing

@testable import SigningTerminal

/// An inbox with the clock and the window of the test.
struct Bench {
    var state = InboxState()
    var now = ContinuousClock.now
    var size = (rows: 24, columns: 80)
    private var questions: [InboxQuestion] = []

    /// A question in the format of the agent, with its text.
    static func question(
        _ id: String, client: String = "https://app.example", act: String = "sign",
        text: String? = nil, spans: [JSON] = ["5m", "1h", "1d", "always"],
        needsDetails: Bool = false, now: ContinuousClock.Instant
    ) -> InboxQuestion {
        let json: JSON = [
            "id": .string(id), "headline": .string("sign note \(id)"), "act": .string(act),
            "client": ["name": .string(client), "known_by": "claimed"], "keys": ["alice"],
            "seconds_left": 60,
            "remember": ["yes": .array(spans), "no": .array(spans)],
            "needs_details": .bool(needsDetails),
        ]
        guard var question = InboxQuestion(json, now: now) else {
            preconditionFailure("The sample is no question.")
        }
        question.words = InboxQuestion.Words([
            "text": .string(text ?? "sign note \(id)\n  key  alice"),
            "digest": .string("digest of \(id)"), "offer": .string("what is remembered of \(id)"),
        ])
        return question
    }

    mutating func take(_ ids: String...) { take(ids.map { Self.question($0, now: now) }) }

    mutating func take(_ questions: [InboxQuestion]) {
        state.take(questions, [], now: now)
    }

    /// Draws the screen and returns its rows.
    @discardableResult
    mutating func look() -> [String] {
        state.screen(rows: size.rows, columns: size.columns, now: now).map(\.text)
    }

    /// Waits until keys count as answers.
    mutating func rest() { now += InboxState.rest }

    mutating func press(_ keys: InboxKey...) -> [InboxState.Action] {
        keys.flatMap { state.press([$0], now: now) }
    }

    mutating func type(_ text: String) -> [InboxState.Action] {
        text.flatMap { state.press([.character($0)], now: now) }
    }
}

func decisions(_ actions: [InboxState.Action]) -> [InboxDecision] {
    actions.flatMap { action in
        if case .answer(let decisions) = action { return decisions }
        return []
    }
}

@Suite("Keys of the inbox")
struct InboxKeyTests {
    @Test("each key answers the shown question only, with its digest")
    func answers() {
        for (key, answer) in InboxAnswer.keys where answer.word != "session" {
            var bench = Bench()
            bench.take("a", "b")
            bench.look()
            bench.rest()
            let given = decisions(bench.press(.character(key)))
            #expect(given.map(\.id) == ["a"] && given.map(\.seen) == ["digest of a"])
            #expect(given.first?.body["answer"]?.text == answer.word)
            // The answer was sent, so a second key is not another answer.
            #expect(bench.press(.character(key)).isEmpty)
        }
        var bench = Bench()
        bench.take("a")
        bench.look()
        bench.rest()
        #expect(bench.press(.character("s")).isEmpty)
        #expect(bench.look().contains { $0.contains("\"session\" is not offered") })
    }

    @Test("a key press meant for a question that ended answers no other one")
    func swapped() {
        var bench = Bench()
        bench.take("harmless")
        bench.look()
        bench.rest()
        bench.take("harmful")
        bench.look()
        #expect(bench.press(.character("o")).isEmpty)
        bench.rest()
        // No other question was selected automatically; the person has to select one.
        #expect(bench.press(.character("o")).isEmpty)
        #expect(bench.look().contains { $0.contains("nothing is chosen") })
        _ = bench.press(.down)
        bench.look()
        #expect(decisions(bench.press(.character("o"))).map(\.id) == ["harmful"])
    }

    @Test("questions that come above or below do not move the choice")
    func inserted() {
        var bench = Bench()
        bench.take([Bench.question("b", client: "z", now: bench.now)])
        bench.look()
        bench.rest()
        bench.take([
            Bench.question("a", client: "y", now: bench.now),
            Bench.question("b", client: "z", now: bench.now),
            Bench.question("c", client: "z", now: bench.now),
        ])
        #expect(decisions(bench.press(.character("n"))).map(\.id) == ["b"])
    }

    @Test("the first to come, and the one after an answer, rest a moment")
    func resting() {
        var bench = Bench()
        bench.take("a", "b")
        bench.look()
        #expect(bench.press(.character("o")).isEmpty)
        bench.rest()
        #expect(decisions(bench.press(.character("o"))).map(\.id) == ["a"])
        bench.take("b")
        bench.look()
        #expect(bench.press(.character("o")).isEmpty)
        bench.rest()
        #expect(decisions(bench.press(.character("o"))).map(\.id) == ["b"])
    }

    @Test("a key that is held down answers nothing, however long")
    func held() {
        var bench = Bench()
        bench.take("a")
        for _ in 0..<100 {
            bench.look()
            #expect(bench.press(.character("o")).isEmpty)
            bench.now += InboxState.rest / 4
        }
        bench.rest()
        #expect(decisions(bench.press(.character("o"))).count == 1)
    }

    @Test("a yes needs all of it on the screen; a no does not")
    func shown() {
        let text = (1...60).map { "row \($0)" }.joined(separator: "\n")
        var bench = Bench()
        bench.take([Bench.question("a", text: text, now: bench.now)])
        bench.look()
        bench.rest()
        #expect(bench.press(.character("o")).isEmpty)
        _ = bench.press(.end)
        // Only the end was shown, and not the whole text.
        bench.look()
        #expect(bench.press(.character("o")).isEmpty)
        _ = bench.press(.home)
        for _ in 0..<8 {
            bench.look()
            _ = bench.press(.character(" "))
        }
        bench.look()
        #expect(decisions(bench.press(.character("o"))).count == 1)
        var other = Bench()
        other.take([Bench.question("a", text: text, now: other.now)])
        other.look()
        other.rest()
        #expect(decisions(other.press(.character("n"))).count == 1)
    }

    @Test("a remembered yes needs its scope on the screen as well")
    func offerShown() {
        let text = (1...17).map { "row \($0)" }.joined(separator: "\n")
        var bench = Bench()
        bench.take([Bench.question("a", text: text, now: bench.now)])
        bench.look()
        bench.rest()
        #expect(bench.press(.character("h")).isEmpty)
        #expect(bench.look().contains { $0.contains("first read below") })
        _ = bench.press(.character(" "))
        bench.look()
        #expect(decisions(bench.press(.character("h"))).count == 1)
        var once = Bench()
        once.take([Bench.question("a", text: text, now: once.now)])
        once.look()
        once.rest()
        #expect(decisions(once.press(.character("o"))).count == 1)
    }

    @Test("where something is cut a yes needs the details, and names their digest")
    func details() {
        var bench = Bench()
        var question = Bench.question("a", needsDetails: true, now: bench.now)
        bench.take([question])
        bench.look()
        bench.rest()
        #expect(bench.press(.character("o")).isEmpty)
        #expect(bench.press(.enter) == [.fetchDetails("a")])
        // The details have not arrived yet.
        #expect(bench.look().contains { $0.contains("loading the question") })
        #expect(bench.press(.character("o")).isEmpty)
        question.details = InboxQuestion.Words(["text": "all of it", "digest": "whole"])
        bench.take([question])
        #expect(bench.look().contains { $0.contains("all of it") })
        #expect(decisions(bench.press(.character("o"))).map(\.seen) == ["whole"])
    }

    @Test("only a shown question can be marked, and an answer is to all marked ones")
    func batch() {
        var bench = Bench()
        bench.take("a", "b", "c")
        bench.look()
        bench.rest()
        _ = bench.press(.character("x"), .down)
        _ = bench.press(.character("x"))
        // The second question was not shown before its mark.
        #expect(bench.state.marked == ["a"])
        bench.look()
        _ = bench.press(.character("x"))
        #expect(bench.state.marked == ["a", "b"])
        bench.take("b", "c")
        #expect(bench.state.marked == ["b"])
        bench.rest()
        bench.take("a", "b", "c")
        #expect(bench.state.marked == ["b"])
        #expect(decisions(bench.press(.character("n"))).map(\.id) == ["b"])
        #expect(bench.state.marked.isEmpty)
    }

    @Test("of several keys at once none answers, nor does pasted text")
    func bursts() {
        var bench = Bench()
        bench.take("a")
        bench.look()
        bench.rest()
        let burst = InboxKey.parse(Array("oo".utf8))
        #expect(burst.count == 2)
        #expect(bench.state.press(burst, now: bench.now).isEmpty)
        #expect(InboxKey.parse(Array("\u{1B}[200~o\u{1B}[201~".utf8)).isEmpty)
        #expect(InboxKey.parse(Array("\u{1B}[200~ooo".utf8)).isEmpty)
        #expect(InboxKey.parse(Array("\u{1B}[A\u{1B}[6~\u{1B}".utf8)) == [.up, .pageDown, .escape])
        #expect(InboxKey.parse(Array("\u{1B}[99;5o".utf8)).isEmpty)
        #expect(InboxKey.parse(Array("\u{1B}o".utf8)).isEmpty)
        #expect(InboxKey.parse([0x03]) == [.interrupt])
        #expect(bench.press(.interrupt) == [.quit] && bench.press(.suspension) == [.suspend])
    }

    @Test("a typed answer is for the question that it was typed for")
    func typed() {
        var bench = Bench()
        bench.take("a", "b")
        bench.look()
        bench.rest()
        _ = bench.type("ty 1d 20 ALGO")
        let given = decisions(bench.press(.enter))
        #expect(given.first?.body["answer"]?.text == "1d")
        #expect(given.first?.body["total"]?.text == "20 algo")
        bench.take("b")
        bench.look()
        bench.rest()
        _ = bench.type("ty")
        bench.take("c")
        bench.rest()
        bench.look()
        #expect(bench.press(.enter).isEmpty)
    }

    @Test(
        "lines mean the same as at the terminal",
        arguments: [
            ("y", "once"), ("y 1h", "1h"), ("n", "no"), ("n always", "never"),
            ("y always", "always"),
        ])
    func lines(line: String, word: String) throws {
        #expect(try InboxAnswer(line: line)?.word == word)
    }

    @Test(
        "other lines mean nothing",
        arguments: ["", "x", "y 2h", "y no", "n 1h", "n always 3", "y once 3", "y 1h 0", "1h"])
    func nothing(line: String) {
        #expect((try? InboxAnswer(line: line)) == nil)
    }
}

@Suite("The screen of the inbox")
struct InboxScreenTests {
    @Test("a row that is cut says so")
    func cut() {
        #expect(InboxState.cut("abcdef", to: 6) == "abcdef")
        #expect(InboxState.cut("abcdefg", to: 6) == "abcd..")
        #expect(InboxState.cut("abc\u{6F22}\u{5B57}", to: 6) == "abc..")
    }

    @Test("it fits the window, with any content", arguments: [(24, 80), (12, 40), (50, 200)])
    func fits(rows: Int, columns: Int) {
        var bench = Bench()
        bench.size = (rows, columns)
        let long = String(repeating: "long \u{6F22}\u{5B57} ", count: 200)
        bench.take(
            (0..<50).map { number in
                Bench.question(
                    "\(number)", client: "client \(number % 7) \(long)", text: long, now: bench.now)
            })
        for _ in 0..<60 {
            let screen = bench.look()
            #expect(screen.count == rows)
            #expect(screen.allSatisfy { InboxState.cut($0, to: columns) == $0 })
            #expect(screen.contains { $0.hasPrefix(">") })
            _ = bench.press(.down)
        }
    }

    @Test("questions of one client and kind are grouped")
    func groups() {
        var bench = Bench()
        bench.take([
            Bench.question("1", client: "a", now: bench.now),
            Bench.question("2", client: "b", now: bench.now),
            Bench.question("3", client: "a", now: bench.now),
            Bench.question("4", client: "a", act: "decrypt", now: bench.now),
        ])
        #expect(bench.state.items.map(\.id) == ["1", "3", "2", "4"])
        #expect(bench.look().contains("a (claimed): sign (2)"))
    }

    @Test("a text is never cut, and no row of it can look like one of ours")
    func wrapped() {
        let text = "title\n  label  \"" + String(repeating: " ", count: 30) + "in all  0 ALGO\""
        for columns in 40...80 {
            let rows = InboxState.rows(of: text, columns: columns).map(\.text)
            #expect(!rows.dropFirst(2).contains { !$0.hasPrefix("    \\ ") })
            let joined = rows.dropFirst().enumerated().map { place, row in
                place == 0 ? row : String(row.dropFirst(6))
            }
            #expect("title\n" + joined.joined() == text)
        }
    }

    @Test("a window that shows nothing takes no answer")
    func tooSmall() {
        var bench = Bench()
        bench.size = (8, 30)
        bench.take("a")
        bench.look()
        bench.rest()
        #expect(bench.press(.character("n")).isEmpty)
        bench.size = (24, 80)
        bench.state.noteResized()
        bench.look()
        #expect(decisions(bench.press(.character("n"))).count == 1)
    }

    @Test(
        "a limit is a bar that shows any use and any rest",
        arguments: [
            (0, 100, 0), (1, 1_000_000, 1), (50, 100, 10), (999_999, 1_000_000, 19),
            (100, 100, 20), (200, 100, 20), (0, 0, 0), (Int128.max / 2, .max, 10),
            (Int128.max, .max, 20),
        ])
    func bars(used: Int128, maximum: Int128, count: Int) {
        let row = InboxLimit("words", used: used, of: maximum).row
        #expect(row.count { $0 == "#" } == count && row.hasSuffix("] words"))
        #expect(row.count == "[] words".count + 20)
    }

    @Test("history and help take no answers")
    func pages() {
        var bench = Bench()
        bench.take("a")
        bench.look()
        bench.rest()
        #expect(bench.press(.character("m")) == [.fetchLimits])
        #expect(bench.look().contains { $0.contains("no limits") })
        #expect(bench.press(.character("m")).isEmpty)
        #expect(bench.press(.character("c")) == [.fetchConnections])
        #expect(bench.look().contains { $0.contains("no client is connected") })
        bench.state.take(
            connections: [InboxConnection(id: nil, "2026-11-22  nostr  alice  laptop: 1b84")])
        #expect(bench.look().contains { $0.contains("laptop: 1b84") })
        #expect(bench.press(.character("c")).isEmpty)
        for key in ["l", "m", "c", "?"] as [Character] {
            _ = bench.press(.character(key))
            bench.look()
            #expect(bench.press(.character("o")).isEmpty)
            _ = bench.press(.escape)
        }
        bench.look()
        #expect(decisions(bench.press(.character("o"))).count == 1)
    }
}
