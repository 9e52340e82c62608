// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("Counters and assets in differences")
struct CounterChangeTests {
    private static func changes(_ old: String, _ new: String) throws -> PolicyChanges {
        PolicyChanges(
            from: try policy(old, version: 2), to: try policy(new, version: 2))
    }

    private static func budget(
        _ limit: String, unit: String? = "USD", rate: String = "2.5", rest: String = ""
    ) -> String {
        let terms = unit.map { "unit = \"\($0)\"\nrate = { ALGO = \"\(rate)\" }\n" } ?? ""
        return "[budget.all]\nlimit = [\(limit)]\n\(terms)\(rest)"
            + "[[rule]]\nid = \"pay\"\neffect = \"allow\"\nprotocol = \"algorand\"\n"
            + "budget = \"all\"\n"
    }

    private static func sum(_ amount: String, _ rest: String = "") -> String {
        "{ amount = \"\(amount)\", of = \"outflow\", per = \"1d\"\(rest) }"
    }

    private static let dollars = budget(sum("5 USD"))

    @Test("a counter that starts anew is told")
    func anew() throws {
        for (old, new, text) in [
            (
                Self.dollars, Self.budget(Self.sum("5 EUR"), unit: "EUR"),
                "all (outflow in USD -> outflow in EUR)"
            ),
            (
                Self.dollars, Self.budget(Self.sum("5 ALGO"), unit: nil),
                "all (outflow in USD -> outflow)"
            ),
            (
                Self.budget(Self.sum("5 ALGO"), unit: nil), Self.dollars,
                "all (outflow -> outflow in USD)"
            ),
            (
                Self.dollars, Self.budget(Self.sum("5 USD", ", by = [\"key\"]")),
                "all (outflow in USD -> outflow in USD by key)"
            ),
            (
                Self.dollars,
                Self.budget("{ count = 5, per = \"1d\" }, \(Self.sum("5 EUR"))", unit: "EUR"),
                "all (outflow in USD -> count and outflow in EUR)"
            ),
        ] {
            #expect(try Self.changes(old, new).counters.map(\.text) == [text])
        }
        let rules = ["count = 5", "amount = 5, of = \"size\""].map {
            "[[rule]]\nid = \"a\"\neffect = \"allow\"\nlimit = [{ \($0), per = \"1d\" }]\n"
        }
        let changed = try Self.changes(rules[0], rules[1])
        #expect(changed.counters.map(\.text) == ["a (count -> size)"])
    }

    @Test("a counter that goes on is not told: other rates, maximums, periods and limits")
    func kept() throws {
        for new in [
            Self.dollars, Self.budget(Self.sum("5 USD"), rate: "0.3"),
            Self.budget(Self.sum("900 USD").replacing("1d", with: "7d")),
            Self.budget("\(Self.sum("5 USD")), { count = 5, per = \"1d\" }"),
            Self.budget(Self.sum("5 USD"), rest: "final = true\n"),
            "[[rule]]\nid = \"other\"\neffect = \"allow\"\nlimit = [{ uses = 5 }]\n",
        ] {
            #expect(try Self.changes(Self.dollars, new).counters.isEmpty)
            // The counters of the ledger have these names.
            let bases = try [Self.dollars, new].map { text in
                Set(try policy(text, version: 2).limits.map(\.limit.base))
            }
            #expect(new.contains("other") || bases[0].isSubset(of: bases[1]))
        }
    }

    private static func gold(_ rest: String) -> String {
        "[asset.GOLD]\nprotocol = \"algorand\"\nnetwork = \"mainnet\"\nid = 1\n\(rest)\n"
    }

    @Test("changed assets are named, with their id and decimals")
    func assets() throws {
        let changes = try Self.changes(Self.gold("decimals = 6"), Self.gold("decimals = 7"))
        #expect(changes.isChanged)
        #expect(
            changes.assets.map(\.text) == [
                "GOLD (1 on algorand mainnet, 6 decimals -> 1 on algorand mainnet, 7 decimals)"
            ])
        #expect(changes.changedParts.count == 2)
        #expect(changes.changedParts.allSatisfy { $0.contains("asset GOLD {") })
        let added = try Self.changes("", Self.gold("decimals = 6")).assets
        #expect(added.map(\.word) == ["added"])
    }
}
