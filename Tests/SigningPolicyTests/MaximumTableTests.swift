// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Tables of maxima")
struct MaximumTableTests {
    static func rule(
        _ table: String, of field: String = "amount", by: String = "\"receiver\"",
        per: String = "\"1d\"", _ rest: String = ""
    ) -> String {
        AssetTests.rule(
            "limit = [{ amount = \(table), of = \"\(field)\", by = [\(by)], per = \(per) }]\n"
                + rest)
    }

    private static let salaries = rule("{ ann = \"5 ALGO\", bob = \"2 ALGO\" }")

    private static func payments(_ pairs: (String, Int128?)...) -> FakeRequest {
        FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: pairs.map { receiver, amount in
                .fake(
                    [Fact("receiver", .text(receiver))]
                        + (amount.map { [Fact("amount", .integer($0))] } ?? []))
            })
    }

    @Test("allow each value its own maximum")
    func maxima() throws {
        let policy = try policy(Self.salaries, version: 2)
        let rows: [(receiver: String, amount: Int128?, used: Int128, verdict: String)] = [
            ("ann", 5_000_000, 0, "allow"), ("ann", 5_000_001, 0, "ask"),
            ("ann", 3_000_000, 2_000_000, "allow"), ("ann", 3_000_001, 2_000_000, "ask"),
            ("bob", 2_000_000, 0, "allow"), ("bob", 2_000_001, 0, "ask"),
            ("bob", 1, 2_000_000, "ask"), ("bob", 0, 2_000_001, "ask"),
            ("eve", 1, 0, "ask"), ("eve", 0, 0, "ask"), ("Ann", 1, 0, "ask"), ("", 1, 0, "ask"),
            ("ann", nil, 0, "ask"), ("ann", -1, 0, "ask"), ("ann", .max, 0, "ask"),
        ]
        for row in rows {
            let usage = FakeUsage(counts: ["a#sum(amount)[receiver=\(row.receiver)]": row.used])
            let judgement = try policy.judge(
                Self.payments((row.receiver, row.amount)).judged(), usage: usage)
            #expect(judgement.verdict.name == row.verdict, "\(row)")
            guard row.verdict == "allow" else { continue }
            let maximum: Int128 = row.receiver == "ann" ? 5_000_000 : 2_000_000
            #expect(
                judgement.claims == [
                    LimitClaim(
                        counter: "a#sum(amount)[receiver=\(row.receiver)]",
                        window: .sliding(seconds: 86_400), maximum: maximum,
                        amount: row.amount ?? 0)
                ], "\(row)")
        }
    }

    @Test("count the operations of one request for each value together")
    func batches() throws {
        let policy = try policy(Self.salaries, version: 2)
        let rows: [(request: FakeRequest, verdict: String)] = [
            (Self.payments(("ann", 5_000_000), ("bob", 2_000_000)), "allow"),
            (Self.payments(("ann", 2_500_000), ("ann", 2_500_000)), "allow"),
            (Self.payments(("ann", 2_500_000), ("ann", 2_500_001)), "ask"),
            (Self.payments(("ann", 1), ("eve", 1)), "ask"),
        ]
        for row in rows { #expect(try policy.verdict(row.request) == row.verdict) }
    }

    @Test("compose with other limits of the rule, and with calendar months")
    func composed() throws {
        let policy = try policy(
            AssetTests.rule(
                "limit = [{ amount = { ann = \"5 ALGO\", bob = \"5 ALGO\" }, of = \"amount\", "
                    + "by = [\"receiver\"], per = \"month\", tz = \"Europe/Berlin\" }, "
                    + "{ amount = \"6 ALGO\", of = \"amount\", per = \"1d\" }]"), version: 2)
        #expect(try policy.verdict(Self.payments(("ann", 5_000_000))) == "allow")
        for (amount, verdict) in [(1_000_000, "allow"), (1_000_001, "ask")] as [(Int128, String)] {
            let request = Self.payments(("ann", 5_000_000), ("bob", amount))
            #expect(try policy.verdict(request) == verdict)
        }
    }

    @Test("take amounts in the unit of an asset, which the rule is then about")
    func assets() throws {
        let policy = try policy(
            AssetTests.gold
                + Self.rule("{ ann = \"5 GOLD\", bob = \"0.5 GOLD\" }", of: "asset.amount"),
            version: 2)
        func transfer(_ amount: Int128, to receiver: String, of asset: Int128) -> FakeRequest {
            FakeRequest(
                protocolID: ProtocolID("algorand"), method: "sign_transactions",
                operations: [
                    .fake([
                        Fact("receiver", .text(receiver)), Fact("asset", .integer(asset)),
                        Fact("asset.amount", .integer(amount)), Fact("network", .text("mainnet")),
                    ])
                ])
        }
        #expect(try policy.verdict(transfer(5_000_000, to: "ann", of: 1)) == "allow")
        #expect(try policy.verdict(transfer(500_001, to: "bob", of: 1)) == "ask")
        #expect(try policy.verdict(transfer(1, to: "ann", of: 4)) == "ask")
        let explanation = try policy.explain(
            transfer(500_000, to: "bob", of: 1).judged(), usage: FakeUsage())
        let trace = try #require(explanation.rules.first?.limits.first)
        #expect(trace.shown(trace.maximum) == "0.5 GOLD")
    }

    @Test("are found by key and by client too")
    func otherFields() throws {
        let policy = try policy(
            Self.rule("{ alice = \"5 ALGO\", bob = \"2 ALGO\" }", by: "\"key\""), version: 2)
        #expect(try policy.verdict(Self.payments(("x", 5_000_000))) == "allow")
        #expect(try policy.verdict(Self.payments(("x", 5_000_001))) == "ask")
    }

    @Test("say which values they list")
    func explained() throws {
        let policy = try policy(Self.salaries, version: 2)
        let explanation = try policy.explain(
            Self.payments(("eve", 1)).judged(), usage: FakeUsage())
        #expect(
            explanation.rules.first?.state
                == .unmatched(
                    field: "receiver", actual: "\"eve\"", wanted: "\"ann\" or \"bob\""))
    }

    @Test("are in the hash, entry by entry, in any order")
    func hashed() throws {
        let hashes = try [
            "{ ann = \"5 ALGO\", bob = \"2 ALGO\" }", "{ bob = \"2 ALGO\", ann = \"5 ALGO\" }",
            "{ ann = \"5 ALGO\", bob = \"3 ALGO\" }", "{ ann = \"5 ALGO\" }",
            "{ ann = \"2 ALGO\", bob = \"5 ALGO\" }",
        ].map { try policy(Self.rule($0), version: 2).hash }
        #expect(hashes[0] == hashes[1])
        #expect(Set(hashes).count == 4)
        let parts = try policy(Self.salaries, version: 2).document.canonicalParts
        #expect(parts.contains("rule a lets \"bob\" have at most 2 ALGO"))
    }

    private static func many(_ count: Int) -> String {
        "{ " + (0..<count).map { "r\($0) = \"1 ALGO\"" }.joined(separator: ", ") + " }"
    }

    /// A rule and the beginning of its only error.
    private static let refused: [(text: String, error: String)] = [
        (rule("{}"), "P0127 the table is empty"),
        (rule("{ ann = \"0 ALGO\" }"), "P0127 the amount of \"ann\" must be above 0"),
        (rule("{ ann = \"-1 ALGO\" }"), "P0123 \"amount\" cannot be negative"),
        (rule("{ ann = \"5 GOLD\" }"), "P0123 \"amount\" is written in ALGO"),
        (rule("{ ann = 5 }"), "P0123 \"amount\" takes an amount"),
        (rule("{ ann = { near = \"5 ALGO\" } }"), "P0127 \"ann\" has no amount"),
        (rule("{ \"@own\" = \"5 ALGO\" }"), "P0127 a table lists single values"),
        (rule("{ ann = \"5 ALGO\" }", by: "\"receiver\", \"key\""), "P0127 a table needs by"),
        (rule("{ 4 = \"5 ALGO\" }", by: "\"asset\""), "P0127 a table lists values of fields"),
        (
            rule("{ ann = \"5 ALGO\" }", "receiver = \"ann\""),
            "P0127 the rule applies only to values of \"receiver\" in the table"
        ),
        (
            AssetTests.rule(
                "limit = [{ amount = { ann = \"5 ALGO\" }, of = \"amount\", per = \"1d\" }]"),
            "P0127 a table needs by"
        ),
        (
            AssetTests.rule(
                "limit = [{ amount = { a = \"5 ALGO\" }, of = \"amount\", by = [\"receiver\"], "
                    + "per = \"1d\" }, { amount = { a = \"9 ALGO\" }, of = \"amount\", "
                    + "by = [\"receiver\"], per = \"9d\" }]"),
            "P0127 a rule has one table"
        ),
        (rule(many(10_001)), "P0103 the table has 10001 values"),
        (
            AssetTests.gold + AssetTests.dust
                + rule("{ ann = \"5 GOLD\", bob = \"5 DUST\" }", of: "asset.amount"), ""
        ),
        (
            AssetTests.gold + rule("{ ann = \"5 GOLD\", bob = 5 }", of: "asset.amount"),
            "P0138 the amounts of a table are all in the unit of one asset"
        ),
        (
            "[budget.b]\nlimit = [{ amount = { ann = \"5 ALGO\" }, of = \"amount\", "
                + "by = [\"receiver\"], per = \"1d\" }]\n",
            ""
        ),
    ]

    @Test("are refused in plain words", arguments: 0..<refused.count)
    func refusals(_ place: Int) {
        let row = Self.refused[place]
        let errors = headlines("version = 2\ndefault = \"ask\"\n\(row.text)")
        #expect(!errors.isEmpty)
        #expect(
            row.error.isEmpty || (errors.count == 1 && errors[0].contains(row.error.dropFirst(6))),
            "\(errors)")
    }

    @Test("of ten thousand values are read, and looked up")
    func large() throws {
        let policy = try policy(Self.rule(Self.many(10_000)), version: 2)
        #expect(try policy.verdict(Self.payments(("r9999", 1_000_000))) == "allow")
        #expect(try policy.verdict(Self.payments(("r9999", 1_000_001))) == "ask")
        #expect(try policy.verdict(Self.payments(("r10000", 1))) == "ask")
    }

    @Test("need version 2")
    func version() {
        let errors = headlines("version = 1\ndefault = \"ask\"\n\(Self.salaries)")
        #expect(errors.count == 1 && errors[0].contains("needs version = 2"), "\(errors)")
    }
}
