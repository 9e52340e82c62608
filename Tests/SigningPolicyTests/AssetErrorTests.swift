// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Assets that are refused")
struct AssetErrorTests {
    private static func findings(
        _ text: String, version: Int = 2, isInForce: Bool = false
    ) -> [Diagnostic] {
        do throws(PolicyLoadError) {
            return try loaded(
                "version = \(version)\ndefault = \"ask\"\n\(text)", isInForce: isInForce
            ).findings
        } catch {
            return error.diagnostics
        }
    }

    private static func errors(_ text: String, version: Int = 2) -> [String] {
        findings(text, version: version).filter { $0.severity == .error }
            .map { "\($0.line):\($0.column) \($0.code) \($0.message)" }
    }

    private static let gold = AssetTests.gold
    private static let dust = AssetTests.dust

    private static func amount(_ text: String) -> String {
        gold + dust + AssetTests.rule("\"asset.amount\" = \(text)")
    }

    private static func limit(_ limits: String, _ rest: String = "") -> String {
        gold + dust + AssetTests.rule("limit = [\(limits)]\n\(rest)")
    }

    /// The tables: text and the beginning of the only error, with line and column.
    private static let tables: [(text: String, error: String)] = [
        ("asset = 5\n", "3:1 P0137 assets are written as [asset.NAME]"),
        ("[asset]\nGOLD = 5\n", "4:1 P0112 the asset \"GOLD\" has no protocol"),
        ("[[asset]]\nid = 5\n", "3:3 P0137 assets are written as [asset.NAME]"),
        (gold + "symbol = \"G\"\n", "8:1 P0110 unknown key \"symbol\" in an asset of algorand"),
        ("[asset.\"G\u{D6}LD\"]\n", "3:8 P0137 the asset name "),
        ("[asset.\"\u{422}ON\"]\n", "3:8 P0137 the asset name "),
        ("[asset.\"\"]\n", "3:8 P0137 the asset name \"\" is invalid"),
        ("[asset.\"a b\"]\n", "3:8 P0137 the asset name \"a b\" is invalid"),
        ("[asset.100]\n", "3:8 P0137 the asset name \"100\" is invalid"),
        ("[asset.\(String(repeating: "a", count: 33))]\n", "3:8 P0137 the asset name "),
        (AssetTests.asset("ALGO", 1), "3:8 P0137 the asset name \"ALGO\" looks like \"ALGO\""),
        (AssetTests.asset("near", 1), "3:8 P0137 the asset name \"near\" looks like \"NEAR\""),
        (AssetTests.asset("A1GO", 1), "3:8 P0137 the asset name \"A1GO\" looks like \"ALGO\""),
        (gold + AssetTests.asset("G0LD", 2), "8:8 P0137 the asset name \"G0LD\" looks like"),
        (gold + AssetTests.asset("go-ld", 2), "8:8 P0137 the asset name \"go-ld\" looks like"),
        (gold + AssetTests.asset("AU", 1), "8:8 P0137 \"AU\" is \"GOLD\" under another"),
        (AssetTests.asset("X", 0), "6:6 P0137 \"id\" takes one value; an id is 1 to 2^64 - 1"),
        (AssetTests.asset("X", -3), "6:6 P0137 \"id\" takes one value; an id is 1 to 2^64 - 1"),
        (AssetTests.asset("X", 1, "decimals = 39"), "7:12 P0137 decimals is 0 to 38"),
        (AssetTests.asset("X", 1, "decimals = -1"), "7:12 P0137 decimals is 0 to"),
        (AssetTests.asset("X", 1, "decimals = 6.0"), "7:12 P0137 decimals is 0 to"),
        (AssetTests.asset("X", 1, ""), "3:8 P0112 the asset \"X\" has no decimals"),
        (gold.replacing("id = 1\n", with: ""), "3:8 P0112 the asset \"GOLD\" has no id"),
        (
            gold.replacing("network = \"mainnet\"\n", with: ""),
            "3:8 P0112 the asset \"GOLD\" has no network"
        ),
        (
            gold.replacing("protocol = \"algorand\"\n", with: ""),
            "3:8 P0112 the asset \"GOLD\" has no protocol"
        ),
        (
            gold.replacing("algorand", with: "nostr"),
            "4:12 P0125 unknown protocol with tokens \"nostr\""
        ),
        (gold.replacing("id = 1", with: "id = \"usdt.near\""), "6:6 P0128 \"id\" takes an integer"),
        (
            gold + "contract = \"usdt.near\"\n",
            "8:1 P0110 unknown key \"contract\" in an asset of algorand"
        ),
        (gold.replacing("\"mainnet\"", with: "5"), "5:11 P0128 \"network\" takes text"),
        (gold.replacing("mainnet", with: "@nets"), "5:11 P0137 \"network\" takes one value"),
    ]

