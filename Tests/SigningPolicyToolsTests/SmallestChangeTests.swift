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

    /// One use at a fixed time.
    struct FixedPast: LimitUsage {
        let time: Int64

        func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
            time > claim.window.lastUncounted(before: now) ? 1 : 0
        }
    }
}
