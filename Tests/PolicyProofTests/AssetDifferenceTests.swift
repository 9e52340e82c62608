// SPDX-License-Identifier: Apache-2.0

import PolicyProof
import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@Suite("Differences of amounts in the units of assets")
struct AssetDifferenceTests {
    private static func asset(_ decimals: Int = 6, _ network: String = "mainnet") -> String {
        "[asset.GOLD]\nprotocol = \"algorand\"\nnetwork = \"\(network)\"\nid = 1\n"
            + "decimals = \(decimals)\n"
    }

    private static func rule(_ rest: String) -> String { PolicyPair.pay(rest) }

    private static func capped(_ amount: String) -> String {
        rule("\"asset.amount\" = { max = \"\(amount)\" }")
    }

    private static func limited(_ amount: String) -> String {
        rule("limit = [{ amount = \(amount), of = \"asset.amount\", per = \"1d\" }]")
    }

    private static func priced(_ rate: String?, _ asset: String = asset()) -> String {
        asset + "[budget.all]\nunit = \"USD\"\nrate = { ALGO = \"1\""
            + (rate.map { ", \"GOLD@algorand\" = \"\($0)\"" } ?? "") + " }\n"
            + "limit = [{ amount = \"5 USD\", of = \"outflow\", per = \"1d\" }]\n"
            + rule("budget = \"all\"")
    }

    /// A rule with the most that a request may send in all.
    private static func total(
        _ name: String, _ most: String, _ more: String = "", _ asset: String = asset()
    ) -> String {
        asset + rule("request.total.\(name) = { max = \"\(most) \(name)\" }\n\(more)")
    }

    private static let pins = "network = \"mainnet\"\nasset = 1\n"

    /// Old and new policy, and the signs of `PolicyPair`.
    private static let pairs: [(old: String, new: String, signs: String)] = [
        (asset() + capped("5 GOLD"), asset() + capped("6 GOLD"), "+..."),
        (asset() + capped("5 GOLD"), asset() + capped("4.999999 GOLD"), ".+.."),
        (asset() + capped("5 GOLD"), asset(7) + capped("0.5 GOLD"), "...."),
        (asset() + capped("5 GOLD"), asset(7) + capped("5 GOLD"), "+..."),
        (asset() + capped("5 GOLD"), asset(6, "testnet") + capped("5 GOLD"), "++.."),
        (
            asset() + capped("5 GOLD"),
            rule(pins + "\"asset.amount\" = { max = 5000000 }"), "...."
        ),
        (
            asset() + capped("5 GOLD"), rule("\"asset.amount\" = { max = 5000000 }"), "+..."
        ),
        (
            asset() + limited("\"5 GOLD\""),
            rule(pins + "limit = [{ amount = 5000000, of = \"asset.amount\", per = \"1d\" }]"),
            "...."
        ),
        (asset() + limited("\"5 GOLD\""), asset() + limited("\"6 GOLD\""), "+??."),
        (total("GOLD", "5"), total("GOLD", "5"), "...."),
        (total("GOLD", "5"), total("GOLD", "6"), "+..."),
        (total("GOLD", "6"), total("GOLD", "5"), ".+.."),
        (total("ALGO", "5"), total("ALGO", "5.000001"), "+..."),
        (total("ALGO", "5"), total("GOLD", "5"), "++.."),
        (total("GOLD", "5"), total("GOLD", "0.5", "", asset(7)), "...."),
        // The name means another token.
        (total("GOLD", "5"), total("GOLD", "5", "", asset(6, "testnet")), "????"),
        // Several operations are needed for more than one of them may send.
        (
            total("ALGO", "5", "outflow = { max = \"2 ALGO\" }"),
            total("ALGO", "7", "outflow = { max = \"2 ALGO\" }"), "+..."
        ),
        (
            total("ALGO", "5", "outflow = { max = \"2 ALGO\" }"),
            total("ALGO", "7", "outflow = { max = \"2 ALGO\" }\nrequest.operations = 4"), "++.."
        ),
        (rule("type = \"pay\""), total("ALGO", "7", "type = \"pay\""), ".+.."),
        // What a budget with a unit counts is not modelled, so nothing is proved about it.
        (priced("1"), priced("1"), "...."), (priced("1"), priced("2"), "????"),
        (priced("1"), priced("1", asset(7)), "????"),
        (priced("1"), priced("1", asset(6, "testnet")), "????"),
        (priced("1"), priced(nil), "????"),
    ]

    @Test("are proved like those of integers", arguments: 0..<pairs.count)
    func signs(_ place: Int) throws {
        let pair = Self.pairs[place]
        let difference = ProvedDifference(
            from: try policy(pair.old, version: 2), to: try policy(pair.new, version: 2),
            at: Timestamp(seconds: 1_795_000_000))
        #expect(PolicyPair.signs(of: difference) == pair.signs)
    }

    @Test("name the amount in a common unit and the total of which nothing is proved")
    func named() throws {
        for (old, new, part) in [
            (Self.priced("1"), Self.priced("2"), "outflow in USD"),
            (
                Self.total("GOLD", "5"), Self.total("GOLD", "5", "", Self.asset(6, "testnet")),
                "request.total.GOLD"
            ),
        ] {
            let difference = ProvedDifference(
                from: try policy(old, version: 2), to: try policy(new, version: 2),
                at: Timestamp(seconds: 1_795_000_000))
            #expect(difference[.newlyAllowed] == .notProved(part))
        }
    }

    @Test("show amounts in the unit of the asset that the request is about, if it is certain")
    func units() throws {
        let six = Self.asset() + Self.capped("6 GOLD")
        let rows: [(old: String, new: String, amount: String)] = [
            (Self.asset() + Self.capped("5 GOLD"), six, "asset.amount is 5.000001 GOLD"),
            // The two files differ about the decimals.
            (Self.asset(7) + Self.capped("0.5 GOLD"), six, "asset.amount is 5000001"),
            (
                Self.asset() + Self.limited("\"5 GOLD\""),
                Self.asset() + Self.limited("\"6 GOLD\""), "asset.amount is 5.000001 GOLD"
            ),
        ]
        for row in rows {
            let difference = ProvedDifference(
                from: try policy(row.old, version: 2), to: try policy(row.new, version: 2),
                at: Timestamp(seconds: 1_795_000_000))
            guard case .shown(let witness) = difference[.newlyAllowed] else {
                Issue.record("\(difference[.newlyAllowed])")
                continue
            }
            #expect(witness.request.contains(row.amount), "\(witness)")
        }
    }

    @Test("an assertion may name an amount in the unit of an asset")
    func assertions() throws {
        let never =
            "[[never]]\nid = \"n\"\nbecause = \"x\"\nprotocol = \"algorand\"\n"
            + "\"asset.amount\" = { min = \"5.000001 GOLD\" }\n"
        for (amount, isProved) in [("5 GOLD", true), ("5.000001 GOLD", false)] {
            let policy = try policy(Self.asset() + Self.capped(amount) + never, version: 2)
            let found = ProvedAssertion.all(of: policy, at: Timestamp(seconds: 1_795_000_000))
            #expect(found.count == 1)
            #expect((found[0].finding == .proved) == isProved)
        }
    }
}
