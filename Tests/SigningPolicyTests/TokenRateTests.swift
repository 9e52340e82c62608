// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import SigningPolicyTools
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Budgets in a common unit that count tokens")
struct TokenRateTests {
    static func asset(_ decimals: Int = 6, network: String = "mainnet") -> String {
        "[asset.GOLD]\nprotocol = \"algorand\"\nnetwork = \"\(network)\"\nid = 5\n"
            + "decimals = \(decimals)\n"
    }

    static func file(
        _ rates: String = "ALGO = \"0.18\", \"GOLD@algorand\" = \"2\"", asset: String = asset(),
        rest: String = "", effect: String = "allow"
    ) -> String {
        asset
            + SharedBudgetTests.budget(
                "all", "{ amount = \"50 USD\", of = \"outflow\", per = \"1d\" }",
                "unit = \"USD\"\nrate = { \(rates) }\n\(rest)")
            + SharedBudgetTests.rule("r", "budget = \"all\"", effect: effect)
    }

    private static let algo = Outflow(
        Asset(
            id: "algorand/mainnet/algo", network: "mainnet", name: "microAlgo",
            unit: AmountUnit(symbol: "ALGO", decimals: 6, smallest: "microAlgo")), 1_000)

    private static func gold(_ amount: Int128, _ id: String = "mainnet/asset/5") -> Outflow {
        Outflow(
            Asset(id: "algorand/\(id)", network: "mainnet", name: "units", unit: nil), amount)
    }

    private static func judge(_ text: String, _ outflows: [Outflow]...) throws -> Judgement {
        try SharedBudgetTests.judge(text, request(outflows))
    }

    private static func request(_ operations: [[Outflow]]) -> FakeRequest {
        FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: operations.map {
                RequestedOperation(
                    account: .named("alice"), operation: .publicKey, facts: [], effects: [],
                    dangers: [], outflows: $0)
            })
    }

    @Test("add up coins and tokens at fixed rates, each rounded up")
    func sum() throws {
        let rows: [(outflows: [Outflow], amount: Int128?)] = [
            ([Self.algo, Self.gold(3_000_001)], 180_000 + 6_000_002_000),
            ([Self.gold(24_999_910), Self.algo], 50_000_000_000),
            ([Self.gold(24_999_911), Self.algo], nil), ([Self.gold(1)], 2_000),
            ([Self.gold(0)], 0), ([Self.gold(.max), Self.algo], nil),
            ([Self.gold(.max - 1), Self.gold(.max - 1)], nil),
        ]
        for row in rows {
            let judgement = try Self.judge(Self.file(), row.outflows)
            #expect(judgement.claims.first?.amount == row.amount, "\(row.outflows)")
            #expect(judgement.verdict.name == (row.amount == nil ? "ask" : "allow"))
        }
        let tiny = Self.file("ALGO = \"1\", \"GOLD@algorand\" = \"0.0000000001\"")
        #expect(try Self.judge(tiny, [Self.gold(1), Self.gold(1)]).claims.first?.amount == 2)
        // The operations of one request share the budget.
        let claims = try Self.judge(Self.file(), [Self.gold(1)], [Self.gold(2), Self.algo]).claims
        #expect(claims.map(\.amount) == [186_000])
        #expect(claims.map(\.counter) == ["all#sum(outflow in USD)"])
    }

    @Test("do not count a token without a rate, or of another network or contract")
    func unpriced() throws {
        let coinOnly = Self.file("ALGO = \"0.18\"")
        let rows: [(text: String, outflow: Outflow)] = [
            (coinOnly, Self.gold(1)), (coinOnly, Self.gold(0)),
            (Self.file(), Self.gold(1, "testnet/asset/5")),
            (Self.file(), Self.gold(1, "mainnet/asset/55")),
            (Self.file(), Self.gold(1, "mainnet/asset/5/5")),
            (Self.file(), Self.gold(1, "mainnet/token/5")),
            (Self.file(asset: Self.asset(network: "testnet")), Self.gold(1)),
        ]
        for row in rows {
            let judgement = try Self.judge(row.text, [Self.algo, row.outflow])
            #expect(judgement.verdict.name == "ask", "\(row)")
            #expect(judgement.claims.isEmpty)
        }
        let moved = Self.request([[Self.algo, Self.gold(1)]])
        let explained = try policy(coinOnly, version: 2)
            .explain(moved.judged(), usage: FakeUsage())
        #expect(
            explained.text.contains(
                "no match: its budget has no rate for algorand/mainnet/asset/5\n"))
        let final = try SharedBudgetTests.judge(
            Self.file("ALGO = \"0.18\"", rest: "final = true", effect: "ask"), moved)
        #expect(
            final.verdict.reasons.map(\.text) == [
                "the budget \"all\" cannot count this: it has no rate for "
                    + "algorand/mainnet/asset/5"
            ])
        #expect(final.verdict.name == "deny")
    }

    @Test("are part of the hash with the assets that they name")
    func canonical() throws {
        let first = try policy(Self.file(), version: 2)
        #expect(
            first.document.canonicalJSON.contains(
                #""rate":{"ALGO":"0.18","GOLD@algorand":"2"},"unit":"USD""#))
        #expect(!first.findings.contains { $0.code == "P0219" })
        let others = [
            Self.file("ALGO = \"0.18\", \"GOLD@algorand\" = \"2.0\""),
            Self.file("ALGO = \"0.18\""), Self.file(asset: Self.asset(7)),
            Self.file(asset: Self.asset(network: "testnet")),
        ]
        for other in others { #expect(try policy(other, version: 2).hash != first.hash) }
    }
}
