// SPDX-License-Identifier: Apache-2.0

import PolicyProof
import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@Suite("Differences of first uses")
struct FirstUseDifferenceTests {
    private static func known(_ time: String, _ rest: String = "") -> String {
        PolicyPair.pay("first_use.receiver = { min = \"\(time)\" }\n\(rest)")
    }

    private static func asks(_ time: String) -> String {
        PolicyPair.pay("")
            + PolicyPair.pay("first_use.receiver = { max = \"\(time)\" }", id: "q", effect: "ask")
    }

    private static let list =
        "[[rule]]\nid = \"n\"\neffect = \"allow\"\nprotocol = \"near\"\n"
        + "first_use.delegate.receiver = { min = \"1h\" }\n"

    static let pairs = [
        PolicyPair("the same", known("1h"), known("60m"), "...."),
        PolicyPair("a shorter time", known("2h"), known("1h"), "+..."),
        PolicyPair("a longer time", known("1h"), known("2h"), ".+.."),
        PolicyPair(
            "any receiver", known("1h"), PolicyPair.pay("receiver = { exists = true }"), "+..."),
        PolicyPair("known receivers only", PolicyPair.pay(""), known("1s"), ".+.."),
        PolicyPair("a shorter cooling-off", asks("2h"), asks("1h"), "+..."),
        PolicyPair("a longer cooling-off", asks("1h"), asks("2h"), ".+.."),
        PolicyPair("a question taken away", asks("1h"), PolicyPair.pay(""), "+..."),
        PolicyPair(
            "an exception for the unknown", known("1h"),
            PolicyPair.pay("unless = { first_use.receiver = { max = 3599 } }"), "...."),
        PolicyPair(
            "one receiver among those that are known", known("1h"),
            known("1h", "receiver = \"bob\""), ".+.."),
        PolicyPair("a list", list, list.replacing("1h", with: "30m"), "+..."),
        PolicyPair("the same list", list, list, "...."),
    ]

    @Test("are proved", arguments: 0..<pairs.count)
    func signs(_ place: Int) throws {
        let pair = Self.pairs[place]
        let (signs, difference) = try pair.found()
        #expect(signs == pair.signs, "\(pair): \(difference)")
    }

    @Test("show the first use in the witness")
    func witness() throws {
        let (_, difference) = try Self.pairs[3].found()
        guard case .shown(let witness) = difference[.newlyAllowed] else {
            Issue.record("\(difference[.newlyAllowed])")
            return
        }
        #expect(witness.request.contains("first_use.receiver is"), "\(witness)")
    }

    @Test("an assertion about new counterparties holds with the rule, and not without it")
    func assertions() throws {
        let never =
            "version = 2\ndefault = \"ask\"\n[[never]]\nid = \"n\"\nbecause = \"x\"\n"
            + "protocol = \"algorand\"\nfirst_use.receiver = { max = \"59m\" }\n"
        let now = Timestamp(seconds: 1_795_000_000)
        let held = ProvedAssertion.all(of: try loaded(never + Self.known("1h")), at: now)
        #expect(held.map(\.finding) == [.proved])
        for rules in [PolicyPair.pay(""), Self.known("58m")] {
            let broken = ProvedAssertion.all(of: try loaded(never + rules), at: now)
            guard case .shown? = broken.first?.finding else {
                Issue.record("\(broken)")
                continue
            }
        }
    }
}