    @Test("tables are read strictly", arguments: 0..<tables.count)
    func readTables(_ place: Int) {
        let row = Self.tables[place]
        let errors = Self.errors(row.text)
        #expect(errors.count == 1 && errors[0].hasPrefix(row.error), "\(errors)")
    }

    @Test("a file of version 1 has no assets")
    func version() {
        #expect(
            Self.errors(Self.gold, version: 1) == [
                "3:2 P0137 assets need version = 2, and there are at most 1000"
            ])
    }

    /// Amounts: a condition and the beginning of the only error.
    private static let amounts: [(text: String, error: String)] = [
        ("\"5 SILVER\"", "P0137 \"asset.amount\" takes an integer, or an amount such as"),
        ("\"5 gold\"", "P0137 \"asset.amount\" takes an integer, or an amount such as"),
        ("\"5 ALGO\"", "P0137 \"asset.amount\" takes an integer, or an amount such as"),
        ("\"5  GOLD\"", "P0137 \"asset.amount\" takes an integer, or an amount such as"),
        ("\" 5 GOLD\"", "P0137 \"asset.amount\" takes an integer, or an amount such as"),
        ("\"5 GOLD \"", "P0137 \"asset.amount\" takes an integer, or an amount such as"),
        ("\"0.0000001 GOLD\"", "P0128 \"asset.amount\" has 6 decimals at most in GOLD"),
        ("\"1.5 DUST\"", "P0128 \"asset.amount\" has 0 decimals at most in DUST"),
        ("\"-5 GOLD\"", "P0128 \"asset.amount\" cannot be negative"),
        ("\"5. GOLD\"", "P0128 \"asset.amount\" takes a plain decimal"),
        ("\".5 GOLD\"", "P0128 \"asset.amount\" takes a plain decimal"),
        ("\"1e3 GOLD\"", "P0128 \"asset.amount\" takes a plain decimal"),
        ("\"1,000 GOLD\"", "P0128 \"asset.amount\" takes a plain decimal"),
        ("\"\u{664} GOLD\"", "P0128 \"asset.amount\" takes a plain decimal"),
        (
            "\"170141183460469231731687303715884105727 DUST\"",
            "P0128 \"asset.amount\" is too large"
        ),
        (
            "\"340282366920938463463374607431768211456 GOLD\"",
            "P0128 \"asset.amount\" is too large"
        ),
        ("[\"5 GOLD\", \"5 DUST\"]", "P0137 \"asset\" does not fit amounts in DUST"),
        ("{ min = \"5 GOLD\", max = \"6000000 DUST\" }", "P0137 \"asset\" does not fit amounts"),
        (
            "\"5 GOLD\"\nasset = 4",
            "P0137 \"asset\" does not fit amounts in GOLD, for which it is 1"
        ),
        ("\"5 GOLD\"\nasset = [1, 4]", "P0137 \"asset\" does not fit amounts in GOLD"),
        ("\"5 GOLD\"\nasset = { min = 1 }", "P0137 \"asset\" does not fit amounts in GOLD"),
        ("\"5 GOLD\"\nnetwork = \"testnet\"", "P0137 \"network\" does not fit amounts in GOLD"),
        ("\"@some\"\n[set.some]\nof = [\"5 GOLD\"]", "P0128 \"asset.amount\" takes an integer"),
    ]

    @Test("amounts are read strictly", arguments: 0..<amounts.count)
    func readAmounts(_ place: Int) {
        let row = Self.amounts[place]
        let errors = Self.errors(Self.amount(row.text))
        #expect(errors.count == 1 && errors[0].contains(row.error), "\(errors)")
    }

    private static let sum = "of = \"asset.amount\", per = \"1d\""
    private static let longer = "of = \"asset.amount\", per = \"2d\""

    private static let limits: [(text: String, error: String)] = [
        (
            limit("{ amount = \"5 SILVER\", \(sum) }"),
            "takes an integer, or an amount such as \"5 NAME\" with a table"
        ),
        (limit("{ amount = \"0 GOLD\", \(sum) }"), "the amount must be above 0"),
        (limit("{ amount = \"5 GOLD\", of = \"amount\", per = \"1d\" }"), "is written in ALGO"),
        (
            limit("{ amount = \"5 GOLD\", \(sum) }", "asset = 4"),
            "\"asset\" does not fit amounts in GOLD"
        ),
        (
            limit("{ amount = \"5 GOLD\", \(sum) }, { amount = \"5 DUST\", \(longer) }"),
            "\"asset\" does not fit amounts in DUST"
        ),
        (limit("{ amount = 5, \(sum) }"), "the limit adds up amounts of different tokens"),
        (limit("{ amount = 5, \(sum) }", "asset = [1, 4]"), "adds up amounts of different tokens"),
        (limit("{ amount = 5, \(sum) }", "asset = { min = 1 }"), "adds up amounts of different"),
        (
            budget("{ amount = 5, \(sum) }") + AssetTests.rule("budget = \"b\""),
            "the budget \"b\" adds up amounts of different tokens"
        ),
        (
            budget("{ amount = 5, \(sum) }") + AssetTests.rule("budget = \"b\"\nasset = 1")
                + AssetTests.rule("budget = \"b\"\nasset = 4", id: "c"),
            "the budget \"b\" adds up amounts of different tokens"
        ),
        (
            budget("{ amount = \"5 GOLD\", \(sum) }")
                + AssetTests.rule("budget = \"b\"\nasset = 4"),
            "\"asset\" does not fit amounts in GOLD"
        ),
        (
            budget("{ amount = \"5 GOLD\", \(sum) }")
                + AssetTests.rule("budget = \"b\"", effect: "ask"),
            "a budget in GOLD needs \"network\" to be \"mainnet\" and \"asset\" to be 1 in an ask"
        ),
        (
            budget("{ amount = \"5 GOLD\", \(sum) }")
                + AssetTests.rule(
                    "budget = \"b\"\nnetwork = \"mainnet\"\nasset = 4", effect: "ask"),
            "\"asset\" does not fit amounts in GOLD"
        ),
        (
            budget("{ amount = \"5 SILVER\", \(sum) }") + AssetTests.rule("budget = \"b\""),
            "takes an integer, or an amount such as \"5 NAME\" with a table"
        ),
        (
            gold + "[budget.b]\nlimit = [{ uses = 5 }]\n"
                + "unit = \"G0LD\"\nrate = { ALGO = \"1\" }\n" + AssetTests.rule("budget = \"b\""),
            "such as \"USD\", not an asset"
        ),
    ]

    private static func budget(_ limit: String) -> String {
        gold + dust + "[budget.b]\nlimit = [\(limit)]\n"
    }

    @Test("limits count one asset", arguments: 0..<limits.count)
    func readLimits(_ place: Int) {
        let row = Self.limits[place]
        let errors = Self.errors(row.text)
        #expect(errors.count == 1 && errors[0].contains(row.error), "\(errors)")
    }

    @Test("limits in integers are kept for one asset, or with a counter for each")
    func integers() {
        for text in [
            Self.limit("{ amount = 5, \(Self.sum) }", "asset = 1"),
            Self.limit("{ amount = 5, \(Self.sum) }, { amount = \"5 GOLD\", \(Self.longer) }"),
            Self.limit("{ amount = 5, \(Self.sum), by = [\"asset\"] }", "asset = [1, 4]"),
            Self.budget("{ amount = 5, \(Self.sum), by = [\"asset\"] }")
                + AssetTests.rule("budget = \"b\"\nasset = 1")
                + AssetTests.rule("budget = \"b\"\nasset = [1, 4]", id: "c"),
            Self.budget("{ amount = 5, \(Self.sum) }")
                + AssetTests.rule("budget = \"b\"\nasset = 1")
                + AssetTests.rule("budget = \"b\"\nasset = [1]", id: "c"),
        ] {
            #expect(Self.errors(text) == [])
        }
    }

    @Test("a policy in force whose limit adds up different assets keeps its meaning")
    func inForce() throws {
        let text = AssetTests.rule("limit = [{ amount = 5, \(Self.sum) }]")
        for version in [1, 2] {
            #expect(Self.findings(text, version: version).contains { $0.code == "P0138" })
            let kept = Self.findings(text, version: version, isInForce: true)
            #expect(kept.map(\.code) == ["P0203", "P0220"] || kept.map(\.code) == ["P0220"])
            #expect(kept.allSatisfy { $0.severity == .warning })
            let policy = try loaded(
                "version = \(version)\ndefault = \"ask\"\n\(text)", isInForce: true)
            for asset: Int128 in [1, 4] {
                #expect(try policy.verdict(AssetTests.transfer(5, of: asset)) == "allow")
            }
        }
    }

    @Test("an asset that no amount names is told")
    func unused() {
        let text =
            Self.gold + Self.dust + AssetTests.rule("\"asset.amount\" = \"5 GOLD\"\nkey = \"k\"")
        let found = Self.findings(text).map { "\($0.code) \($0.message)" }
        #expect(found == ["P0219 no amount is in \"DUST\""])
    }
}
