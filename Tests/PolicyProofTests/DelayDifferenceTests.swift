// SPDX-License-Identifier: Apache-2.0

import PolicyProof
import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@Suite("Differences of delays")
struct DelayDifferenceTests {
    private static func after(_ delay: String, _ rest: String = "", id: String = "pay") -> String {
        PolicyPair.pay("delay = \"\(delay)\"\n\(rest)", id: id)
    }

    private static let atOnce = PolicyPair.pay("")
    private static let small = PolicyPair.pay("amount = { max = \"1 ALGO\" }", id: "small")

    static let pairs = [
        PolicyPair("the same", after("1h"), after("60m"), "...."),
        PolicyPair("a shorter delay", after("2h"), after("1h"), "+..."),
        PolicyPair("a longer delay", after("1h"), after("2h"), "...."),
        PolicyPair("no delay", after("1s"), atOnce, "+..."),
        PolicyPair("a delay", atOnce, after("1s"), "...."),
        PolicyPair("a delay in place of the default", "", after("1d"), "+..."),
        PolicyPair(
            "a delay in place of a question", PolicyPair.pay("", effect: "ask"), after("1d"),
            "+..."),
        PolicyPair("small amounts at once", after("1h"), after("1h") + small, "+..."),
        PolicyPair("small amounts late too", after("1h") + small, after("1h"), "...."),
        PolicyPair(
            "the same in two rules", after("1h"),
            after("1h", "receiver = \"a\"") + after("2h", id: "q"), "...."),
        PolicyPair(
            "a rule that is slower than another", after("1h"), after("1h") + after("2h", id: "q"),
            "...."),
        PolicyPair(
            "a faster rule whose limit can be used up", after("2h"),
            after("2h") + after("1h", "limit = [{ count = 1, per = \"1d\" }]", id: "q"), "+??."),
    ]

    @Test("are proved", arguments: 0..<pairs.count)
    func signs(_ place: Int) throws {
        let pair = Self.pairs[place]
        let (signs, difference) = try pair.found()
        #expect(signs == pair.signs, "\(pair): \(difference)")
    }

    @Test("show both delays in the witness")
    func witness() throws {
        let (_, difference) = try Self.pairs[1].found()
        guard case .shown(let witness) = difference[.newlyAllowed] else {
            Issue.record("\(difference[.newlyAllowed])")
            return
        }
        #expect(witness.before == "allow after 2h" && witness.after == "allow after 1h")
    }

    @Test("a delayed request is one that rules allow: an assertion does not hold")
    func assertions() throws {
        let never =
            "version = 2\ndefault = \"ask\"\n[[never]]\nid = \"n\"\nbecause = \"x\"\n"
            + "protocol = \"algorand\"\n"
        let now = Timestamp(seconds: 1_795_000_000)
        let found = ProvedAssertion.all(of: try loaded(never + Self.after("1d")), at: now)
        guard case .shown? = found.first?.finding else {
            Issue.record("\(found)")
            return
        }
    }
}
