// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningPolicy
import Testing

@testable import SigningCore
@testable import SigningPolicyTools

@Suite("Grants as rules")
struct GrantRuleTests {
    private static let schema = FactSchema(
        protocolID: ProtocolID("algorand"), methods: ["sign_transactions"],
        fields: [
            FactField("amount", .algo, varies: .upTo, note: ""),
            FactField("receiver", .account, note: ""),
            FactField("rekey_to", .account, note: ""),
            FactField("note", .text, varies: .free, note: ""),
            FactField("app.assets", .integer, isList: true, note: ""),
            FactField("outflow", .algo, varies: .upTo, note: ""),
        ], dangers: [Danger("rekey")])

    private static let coin = Asset(
        id: "ALGO", network: "mainnet", name: "ALGO",
        unit: AmountUnit(symbol: "ALGO", decimals: 6, smallest: "microAlgo"))

    private func total(_ amount: Int128, counter: String = "t", of asset: Asset = coin)
        -> Grant.Total
    { Grant.Total(Outflow(asset, amount), counter: counter) }

    private func grant(
        _ facts: [Fact], bounds: [Fact] = [], dangers: [Danger] = [], usesMax: Int64? = nil,
        totals: [Grant.Total] = [], per: Remembering.Period? = nil, expires: Int64? = nil,
        isBroad: Bool = false, client: String = "app"
    ) -> Grant {
        Grant(
            id: [UInt8](repeating: 7, count: 8), answer: .yes,
            scope: Grant.Scope(
                client: client, proof: .claimed, key: RequestedOperation.fake().account.id,
                protocolID: ProtocolID("algorand"), method: "sign_transactions", facts: facts,
                isBroad: isBroad),
            dangers: dangers, created: Timestamp(seconds: 0),
            expires: expires.map { Timestamp(seconds: $0) }, login: nil, usesMax: usesMax,
            bounds: bounds, totals: totals, per: per)
    }

    private func text(
        _ grant: Grant, uses: Int64? = nil, totals: [Int128] = [], isShared: Bool = false
    ) throws -> String {
        try GrantRule(
            grant, keyName: "alice", schema: Self.schema,
            left: GrantRemainder(
                uses: uses, totals: totals, isShared: isShared, time: Timestamp(seconds: 1_000))
        ).text
    }

    private func policy(_ text: String) throws -> TOMLPolicy {
        try TOMLPolicy.load(
            Array(("version = 2\ndefault = \"ask\"\n" + text).utf8).span, fileName: "p",
            schemas: [Self.schema], at: Timestamp(seconds: 1_000), sha256: fakeDigest)
    }

    private func request(
        _ facts: [Fact], dangers: [String] = [], outflow: Int128? = nil, client: String = "app",
        key: String = "alice", decoding: Decoding = .full
    ) -> JudgedRequest {
        let outflows = outflow.map { [Outflow(Self.coin, $0)] } ?? []
        return JudgedRequest(
            adapter: AdapterID("test"), protocolID: ProtocolID("algorand"),
            method: "sign_transactions", client: Client(id: client, name: nil, proof: .claimed),
            peer: Peer(channel: ChannelName("cli")), time: Timestamp(seconds: 1_000),
            frameBytes: 0, decoding: decoding, facts: [], effects: [], dangers: [],
            operations: [.fake(key: key, facts, dangers: dangers, outflows: outflows)],
            ownAddresses: [])
    }

    /// Requests with every combination of a few values.
    private var requests: [JudgedRequest] {
        var all: [JudgedRequest] = []
        let receivers: [FactValue?] = [nil, .text("bob"), .text("eve"), .text("@own")]
        let lists: [FactValue?] = [
            nil, .list([]), .list([.integer(1)]), .list([.integer(1), .integer(1)]),
            .list([.integer(2)]),
        ]
        for amount in [nil, 0, 5, 6] as [Int128?] {
            for receiver in receivers {
                for rekey in [nil, .text("bob")] as [FactValue?] {
                    for list in lists {
                        for dangers in [[], ["rekey"]] {
                            let facts = [
                                ("amount", amount.map { .integer($0) }), ("receiver", receiver),
                                ("rekey_to", rekey), ("app.assets", list),
                                ("note", .text("any")),
                            ].compactMap { name, value in value.map { Fact(name, $0) } }
                            all.append(request(facts, dangers: dangers))
                        }
                    }
                }
            }
        }
        return all + [
            request([Fact("receiver", .text("bob"))], client: "other"),
            request([Fact("receiver", .text("bob"))], key: "carol"),
            request([Fact("receiver", .text("bob"))], decoding: .partial),
        ]
    }

    /// Whether the hub would let the grant answer for a request.
    private func covers(_ grant: Grant, _ request: JudgedRequest) -> Bool {
        // The keys of these requests differ in their names only.
        request.decoding == .full && request.operations[0].account.name == "alice"
            && request.grantScopes(in: Self.schema) == [grant.scope]
            && grant.covers(request.dangers + request.operations[0].dangers)
            && grant.bounds(request.bounds(in: Self.schema)[0])
    }

