// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Testing

@Suite("A remembered yes covers the seen values")
struct RememberedSpendingTests {
    let ledger = MemoryLedger()

    func hub(
        _ behaviour: FixedApproval.Behaviour = .unavailable, at seconds: Int64 = 1_000
    ) -> SigningHub {
        SigningHub(
            policy: FixedPolicy(.askByDefault),
            keyStore: RecordingKeyStore([.toy("a")], domains: [ToyAdapter.domain]),
            ledger: ledger, approval: FixedApproval(behaviour),
            environment: FixedEnvironment(seconds: seconds))
    }

    func ask(
        _ text: String, _ behaviour: FixedApproval.Behaviour = .unavailable, client: String? = "a",
        at seconds: Int64 = 1_000
    ) async -> String {
        let peer = Peer(channel: "test", claim: client)
        let answer = await hub(behaviour, at: seconds).answer(
            Frame(bytes: Array(text.utf8), peer: peer), with: PayingAdapter())
        guard case .message(let bytes) = answer.reply else { return "silence" }
        return String(decoding: bytes, as: UTF8.self)
    }

    static let hour = FixedApproval.Behaviour.remember(.yes, Remembering(.hour))
    static let unasked = "denied approval_unavailable"

    @Test(
        "equal values, a lower amount and another note pass; any other difference asks again",
        arguments: [
            ("pay bob:5:thanks", true), ("pay bob:5:other", true), ("pay bob:5", true),
            ("pay bob:4:thanks", true), ("pay bob:6:thanks", false), ("pay eve:5:thanks", false),
            ("pay :5:thanks", false), ("pay bob", false), ("pay bob:5:thanks undeclared", false),
            ("pay bob:5:thanks twice", false), ("send bob:5:thanks", false),
            ("pay bob:5:thanks token", false), ("pay bob:5:thanks partly", false),
            ("pay bob:5:thanks power", false), ("pay bob:5:thanks forever", false),
            ("pay bob:5:thanks unclear", false), ("pay bob:5:thanks unbounded", false),
        ])
    func values(text: String, passes: Bool) async {
        #expect(await ask("pay bob:5:thanks", Self.hour) == "done 1")
        #expect(await ask(text) == (passes ? "done 1" : Self.unasked))
    }

    @Test("without further words it covers the shown amount, once over, in any number of payments")
    func shownOnce() async {
        #expect(await ask("pay bob:5", Self.hour) == "done 1")
        for (amount, passes) in [(3, true), (3, false), (2, true), (1, false)] {
            #expect(await ask("pay bob:\(amount)") == (passes ? "done 1" : Self.unasked))
        }
    }

    @Test("a named total is the largest outflow, also in one batch")
    func total() async {
        let wish = Remembering(.hour, totals: [Outflow(PayingAdapter.asset("coin"), 12)])
        #expect(await ask("pay bob:5", .remember(.yes, wish)) == "done 1")
        #expect(await ask("pay bob:5,bob:4,bob:4") == Self.unasked)
        #expect(await ask("pay bob:5,bob:4,bob:3") == "done 3")
        #expect(await ask("pay bob:1") == Self.unasked)
        #expect(await ask("pay bob:0") == "done 1")
    }

    @Test("an amount in each day covers no more than was shown at once, and refills")
    func daily() async {
        let wish = Remembering(
            .always, totals: [Outflow(PayingAdapter.asset("coin"), 12)], per: .day)
        #expect(await ask("pay bob:5", .remember(.yes, wish)) == "done 1")
        #expect(await ask("pay bob:6") == Self.unasked)
        #expect(await ask("pay eve:5") == Self.unasked)
        #expect(await ask("pay bob:5") == "done 1")
        #expect(await ask("pay bob:5") == "done 1")
        #expect(await ask("pay bob:5") == Self.unasked)
        #expect(await ask("pay bob:2") == "done 1")
        #expect(await ask("pay bob:1", at: 87_399) == Self.unasked)
        #expect(await ask("pay bob:5", at: 87_400) == "done 1")
    }

    static func daily(_ coins: Int128, _ span: Remembering.Span = .always) -> Remembering {
        Remembering(span, totals: [Outflow(PayingAdapter.asset("coin"), coins)], per: .day)
    }

    @Test("a repeated answer replaces the first, and does not refill the running day")
    func repeated() async {
        for round in 1...2 {
            #expect(await ask("pay bob:5", .remember(.yes, Self.daily(10))) == "done 1")
            #expect(ledger.grants.count == 1)
            for _ in 1...2 {
                #expect(await ask("pay bob:5") == (round == 1 ? "done 1" : Self.unasked))
            }
        }
        #expect(await ask("pay bob:5", at: 87_400) == "done 1")
        #expect(await ask("pay bob:5", at: 87_400) == "done 1")
        #expect(await ask("pay bob:5", at: 87_400) == Self.unasked)
    }

