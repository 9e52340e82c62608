// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Amounts, uses, scopes and calendars")
struct BudgetTests {
    static func rule(_ limits: String, _ rest: String = "") -> String {
        "[[rule]]\nid = \"pay\"\neffect = \"allow\"\nprotocol = \"algorand\"\n"
            + "limit = [\(limits)]\n\(rest)\n"
    }

    static func payments(_ amounts: Int128?..., key: String = "alice") -> FakeRequest {
        FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: amounts.map { amount in
                .fake(key: key, amount.map { [Fact("amount", .integer($0))] } ?? [])
            })
    }

    @Test("an amount is exact in its smallest unit, in either spelling")
    func amounts() throws {
        for text in ["20 ALGO", "20000000 microAlgo"] {
            let policy = try policy(
                Self.rule("{ amount = \"\(text)\", of = \"amount\", per = \"1d\" }"))
            let counter = "pay#sum(amount)"
            #expect(try policy.verdict(Self.payments(20_000_000)) == "allow")
            #expect(try policy.verdict(Self.payments(20_000_001)) == "deny")
            #expect(try policy.verdict(Self.payments(1), [counter: 19_999_999]) == "allow")
            #expect(try policy.verdict(Self.payments(1), [counter: 20_000_000]) == "deny")
            #expect(try policy.verdict(Self.payments(.max), [counter: .max]) == "deny")
            // The record would refuse a request that takes nothing of an overused limit, too.
            #expect(try policy.verdict(Self.payments(0), [counter: 20_000_000]) == "allow")
            #expect(try policy.verdict(Self.payments(0), [counter: 20_000_001]) == "deny")
            // Each payment would fit alone.
            #expect(try policy.verdict(Self.payments(12_000_000, 9_000_000)) == "deny")
            let judgement = try policy.judge(
                Self.payments(12_000_000, 8_000_000).judged(), usage: FakeUsage())
            #expect(
                judgement.claims == [
                    LimitClaim(
                        counter: counter, window: .sliding(seconds: 86_400), maximum: 20_000_000,
                        amount: 20_000_000)
                ])
        }
    }

    @Test("a missing amount is unknown and never 0, a negative one too")
    func missingAmount() throws {
        let policy = try policy(
            Self.rule("{ amount = \"20 ALGO\", of = \"amount\", per = \"1d\" }"))
        let request = Self.payments(nil)
        #expect(try policy.verdict(request) == "ask")
        #expect(try policy.verdict(Self.payments(-5)) == "ask")
        let explanation = try policy.explain(request.judged(), usage: FakeUsage())
        #expect(explanation.rules.map(\.state) == [.unknown(fields: ["amount"])])
        #expect(explanation.usedDefault)
    }

    @Test("a whole balance fits no limit of an amount, although the request states 0")
    func balances() throws {
        let amount = "{ amount = \"20 ALGO\", of = \"amount\", per = \"1d\" }"
        let balance = Outflow(Asset(id: "x", network: "mainnet", name: "units", unit: nil), .max)
        var request = Self.payments(0)
        #expect(try policy(Self.rule(amount)).verdict(request) == "allow")
        request.operations = request.operations.map { operation in
            RequestedOperation(
                account: operation.account, operation: operation.operation,
                facts: operation.facts, effects: operation.effects, dangers: operation.dangers,
                outflows: [balance])
        }
        #expect(try policy(Self.rule(amount)).verdict(request) == "deny")
        #expect(try policy(Self.rule("{ count = 1, per = \"1d\" }")).verdict(request) == "allow")
    }

    @Test("uses count for ever, and beside windows only once")
    func uses() throws {
        let policy = try policy(Self.rule("{ uses = 3 }, { count = 2, per = \"1h\" }"))
        let judgement = try policy.judge(Self.payments(1, 1).judged(), usage: FakeUsage())
        #expect(
            judgement.claims == [
                LimitClaim(counter: "pay#count", window: .ever, maximum: 3, amount: 2),
                LimitClaim(
                    counter: "pay#count", window: .sliding(seconds: 3_600), maximum: 2, amount: 2),
            ])
        #expect(try policy.verdict(Self.payments(1, 1, 1)) == "deny")
        #expect(
            try policy.verdict(Self.payments(1), ["pay#count": 3, "pay#count/3600": 0]) == "deny")
    }

    @Test("by gives every value a separate counter")
    func scopes() throws {
        let policy = try policy(
            Self.rule(
                "{ count = 2, per = \"1h\", by = [\"receiver\", \"key\"] }, { uses = 9 }"))
        func claims(_ receivers: String...) throws -> [String] {
            let request = FakeRequest(
                protocolID: ProtocolID("algorand"), method: "sign_transactions",
                operations: receivers.map { .fake([Fact("receiver", .text($0))]) })
            return try policy.judge(request.judged(), usage: FakeUsage()).claims.map(\.counter)
                .filter { $0 != "pay#count" }
        }
        #expect(
            try claims("a", "b") == [
                "pay#count[key=nostr:alice,receiver=a]",
                "pay#count[key=nostr:alice,receiver=b]",
            ])
        #expect(try claims("a", "a") == ["pay#count[key=nostr:alice,receiver=a]"])
        #expect(try claims("a", "a", "a") == [])
        // A value cannot contain the separator of the counter's parts.
        #expect(
            try claims("a,key=b]%") == ["pay#count[key=nostr:alice,receiver=a%2ckey%3db%5d%25]"])
        #expect(try policy.verdict(Self.payments(1)) == "ask")
        #expect(try claims(String(repeating: "x", count: 513)) == [])
    }

    @Test(
        "beside a limit for all, each hub has a separate share, and a hub without one has nothing")
    func shares() throws {
        let policy = try policy(
            Self.rule("{ count = 6, per = \"1d\" }, { count = 3, per = \"1d\", by = [\"hub\"] }"))
        func verdict(_ hub: String?, _ used: [String: Int128]) throws -> String {
            var request = Self.payments(1).judged()
            request.hub = hub
            return try policy.judge(request, usage: FakeUsage(counts: used)).verdict.name
        }
        #expect(try verdict("one", [:]) == "allow")
        #expect(try verdict("one", ["pay#count": 5, "pay#count[hub=one]": 2]) == "allow")
        #expect(try verdict("one", ["pay#count": 3, "pay#count[hub=one]": 3]) == "deny")
        #expect(try verdict("two", ["pay#count": 3, "pay#count[hub=two]": 0]) == "allow")
        #expect(try verdict("two", ["pay#count": 6, "pay#count[hub=two]": 2]) == "deny")
        #expect(try verdict(nil, [:]) == "ask")
    }

    @Test("a calendar limit begins anew with the local day, also where clocks change")
    func calendar() throws {
        let policy = try policy(
            Self.rule("{ count = 1, per = \"day\" }", "tz = \"Europe/Berlin\""))
        func start(_ seconds: Int64) throws -> Int64? {
            let claims = try policy.judge(
                Self.payments(1).judged(at: seconds), usage: FakeUsage()
            ).claims
            guard case .since(let start) = claims.first?.window else { return nil }
            return start.seconds
        }
        // 2026-03-29 begins at 23:00Z the day before (00:00 CET); clocks go forward at 01:00Z.
        #expect(try start(1_774_738_800) == 1_774_738_800)
        #expect(try start(1_774_738_799) == 1_774_738_800 - 86_400)
        #expect(try start(1_774_738_800 + 20 * 3_600) == 1_774_738_800)
        // This day has 23 hours.
        #expect(try start(1_774_738_800 + 23 * 3_600 - 1) == 1_774_738_800)
        #expect(try start(1_774_738_800 + 23 * 3_600) == 1_774_738_800 + 23 * 3_600)
        // 2026-10-25 has 25 hours.
        #expect(try start(1_792_879_200 + 25 * 3_600 - 1) == 1_792_879_200)
        #expect(try start(1_792_879_200 + 25 * 3_600) == 1_792_879_200 + 25 * 3_600)
    }

    @Test(
        "units of a calendar begin where a calendar says",
        arguments: [
            (CalendarUnit.hour, "2026-11-21T12:00:00Z", "2026-11-21T13:00:00Z"),
            (.day, "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"),
            (.week, "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z"),
            (.month, "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"),
            (.year, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ])
    func units(_ row: (unit: CalendarUnit, start: String, end: String)) throws {
        let zone = try #require(Zone(named: "UTC"))
        // 2026-11-21T12:34:56Z, a Saturday.
        let time = Timestamp(seconds: 1_795_264_496)
        #expect(row.unit.start(at: time, in: zone).utcText == row.start)
        #expect(row.unit.end(at: time, in: zone).utcText == row.end)
        for seconds in [Int64.min, .min + 1, -1, 0, .max - 1, .max] {
            let time = Timestamp(seconds: seconds)
            let start = row.unit.start(at: time, in: zone)
            #expect(start <= time || seconds <= .min + 1)
            #expect(start < row.unit.end(at: time, in: zone))
        }
    }

    @Test("midnights that clocks skip or repeat begin a day anyway")
    func oddMidnights() throws {
        // 2018-11-04: clocks in Sao Paulo went from 00:00 to 01:00, at 03:00Z.
        let zone = try #require(Zone(named: "America/Sao_Paulo"))
        let skipped = Timestamp(seconds: 1_541_300_400)
        let noon = Timestamp(seconds: skipped.seconds + 11 * 3_600)
        #expect(CalendarUnit.day.start(at: noon, in: zone) == skipped)
        #expect(CalendarUnit.day.start(at: skipped, in: zone) == skipped)
        // 2018-02-18: clocks went from 00:00 back to 23:00, at 02:00Z; the new day begins at
        // 03:00Z.
        let repeated = Timestamp(seconds: 1_518_922_800)
        let second = Timestamp(seconds: repeated.seconds - 600)
        #expect(CalendarUnit.day.start(at: second, in: zone).utcText == "2018-02-17T02:00:00Z")
        #expect(CalendarUnit.day.start(at: repeated, in: zone) == repeated)
    }
}
