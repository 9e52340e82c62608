// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningService
import Testing

@testable import SigningTerminal

@Suite("Questions to several people in the inbox")
struct InboxApproverTests {
    private static let id = String(repeating: "ab", count: 32)

    private static func question(
        yes: [JSON], no: [JSON], rows: Int = 1, left: Int64 = 600, now: ContinuousClock.Instant
    ) throws -> InboxQuestion {
        let json: JSON = [
            "id": .string(id), "headline": "send 5", "approved": "1 of 2",
            "seconds_left": .integer(left),
            "may_approve": .array(yes), "may_deny": .array(no),
        ]
        var question = try #require(InboxQuestion(approval: json, now: now))
        let text = (["send 5"] + (0..<rows).map { "  row \($0)" }).joined(separator: "\n")
        question.words = InboxQuestion.Words([
            "text": .string(text), "digest": "words",
            "standing": "approvers:\n  so far    1 of 2 said yes, 1 missing",
        ])
        question.details = question.words
        return question
    }

    @Test("an approver key of the home says yes or no by the same keys, and goes its own way")
    func answers() throws {
        for (key, word) in [("o", "yes"), ("n", "no")] as [(Character, String)] {
            var bench = Bench()
            bench.take([try Self.question(yes: ["alice"], no: ["alice"], now: bench.now)])
            let screen = bench.look()
            #expect(screen.contains { $0.contains("several people: approve (1)") })
            #expect(screen.contains { $0.contains("1 of 2: send 5") })
            #expect(screen.contains("  so far    1 of 2 said yes, 1 missing"))
            bench.rest()
            let decision = try #require(decisions(bench.press(.character(key))).first)
            #expect(decision.id == Self.id && decision.act.description.operation?.id == "approve")
            #expect(decision.body == ["answer": .string(word), "seen": "words"])
        }
    }

    @Test("is drawn with any time left", arguments: [Int64.max, 0, -1, Int64.min])
    func timeLeft(seconds: Int64) throws {
        var bench = Bench()
        bench.take([try Self.question(yes: ["alice"], no: [], left: seconds, now: bench.now)])
        #expect(bench.look().contains { $0.contains("1 of 2: send 5") })
    }

    @Test("nothing of it is remembered, and all words are shown before a yes")
    func refused() throws {
        var bench = Bench()
        bench.take([
            try Self.question(yes: ["alice"], no: ["alice"], rows: 60, now: bench.now)
        ])
        bench.look()
        bench.rest()
        for key: Character in ["5", "h", "d", "s", "a", "v"] {
            #expect(bench.press(.character(key)).isEmpty)
            #expect(
                bench.state.note == "approvers answer only yes or no: their answers are "
                    + "not remembered")
        }
        #expect(bench.press(.character("o")).isEmpty)
        #expect(bench.state.note == "before a yes, read all of the question: Space shows more")
        for _ in 0..<8 {
            _ = bench.press(.character(" "))
            bench.look()
        }
        #expect(decisions(bench.press(.character("o"))).count == 1)
    }

    @Test("one that was answered here stays, and says so no longer once the answer counts")
    func moves() throws {
        var bench = Bench()
        bench.take([try Self.question(yes: ["alice"], no: ["alice"], now: bench.now)])
        bench.look()
        bench.rest()
        #expect(decisions(bench.press(.character("o"))).count == 1)
        #expect(bench.press(.character("o")).isEmpty)
        #expect(bench.state.note == "the answer is being sent")
        bench.take([try Self.question(yes: [], no: [], now: bench.now)])
        bench.look()
        #expect(bench.press(.character("n")).isEmpty)
        #expect(bench.state.note == "no approver key of this home can answer")
    }

    @Test("a home whose keys cannot answer is told the reason")
    func unable() throws {
        let cases: [([JSON], [JSON], Character, String)] = [
            ([], [], "o", "no approver key of this home can answer"),
            ([], [], "n", "no approver key of this home can answer"),
            ([], ["dave"], "o", "the home that sent a request cannot approve it"),
            (
                ["alice", "bob"], ["alice", "bob"], "o",
                "several approver keys: countersign approver answer --as alice"
            ),
        ]
        for (yes, no, key, note) in cases {
            var bench = Bench()
            bench.take([try Self.question(yes: yes, no: no, now: bench.now)])
            bench.look()
            bench.rest()
            #expect(bench.press(.character(key)).isEmpty)
            #expect(bench.state.note == note)
        }
    }
}