    @Test("a larger amount a day leaves the difference, also after the first answer has ended")
    func larger() async {
        #expect(await ask("pay bob:5", .remember(.yes, Self.daily(5, .hour))) == "done 1")
        #expect(await ask("pay bob:5") == "done 1")
        #expect(await ask("pay bob:5", at: 5_000) == Self.unasked)
        let more = FixedApproval.Behaviour.remember(.yes, Self.daily(10))
        #expect(await ask("pay bob:5", more, at: 5_000) == "done 1")
        #expect(await ask("pay bob:5", at: 5_000) == "done 1")
        #expect(await ask("pay bob:5", at: 5_000) == Self.unasked)
    }

    @Test("a number in each hour is not refilled by repeating the answer either")
    func repeatedNumber() async {
        let wish = Remembering(
            .always, usesMax: 1, totals: [Outflow(PayingAdapter.asset("coin"), 90)], per: .hour)
        #expect(await ask("pay bob:5", .remember(.yes, wish)) == "done 1")
        #expect(await ask("pay bob:5") == "done 1")
        #expect(await ask("pay bob:5", .remember(.yes, wish)) == "done 1")
        #expect(await ask("pay bob:5") == Self.unasked)
        #expect(await ask("pay bob:5", at: 4_600) == "done 1")
    }

    @Test("an amount that counts once is an addition to one that counts in each day")
    func addition() async {
        #expect(await ask("pay bob:5", .remember(.yes, Self.daily(5))) == "done 1")
        #expect(await ask("pay bob:5") == "done 1")
        let once = Remembering(.hour, totals: [Outflow(PayingAdapter.asset("coin"), 5)])
        for _ in 1...2 {
            #expect(await ask("pay bob:5", .remember(.yes, once)) == "done 1")
            #expect(ledger.grants.count == 2)
            #expect(await ask("pay bob:5") == "done 1")
            #expect(await ask("pay bob:5") == Self.unasked)
        }
        #expect(await ask("pay bob:5", at: 87_400) == "done 1")
    }

    @Test("a request says which remembered answer is used up, and until when")
    func usedUp() async throws {
        #expect(await ask("pay bob:5", .remember(.yes, Self.daily(7))) == "done 1")
        let id = try #require(ledger.grants.first?.grant.idText)
        func lines() throws -> [String] {
            let peer = Peer(channel: "test", claim: "a")
            let frame = Frame(bytes: Array("pay bob:5".utf8), peer: peer)
            let explained = try hub().explain(frame, with: PayingAdapter())
            return explained.summary.lines.map(\.text).filter { $0.hasPrefix("grant ") }
        }
        #expect(try lines() == [])
        #expect(await ask("pay bob:5") == "done 1")
        let words = "grant \(id) (0.7 COIN a day)"
        let until = "until 1970-01-02T00:16:40Z"
        #expect(try lines() == ["\(words) has too little left for this \(until)"])
        #expect(await ask("pay bob:2") == "done 1")
        #expect(try lines() == ["\(words) is used up \(until)"])
    }

    @Test("the parts of one answer share its total")
    func sharedTotal() async {
        #expect(await ask("pay bob:5,eve:5", Self.hour) == "done 2")
        #expect(ledger.grants.count == 2)
        #expect(await ask("pay bob:5") == "done 1")
        #expect(await ask("pay bob:5") == "done 1")
        #expect(await ask("pay eve:1") == Self.unasked)
    }

    @Test(
        "an unbounded request, or one that gives power away, is not remembered",
        arguments: ["partly", "power", "forever", "unclear", "unbounded", "twice"])
    func notRemembered(word: String) async {
        #expect(await ask("pay bob:5 \(word)", Self.hour) == "done 1")
        #expect(ledger.grants.isEmpty)
        #expect(await ask("pay bob:5 \(word)") == Self.unasked)
    }

    @Test("a yes of a version that bound fewer values opens nothing")
    func olderYes() async throws {
        #expect(await ask("pay bob:5", Self.hour) == "done 1")
        let known = try #require(ledger.grants.first?.grant)
        // A grant of an earlier version, with only the receiver and without a bound or a total.
        let older = Grant(
            id: known.id, answer: .yes, scope: known.scope, dangers: known.dangers,
            created: known.created, expires: nil, login: nil, usesMax: nil)
        ledger.replaceGrants([SealedGrant(older, seal: older.id)])
        #expect(await ask("pay bob:1") == Self.unasked)
        #expect(await ask("pay bob:900") == Self.unasked)
    }

    @Test("a remembered no is about the receiver, with any other values")
    func no() async {
        let never = FixedApproval.Behaviour.remember(.no, Remembering(.always))
        #expect(await ask("pay eve:5:a", never) == "denied person_denied")
        for text in ["pay eve:1:b", "pay eve:9 power", "pay eve:5 undeclared", "pay eve"] {
            #expect(await ask(text, .approve) == "denied person_denied", "\(text)")
        }
        #expect(await ask("pay bob:5", .approve) == "done 1")
    }
}
