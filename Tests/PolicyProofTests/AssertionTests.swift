// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import PolicyProof

@Suite("Proved assertions")
struct AssertionTests {
    private static let now = Timestamp(seconds: 1_795_000_000)

    /// `.` for a proof, `+` for a request against the assertion, `?` for neither.
    private static func sign(_ text: String) throws -> String {
        try ProvedAssertion.all(of: loaded(text), at: now).map { assertion in
            switch assertion.finding {
            case .proved: "."
            case .shown: "+"
            case .notProved: "?"
            }
        }.joined()
    }

    private static func file(_ rules: String, _ never: String, fallback: String = "ask") -> String {
        "version = 2\ndefault = \"\(fallback)\"\n[set.friends]\naccounts = [\"bob\", \"eve\"]\n"
            + "[approvers]\nbob = \"\([UInt8](repeating: 1, count: 32).approverText)\"\n"
            + "[budget.cap]\nlimit = [{ amount = \"20 ALGO\", of = \"amount\", per = \"1d\" }]\n"
            + "final = true\n"
            + "[budget.usd]\nunit = \"USD\"\nrate = { ALGO = \"0.2\", NEAR = \"3\" }\n"
            + "limit = [{ amount = \"20 USD\", of = \"outflow\", per = \"1d\" }]\n" + rules
            + "[[never]]\nid = \"n\"\nbecause = \"x\"\n\(never)\n"
    }

    @Test("hold, fail with a request, or are not proved", arguments: AssertionRow.all)
    func signs(_ row: AssertionRow) throws {
        #expect(try Self.sign(Self.file(row.rules, row.never)) == row.sign)
    }

    @Test("a failing one shows a request and the rules that allow it")
    func witness() throws {
        let text = Self.file(small(6), AssertionRow.large)
        let found = try ProvedAssertion.all(of: loaded(text), at: Self.now)
        let request = "algorand sign_transactions where amount is 5.000001 ALGO"
        #expect(
            found.map(\.finding)
                == [.shown(ProvedAssertion.Witness(request: request, rules: ["pay"]))])
    }

    private func small(_ maximum: Int, id: String = "pay") -> String {
        PolicyPair.pay("amount = { max = \"\(maximum) ALGO\" }", id: id)
    }

    @Test("that match nothing are known")
    func vacuous() throws {
        for (never, isVacuous) in [
            (AssertionRow.large, false),
            (AssertionRow.algorand + "operation = \"enable\"\nkey = \"x\"", false),
            ("protocol = \"nostr\"\noperation = \"get_public_key\"", false),
            (
                AssertionRow.algorand
                    + "amount = { min = \"5 ALGO\" }\nunless = { amount = { min = \"4 ALGO\" } }",
                true
            ),
            ("\"client.proof\" = \"token\"\nclient = { exists = false }", true),
        ] {
            let found = try ProvedAssertion.all(of: loaded(Self.file("", never)), at: Self.now)
            #expect(found.map(\.matchesNothing) == [isVacuous], "\(never)")
            #expect(found.map(\.finding) == [.proved])
        }
    }

    @Test("too many dates are told")
    func dates() throws {
        let rules = (0...TimeTable.datesMax).map { number in
            let (hour, minute) = (number / 60, number % 60)
            return PolicyPair.pay(
                "expires = 2027-01-01T0\(hour):\(minute < 10 ? "0" : "")\(minute):00Z",
                id: "r\(number)")
        }.joined()
        let found = try ProvedAssertion.all(
            of: loaded(Self.file(rules, AssertionRow.large)), at: Self.now)
        #expect(found.map(\.finding) == [.notProved("time")])
    }

    @Test("of 200 rules need little search")
    func size() throws {
        let rules = (0..<200).map { number in
            PolicyPair.pay(
                "key = \"k\(number % 20)\"\namount = { max = \"\(number % 5 + 1) ALGO\" }\n"
                    + "receiver = [\"bob\", \"r\(number)\"]", id: "r\(number)")
        }.joined()
        let policy = try loaded(Self.file(rules, AssertionRow.large))
        let times = try #require(TimeTable(policy.document.rules, from: Self.now))
        let question = try #require(
            AssertionQuestion(
                policy.document.assertions[0], of: policy, ProtocolID("algorand"), times, Self.now))
        #expect(question.isProved(conflictsMax: 500))
        #expect(try Self.sign(Self.file(rules, AssertionRow.large)) == ".")
        #expect(try Self.sign(Self.file(rules + small(6, id: "z"), AssertionRow.large)) == "+")
    }

    @Test("no random request contradicts", arguments: [5, 23, 71] as [UInt64])
    func agreement(seed: UInt64) throws {
        var random = RandomPolicies(generator: SeededGenerator(state: seed))
        var counts: [String: Int] = [:]
        for _ in 0..<60 {
            _ = random.file()
            let count = Int.random(in: 1...4, using: &random.generator)
            let rules = (0..<count).map { random.rule("r\($0)") }
            let never =
                random.rule("n", effect: "deny").split(separator: "\n").map(String.init)
                .filter { !$0.hasPrefix("effect") && !$0.hasPrefix("expires") }.joined(
                    separator: "\n"
                )
                .replacing("[[rule]]", with: "[[never]]\nbecause = \"x\"") + "\n"
            let text = random.file(rules + [never], fallback: "ask")
            guard let policy = try? loaded(text, at: 100),
                let found = ProvedAssertion.all(
                    of: policy, at: Timestamp(seconds: 100)
                ).first
            else {
                counts["not loaded", default: 0] += 1
                continue
            }
            switch found.finding {
            case .proved: counts["proved", default: 0] += 1
            case .shown: counts["shown", default: 0] += 1
            case .notProved: counts["not proved", default: 0] += 1
            }
            for _ in 0..<60 {
                let request = random.request()
                let judgement = try policy.judge(request, usage: FakeUsage())
                let isAllowed = judgement.verdict.name == "allow"
                guard isAllowed, found.assertion.isCertain(of: request, in: policy) else {
                    continue
                }
                counts["against", default: 0] += 1
                #expect(found.finding != .proved, "\(text)\n\(request)")
                #expect(!found.matchesNothing, "\(text)\n\(request)")
            }
        }
        #expect(counts["proved", default: 0] > 3, "\(counts)")
        #expect(counts["shown", default: 0] > 3, "\(counts)")
        #expect(counts["against", default: 0] > 4, "\(counts)")
    }
}
