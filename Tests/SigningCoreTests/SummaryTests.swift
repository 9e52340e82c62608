// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Synchronization
import Testing

@Suite("The screen shows the worst first")
struct SummaryTests {
    typealias Headline = Summary.Headline

    @Test("headlines are ordered by gravity, with their places, and grave ones are never cut")
    func headlines() {
        let plain = (0..<60).map { Headline(.plain, "call \($0)") }
        let grave = [Headline(.value, "pays 1000"), Headline(.authority, "gives the account away")]
        let text = Summary(title: "t", headlines: plain + grave, lines: [], warnings: []).text
        let rows = text.split(separator: "\n")
        #expect(rows[1] == "  62. gives the account away")
        #expect(rows[2] == "  61. pays 1000")
        #expect(rows[3] == "  1. call 0")
        #expect(rows.last == "  ... and 40 that move no value or power")
        let values = (0..<300).map { Headline(.value, "pays \($0)") }
        let all = Summary(title: "t", headlines: values, lines: [], warnings: [])
        #expect(all.text.contains("  300. pays 299") && !all.isCut)
    }

    @Test("totals per asset come before all else, of the operations and of the whole")
    func totals() async throws {
        let shown = ShownQuestions()
        let hub = SigningHub(
            policy: FixedPolicy(.askByDefault),
            keyStore: RecordingKeyStore([.toy("a")], domains: [ToyAdapter.domain]),
            ledger: MemoryLedger(), approval: shown, environment: FixedEnvironment())
        let peer = Peer(channel: "test")
        _ = await hub.answer(
            Frame(bytes: Array("pay a:5,b:7".utf8), peer: peer), with: PayingAdapter())
        let question = try #require(shown.all.first)
        #expect(question.summary.text.split(separator: "\n")[1] == "  in all    1.2 COIN on main")
        #expect(question.act == .sign)
    }

    @Test("lines that are marked are shown however many there are, in their place")
    func essential() {
        var lines = (0..<50).map { Summary.Line("tag", "\($0)") }
        lines.insert(Summary.Line("network", "mainnet").essential(), at: 45)
        let text = Summary(title: "t", lines: lines, warnings: []).text
        #expect(text.contains("  network  mainnet") && text.contains("... 10 more lines"))
        #expect(!text.contains("tag      47"))
    }

    @Test("details show to the last byte: text where nothing hides in it, else hex")
    func raw() {
        let summary = Summary(
            title: "t", lines: [], warnings: [],
            raw: [
                Summary.Raw("event", "{\"a\":1}"), Summary.Raw("args", [0, 255]),
                Summary.Raw("note", "a\u{202E}b"),
            ])
        #expect(!summary.text.contains("event"))
        #expect(summary.fullText.contains("  event, 7 bytes as it is\n    | {\"a\":1}"))
        #expect(summary.fullText.contains("  args, 2 bytes in hex\n    | 00ff"))
        #expect(summary.fullText.contains("  note, 5 bytes in hex\n    | 61e280ae62"))
    }
}

/// Keeps the questions, and says no.
private final class ShownQuestions: Approval {
    private let questions = Mutex<[ApprovalQuestion]>([])
    var all: [ApprovalQuestion] { questions.withLock { $0 } }
    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        questions.withLock { $0.append(question) }
        return .denied()
    }
}
