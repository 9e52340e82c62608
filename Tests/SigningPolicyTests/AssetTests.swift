// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Assets")
struct AssetTests {
    static let gold = asset("GOLD", 1)
    static let dust = asset("DUST", 4, "decimals = 0")

    static func asset(_ name: String, _ id: Int, _ rest: String = "decimals = 6") -> String {
        "[asset.\(name)]\nprotocol = \"algorand\"\nnetwork = \"mainnet\"\nid = \(id)\n\(rest)\n"
    }

    static func rule(_ rest: String, id: String = "a", effect: String = "allow") -> String {
        "[[rule]]\nid = \"\(id)\"\neffect = \"\(effect)\"\nprotocol = \"algorand\"\n\(rest)\n"
    }

    static func transfer(
        _ amount: Int128, of asset: Int128? = 1, on network: String? = "mainnet"
    ) -> FakeRequest {
        var facts = [Fact("asset.amount", .integer(amount))]
        if let asset { facts.append(Fact("asset", .integer(asset))) }
        if let network { facts.append(Fact("network", .text(network))) }
        return FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: [.fake(facts)])
    }

    private static let cap = "\"asset.amount\" = { max = \"5.5 GOLD\" }"
    private static let daily =
        "limit = [{ amount = \"9.000001 GOLD\", of = \"asset.amount\", per = \"1d\" }]"

    /// A rule in decimals, and the same rule with everything written out.
    private static let pairs: [(decimals: String, written: String)] = [
        (rule(cap), rule("network = \"mainnet\"\nasset = 1\n\"asset.amount\" = { max = 5500000 }")),
        (
            rule("\"asset.amount\" = [\"1 GOLD\", 7]\nasset = 1"),
            rule("network = \"mainnet\"\nasset = 1\n\"asset.amount\" = [1000000, 7]")
        ),
        (
            rule(cap, effect: "deny"),
            rule(
                "network = \"mainnet\"\nasset = 1\n\"asset.amount\" = { max = 5500000 }",
                effect: "deny")
        ),
        (
            rule("unless = { \"asset.amount\" = { min = \"0.000001 GOLD\" } }\nkey = \"k\""),
            rule(
                "key = \"k\"\nunless = { network = \"mainnet\", asset = 1, "
                    + "\"asset.amount\" = { min = 1 } }")
        ),
        (
            rule(daily),
            rule(
                "network = \"mainnet\"\nasset = 1\n"
                    + "limit = [{ amount = 9000001, of = \"asset.amount\", per = \"1d\" }]")
        ),
    ]

    @Test("an amount in the unit of an asset is the integer, for this asset only", arguments: 0..<5)
    func meaning(_ place: Int) throws {
        let pair = Self.pairs[place]
        let decimals = try policy(Self.gold + pair.decimals, version: 2)
        let written = try policy(Self.gold + pair.written, version: 2)
        #expect(decimals.document.canonicalJSON == written.document.canonicalJSON)
    }

    @Test("another asset, another network and missing facts are not covered")
    func others() throws {
        let allowing = try policy(Self.gold + Self.rule(Self.cap), version: 2)
        let denying = try policy(Self.gold + Self.rule(Self.cap, effect: "deny"), version: 2)
        let limiting = try policy(Self.gold + Self.rule(Self.daily), version: 2)
        for (request, word, denial) in [
            (Self.transfer(5_500_000), "allow", "deny"),
            (Self.transfer(5_500_001), "ask", "ask"),
            (Self.transfer(5, of: 4), "ask", "ask"),
            (Self.transfer(5, on: "testnet"), "ask", "ask"),
            (Self.transfer(5, of: nil), "ask", "deny"),
            (Self.transfer(5, on: nil), "ask", "deny"),
        ] {
            #expect(try allowing.verdict(request) == word)
            #expect(try denying.verdict(request) == denial)
        }
        for (request, word) in [
            (Self.transfer(9_000_001), "allow"), (Self.transfer(9_000_002), "ask"),
            (Self.transfer(5, of: 4), "ask"), (Self.transfer(5, of: nil), "ask"),
        ] {
            #expect(try limiting.verdict(request) == word)
        }
        let left = try limiting.verdict(Self.transfer(2), ["a#sum(asset.amount)": 9_000_000])
        #expect(left == "ask")
    }

    @Test("amounts are read exactly, up to 2^127 - 2")
    func exact() throws {
        let most = "170141183460469231731.687303715884105726"
        let policy = try policy(
            Self.asset("WEI", 1, "decimals = 18")
                + Self.rule("\"asset.amount\" = { max = \"\(most) WEI\" }"), version: 2)
        #expect(try policy.verdict(Self.transfer(.max - 1)) == "allow")
        #expect(try policy.verdict(Self.transfer(.max)) == "ask")
    }

    @Test("a budget in an asset makes the rules that draw on it narrower")
    func budgets() throws {
        let budget =
            "[budget.gold]\n"
            + "limit = [{ amount = \"9 GOLD\", of = \"asset.amount\", per = \"1d\" }]\n"
        let policy = try policy(
            Self.gold + budget + Self.rule("budget = \"gold\""), version: 2)
        #expect(try policy.verdict(Self.transfer(9_000_000)) == "allow")
        #expect(try policy.verdict(Self.transfer(9_000_001)) == "ask")
        #expect(try policy.verdict(Self.transfer(1, of: 4)) == "ask")
        let asking = Self.gold + budget + Self.rule("budget = \"gold\"", effect: "ask")
        #expect(
            throws: PolicyLoadError.self, "an ask rule says itself which asset it is about"
        ) { try PolicyReference.policy(asking, version: 2) }
        let named = asking + "network = \"mainnet\"\nasset = 1\n"
        let precise = try PolicyReference.policy(named, version: 2)
        #expect(try precise.verdict(Self.transfer(1)) == "ask")
        // A person's yes counts also where the request does not say which asset it moves.
        let judgement = try precise.judge(Self.transfer(5, of: nil).judged(), usage: FakeUsage())
        #expect(judgement.verdict.name == "ask" && judgement.claims.map(\.amount) == [5])
    }

    @Test("the explanation shows amounts in the unit of the asset")
    func words() throws {
        let policy = try policy(Self.gold + Self.rule(Self.cap + "\n" + Self.daily), version: 2)
        let explained = try policy.explain(Self.transfer(6_000_000).judged(), usage: FakeUsage())
        guard case .unmatched(_, let actual, let wanted) = explained.rules[0].state else {
            Issue.record("the rule matches")
            return
        }
        #expect(actual == "6 GOLD" && wanted == "at most 5.5 GOLD")
        let other = try policy.explain(Self.transfer(6, of: 4).judged(), usage: FakeUsage())
        guard case .unmatched(let field, _, _) = other.rules[0].state else { return }
        #expect(field == "asset")
        let fitting = try policy.explain(Self.transfer(5_000_000).judged(), usage: FakeUsage())
        #expect(fitting.rules[0].limits.map { $0.shown($0.left) } == ["9.000001 GOLD"])
    }

    @Test("the hash covers the assets, also those that no amount names")
    func hash() throws {
        let texts = [
            Self.gold, Self.asset("GOLD", 1, "decimals = 7"), Self.asset("GOLD", 2), "",
            Self.gold.replacing("mainnet", with: "testnet"), Self.gold + Self.dust,
        ]
        let hashes = try texts.map { try policy($0, version: 2).hash }
        #expect(Set(hashes).count == texts.count)
    }
}