    @Test(
        "a rule allows exactly the requests that its grant covers, and its test passes",
        arguments: [
            [Fact("receiver", .text("bob"))],
            [Fact("app.assets", .list([])), Fact("receiver", .text("@own"))],
            [Fact("app.assets", .list([.integer(1), .integer(1)]))],
            [Fact("app.assets", .list([.integer(1)])), Fact("rekey_to", .text("bob"))],
        ])
    func equal(_ facts: [Fact]) throws {
        for bounds in [[], [Fact("amount", .integer(5))]] {
            for dangers in [[], [Danger("rekey")]] {
                let grant = grant(facts, bounds: bounds, dangers: dangers, usesMax: 3)
                let policy = try policy(try text(grant, uses: 3))
                var count = 0
                for request in requests {
                    let isAllowed =
                        try policy.judge(request, usage: FakeUsage()).verdict.name == "allow"
                    #expect(isAllowed == covers(grant, request))
                    count += isAllowed ? 1 : 0
                }
                #expect(count > 0)
                try passes(policy)
            }
        }
    }

    /// Runs the test of an exported grant.
    private func passes(_ policy: TOMLPolicy) throws {
        let test = try #require(policy.document.tests.first)
        guard case .described(let described) = test.request else {
            Issue.record("the test has a file")
            return
        }
        let request = request(
            described.facts, dangers: described.dangers.map(\.name), outflow: described.outflow)
        #expect(TestRun(policy, [TestCase(test, request)]).failures.isEmpty)
    }

    @Test("the uses and the amounts that are left become limits")
    func limits() throws {
        let facts = [Fact("receiver", .text("bob"))]
        let bounds = [Fact("amount", .integer(5))]
        let once = try text(grant(facts, usesMax: 9), uses: 4)
        #expect(once.contains("limit = [{ uses = 4 }]"))
        let spending = grant(facts, bounds: bounds, totals: [total(20_000_000)], expires: 174_000)
        let total = try text(spending, totals: [7_500_000])
        #expect(
            total.contains("limit = [{ amount = \"7.5 ALGO\", of = \"outflow\", per = \"3d\" }]"))
        let policy = try policy(total)
        try passes(policy)
        func verdict(_ outflow: Int128?) throws -> String {
            try policy.judge(request(facts + bounds, outflow: outflow), usage: FakeUsage())
                .verdict.name
        }
        #expect(try verdict(7_500_000) == "allow")
        #expect(try verdict(7_500_001) == "ask")
        #expect(try verdict(nil) == "ask")
        let endless = try text(grant(facts, totals: [self.total(9)]), totals: [9])
        #expect(endless.contains("per = \"365d\"") && endless.contains("expires = 1971-01-01"))
        let daily = try text(
            grant(facts, usesMax: 2, totals: [self.total(9)], per: .day), uses: 2, totals: [9])
        #expect(daily.contains("{ count = 2, per = \"1d\" }, { amount"))
        #expect(daily.contains("of = \"outflow\", per = \"1d\" }]"))
    }

    @Test(
        "a test that describes a request wrongly is an error",
        arguments: [
            "protocol = \"bitcoin\"", "operation = \"mint\"", "facts = { unheard = 1 }",
            "facts = { amount = 5 }", "facts = { receiver = [\"bob\"] }",
            "facts = { \"app.assets\" = 1 }", "facts = { outflow = \"1 ALGO\" }",
            "facts = { client = \"app\" }", "facts = 1", "dangers = [\"unheard\"]",
            "outflow = \"1 NEAR\"", "request = \"file\"", "adapter = \"arc27\"", "key = 1",
        ])
    func wrongTests(_ line: String) throws {
        let good = [
            "name": "\"a\"", "protocol": "\"algorand\"", "operation": "\"sign_transactions\"",
            "key": "\"alice\"", "facts": "{}", "expect": "\"ask\"",
        ]
        func text(_ members: [String: String]) -> String {
            "[[test]]\n" + members.map { "\($0.key) = \($0.value)\n" }.sorted().joined()
        }
        _ = try policy(text(good))
        let parts = line.split(separator: " = ", maxSplits: 1).map(String.init)
        var wrong = good
        wrong[parts[0]] = parts[1]
        #expect(throws: (any Error).self, "\(line)") { try policy(text(wrong)) }
        var lacking = good
        lacking["key"] = nil
        #expect(throws: (any Error).self) { try policy(text(lacking)) }
    }

    @Test("a grant that no rule can hold is refused with the reason")
    func refused() {
        let facts = [Fact("receiver", .text("bob"))]
        let token = Asset(id: "X", network: "mainnet", name: "X", unit: nil)
        let mixed: FactValue = .list([.integer(1), .integer(2)])
        let cases: [(Grant, Int64?, [Int128], Bool, String)] = [
            (grant([Fact("app.assets", mixed)]), nil, [], false, "the order of the list"),
            (grant([Fact("unheard", .bool(true))]), nil, [], false, "cannot name its field"),
            (grant(facts, totals: [total(9)]), nil, [9], true, "shares its total"),
            (grant(facts, totals: [total(9)]), nil, [0], false, "nothing is left"),
            (grant(facts, usesMax: 3), 0, [], false, "nothing is left"),
            (grant(facts, client: "a*b"), nil, [], false, "cannot name its client"),
            (grant(facts, totals: [total(9, of: token)]), nil, [9], false, "total of a token"),
        ]
        for (grant, uses, totals, isShared, reason) in cases {
            do {
                let text = try text(grant, uses: uses, totals: totals, isShared: isShared)
                Issue.record("\(text)")
            } catch {
                #expect("\(error)".contains(reason))
            }
        }
    }
}
