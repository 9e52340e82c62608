// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("The smallest change that would be allowed")
struct SmallestChangeTests {
    static func find(
        _ rules: String, _ request: JudgedRequest, _ usage: FakeUsage = FakeUsage()
    ) throws -> String? {
        SmallestChange.find(for: request, try policy(rules), usage: usage)?.text
    }

    @Test("is the nearest value of a field")
    func values() throws {
        let rule = payRule("amount = { min = \"1 ALGO\", max = \"5 ALGO\" }")
        #expect(
            try Self.find(rule, payment(7_000_000)) == "if amount were 5 ALGO (it is 7 ALGO)")
        #expect(try Self.find(rule, payment(1)) == "if amount were 1 ALGO (it is 0.000001 ALGO)")
        #expect(try Self.find(rule, payment(nil)) != nil)
        #expect(try Self.find(rule, payment(2_000_000)) == nil)
    }

    @Test("is the maximum of the receiver, of several in a table")
    func tables() throws {
        let rule = payRule(
            "limit = [{ amount = { ann = \"5 ALGO\", bob = \"2 ALGO\" }, of = \"amount\", "
                + "by = [\"receiver\"], per = \"1d\" }]")
        let found = SmallestChange.find(
            for: payment(2_000_001), try policy(rule, version: 2), usage: FakeUsage())
        #expect(found?.text == "if amount were 2 ALGO (it is 2.000001 ALGO)")
    }

    @Test("is a later time where a limit has room by then, to the second")
    func later() throws {
        let rule = payRule("limit = [{ count = 1, per = \"1h\" }]")
        // In fifty minutes, a use of ten minutes ago is outside the window.
        let fixed = FixedPast(time: 400)
        let found = SmallestChange.find(for: payment(1), try policy(rule), usage: fixed)
        #expect(found == .later(Timestamp(seconds: 4_000)))
        let hours = payRule("hours = \"09:00-10:00\"\ntz = \"UTC\"")
        #expect(try Self.find(hours, payment(1)) == "at 1970-01-01T09:00:00Z")
    }

    @Test("is the request without a flag, or a rule that names it")
    func dangers() throws {
        let rule = payRule("amount = { max = \"5 ALGO\" }")
        #expect(
            try Self.find(rule, payment(1, dangers: ["rekey"]))
                == "without the danger rekey")
        let two = payment(1, dangers: ["rekey", "close_out"])
        #expect(try Self.find(rule, two) == nil)
    }

    @Test("is missing where a rule denies it all, or two conditions fail")
    func none() throws {
        let denied = payRule("") + "[[rule]]\nid = \"no\"\neffect = \"deny\"\nkey = \"alice\"\n"
        #expect(try Self.find(denied, payment(1)) == nil)
        let both = payRule("amount = { max = \"5 ALGO\" }\nreceiver = \"eve\"")
        #expect(try Self.find(both, payment(7_000_000)) == nil)
    }

    /// A payment of an amount with a fee of 1,000 microAlgo, and other amounts that leave.
    private static func paying(
        _ amount: Int128, beside others: [Int128] = [], ofRequest: [Int128] = [],
        isCosigned: Bool = false
    ) -> JudgedRequest {
        let plain = payment(amount)
        func algo(_ amount: Int128) -> Outflow {
            let unit = AmountUnit(symbol: "ALGO", decimals: 6, smallest: "microAlgo")
            return Outflow(
                Asset(id: "algorand/testnet", network: "testnet", name: "microAlgo", unit: unit),
                amount)
        }
        let facts = plain.operations.flatMap(\.facts)
        let operations =
            [RequestedOperation.fake(facts, outflows: [algo(amount + 1_000)])]
            + others.map { .fake(facts, outflows: [algo($0)]) }
            + (isCosigned ? [.fake(facts, outflows: [algo(amount)], isCosigning: true)] : [])
        return JudgedRequest(
            adapter: plain.adapter, protocolID: plain.protocolID, method: plain.method,
            client: plain.client, peer: plain.peer, time: plain.time,
            frameBytes: plain.frameBytes, decoding: .full, facts: [], effects: [], dangers: [],
            operations: operations, ownAddresses: [], outflows: ofRequest.map(algo))
    }

    private static func findTotal(_ rules: String, _ request: JudgedRequest) throws -> String? {
        SmallestChange.find(
            for: request, try policy(rules, version: 2), usage: FakeUsage())?.text
    }

    @Test("moves the total with the amount: no change that the total forbids is named")
    func totals() throws {
        let total = "request.total.ALGO = { max = \"5 ALGO\" }\n"
        let small = payRule(total + "amount = { min = \"6 ALGO\" }")
        #expect(try Self.findTotal(small, Self.paying(4_000_000)) == nil)
        let both = payRule(total + "amount = { max = \"4.999 ALGO\" }")
        #expect(
            try Self.findTotal(both, Self.paying(7_000_000))
                == "if amount were 4.999 ALGO (it is 7 ALGO)")
        let tight = payRule(total + "amount = { max = \"5 ALGO\" }")
        #expect(try Self.findTotal(tight, Self.paying(5_000_000))?.contains("4.999999") != true)
        // Of what leaves beside the operation nothing is forgotten.
        let beside = payRule(total + "amount = { max = \"2 ALGO\" }")
        #expect(try Self.findTotal(beside, Self.paying(3_000_000)) != nil)
        #expect(try Self.findTotal(beside, Self.paying(3_000_000, ofRequest: [5_000_000])) == nil)
        let outflow = payRule("outflow = { max = \"2 ALGO\" }\namount = { min = \"3 ALGO\" }")
        #expect(try Self.findTotal(outflow, Self.paying(1_000_000)) == nil)
    }

    @Test("takes no long time with thousands of rules that have hours and lack a danger")
    func many() throws {
        let rules = (0..<3_000).map { number in
            payRule(
                "unless = { hours = \"00:00-24:00\", tz = \"UTC\" }\n"
                    + "limit = [{ count = 1, per = \"1h\" }]", id: "r\(number)")
        }
        let request = payment(1, dangers: ["rekey", "close_out"])
        let policy = try policy(rules.joined(), version: 2)
        let start = ContinuousClock.now
        #expect(SmallestChange.find(for: request, policy, usage: FakeUsage()) == nil)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    /// One use at a fixed time.
    struct FixedPast: LimitUsage {
        func firstUse(of _: Counterparty) throws(LedgerError) -> FirstUse { .never }

        let time: Int64

        func usedByName(_: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 { 0 }

        func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
            time > claim.window.lastUncounted(before: now) ? 1 : 0
        }
    }
}
