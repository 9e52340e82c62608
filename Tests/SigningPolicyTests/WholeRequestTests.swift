// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import SigningPolicyTools
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Conditions on the whole request")
struct WholeRequestTests {
    private static func verdict(_ condition: String, _ operations: Int) throws -> String {
        let rule = SharedBudgetTests.rule("r", condition)
        let request = FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: (0..<operations).map { _ in .fake() })
        return try SharedBudgetTests.judge(rule, request).verdict.name
    }

    @Test("request.operations is the number of operations, for each of them and without any")
    func operations() throws {
        let rows: [(condition: String, allowed: [Int])] = [
            ("request.operations = 2", [2]), ("request.operations = { max = 1 }", [0, 1]),
            ("request.operations = { min = 1 }", [1, 2, 3]),
            ("request.operations = [0, 3]", [0, 3]),
            ("unless = { request.operations = { min = 2 } }", [0, 1]),
        ]
        for row in rows {
            for count in 0...3 {
                let verdict = try Self.verdict(row.condition, count)
                #expect(
                    (verdict == "allow") == row.allowed.contains(count),
                    "\(count): \(row.condition)")
            }
        }
    }

    /// A condition on operations together, the receivers of a request's operations (nil for an
    /// unknown one), and whether it is allowed, and denied by a deny rule with the same condition.
    private static let batches: [(condition: String, [String?], allows: Bool, denies: Bool)] = [
        ("all = { receiver = \"a\" }", ["a", "a"], true, true),
        ("all = { receiver = \"a\" }", ["a", "b"], false, false),
        ("all = { receiver = \"a\" }", ["a", nil], false, true),
        ("all = { receiver = \"a\" }", [nil, "b"], false, false),
        ("all = { receiver = \"a\" }", [], false, true),
        ("any = { receiver = \"a\" }", ["b", "a"], true, true),
        ("any = { receiver = \"a\" }", ["b", "c"], false, false),
        ("any = { receiver = \"a\" }", ["b", nil], false, true),
        ("any = { receiver = \"a\" }", [nil, "a"], true, true),
        ("any = { receiver = \"a\" }", [], false, false),
        // One operation must meet all conditions of "any".
        ("any = { receiver = \"a\", amount = \"1 microAlgo\" }", ["a"], true, true),
        ("any = { receiver = \"a\", amount = \"2 microAlgo\" }", ["a", "b"], false, false),
        (
            "any = { receiver = \"a\" }\nall = { receiver = [\"a\", \"b\"] }", ["b", "a"], true,
            true
        ),
        (
            "any = { receiver = \"a\" }\nall = { receiver = [\"a\", \"b\"] }", ["c", "a"], false,
            false
        ),
        ("all.receiver = \"a\"\nunless = { key = \"alice\" }", ["a"], false, false),
    ]

    @Test("all and any look at the operations of a request together", arguments: batches.indices)
    func batch(row: Int) throws {
        let (condition, receivers, allows, denies) = Self.batches[row]
        let request = FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: receivers.enumerated().map { place, receiver in
                .fake(
                    [Fact("amount", .integer(Int128(place + 1)))]
                        + (receiver.map { [Fact("receiver", .text($0))] } ?? []))
            })
        for (effect, applies) in [("allow", allows), ("deny", denies)] {
            let policy = try policy(
                SharedBudgetTests.rule("r", condition, effect: effect), version: 2)
            let explained = try policy.explain(request.judged(), usage: FakeUsage())
            #expect(
                (explained.judgement.verdict.name == effect) == applies, "\(effect) \(condition)")
            #expect(explained.rules.contains(where: \.fires) == applies)
        }
    }

    @Test("explain names the condition on operations that does not hold or is unknown")
    func explainedBatch() throws {
        func text(_ receiver: FactValue?) throws -> String {
            let facts = receiver.map { [Fact("receiver", $0)] } ?? []
            let request = FakeRequest(
                protocolID: ProtocolID("algorand"), method: "sign_transactions",
                operations: [.fake(facts)])
            return try policy(
                SharedBudgetTests.rule("r", "all = { receiver = \"a\" }"), version: 2
            ).explain(request.judged(), usage: FakeUsage()).text
        }
        #expect(
            try text(.text("b")).contains(
                "no match: \"all\" does not hold for the operations: receiver\n"))
        #expect(try text(nil).contains("no match: unknown all\n"))
    }

    @Test("tables of another shape, and unknown fields in them, are refused")
    func refusedBatch() {
        for (condition, error) in [
            ("all = []", "all takes a table"), ("any = {}", "any takes a table"),
            ("any = { recever = \"a\" }", "unknown field \"recever\""),
            ("any = { all = { receiver = \"a\" } }", "\"all\" is not a condition"),
            ("unless = { any = { receiver = \"a\" } }", "\"any\" is not a condition"),
        ] {
            let found = #expect(throws: PolicyLoadError.self) {
                try SharedBudgetTests.judge(
                    SharedBudgetTests.rule("r", condition), FakeRequest())
            }
            #expect(found?.diagnostics.contains { $0.message.contains(error) } == true)
        }
    }

    private static let gold =
        "[asset.GOLD]\nprotocol = \"algorand\"\nnetwork = \"mainnet\"\nid = 1\ndecimals = 6\n"
    private static let totalMax = "request.total.GOLD = { max = \"5 GOLD\" }"

    private static func out(_ amounts: [Int128?], cosigned: Bool = false) -> RequestedOperation {
        .fake(
            outflows: zip(assets, amounts).compactMap { asset, amount in
                amount.map { Outflow(asset, $0) }
            }, isCosigning: cosigned)
    }

    private static let assets = [
        Asset(
            id: "algorand/mainnet/algo", network: "mainnet", name: "",
            unit: AmountUnit(symbol: "ALGO", decimals: 6, smallest: "microAlgo")),
        Asset(id: "algorand/mainnet/asset/1", network: "mainnet", name: "units", unit: nil),
    ]

    /// Sums of ALGO and of GOLD; nil for an asset that is not among the outflows.
    private static let totals: [(condition: String, operations: [RequestedOperation], Bool)] = [
        (totalMax, [out([1_000, 5_000_000])], true), (totalMax, [out([1_000, 5_000_001])], false),
        (totalMax, [out([1_000, 3_000_000]), out([1_000, 2_000_000])], true),
        (totalMax, [out([1_000, 3_000_000]), out([1_000, 2_000_001])], false),
        // What does not leave is 0, but without any outflow nothing is known.
        (totalMax, [out([1_000])], true), (totalMax, [], false), (totalMax, [out([])], false),
        (totalMax, [out([1_000]), out([])], false), (totalMax, [out([0, .max])], false),
        (totalMax, [out([0, .max]), out([0, .max])], false),
        // Two keys sign one payment.
        (totalMax, [out([1_000, 5_000_000]), out([1_000, 5_000_000], cosigned: true)], true),
        ("request.total.ALGO = { max = \"1 ALGO\" }", [out([400_000]), out([600_000])], true),
        ("request.total.ALGO = { max = \"1 ALGO\" }", [out([400_000]), out([600_001])], false),
        ("request.total.ALGO = \"0.001 ALGO\"", [out([1_000, 7])], true),
        ("\"request.total.GOLD\" = { min = \"1 GOLD\" }", [out([0, 999_999])], false),
        ("unless = { request.total.GOLD = { min = \"1 GOLD\" } }", [out([0, 999_999])], true),
        ("unless = { request.total.GOLD = { min = \"1 GOLD\" } }", [out([0, 1_000_000])], false),
        ("unless = { request.total.GOLD = { min = \"1 GOLD\" } }", [out([])], false),
    ]

    @Test("request.total adds up what leaves by all operations", arguments: totals.indices)
    func total(row: Int) throws {
        let (condition, operations, isAllowed) = Self.totals[row]
        let rule = Self.gold + SharedBudgetTests.rule("r", condition)
        let request = FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: operations)
        let verdict = try SharedBudgetTests.judge(rule, request).verdict.name
        #expect((verdict == "allow") == isAllowed, "\(condition)")
    }

    @Test("facts of an adapter do not fill a total")
    func forged() throws {
        let rule = Self.gold + SharedBudgetTests.rule("r", Self.totalMax)
        let fact = Fact("request.total.GOLD", .integer(1))
        let request = FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: [.fake([fact])], facts: [fact])
        #expect(try SharedBudgetTests.judge(rule, request).verdict.name != "allow")
    }

    /// A condition of a rule for Algorand, and the error.
    private static let errors: [(String, String)] = [
        ("request.total.GOLDE = { max = \"5 GOLD\" }", "for algorand request.total.GOLD"),
        ("request.total.GOLD = { max = \"5 ALGO\" }", "smallest unit of GOLD, not in ALGO"),
        ("request.total.GOLD = { max = 5 }", "takes an amount such as \"5 GOLD\""),
        ("request.total.NEAR = { max = \"5 NEAR\" }", "for algorand"),
        ("limit = [{ amount = 5, of = \"request.total.GOLD\", per = \"1d\" }]", "unknown field"),
        ("limit = [{ uses = 5, by = [\"request.total.GOLD\"] }]", "unknown field"),
    ]

    @Test("totals of unknown assets, in other units and in limits are refused", arguments: errors)
    func refused(condition: String, error: String) {
        let found = #expect(throws: PolicyLoadError.self) {
            try SharedBudgetTests.judge(
                Self.gold + SharedBudgetTests.rule("r", condition), FakeRequest())
        }
        let words = found?.diagnostics.map { "\($0.message) \($0.suggestion ?? "")" } ?? []
        #expect(words.contains { $0.contains(error) }, "\(words)")
        let field = condition.prefix { $0 != " " }
        #expect(found?.diagnostics.contains { $0.suggestion == String(field) } == false)
    }

    @Test("a limit cannot count by the number of operations, which clients choose")
    func counted() {
        let limit = "limit = [{ count = 1, per = \"1h\", by = [\"request.operations\"] }]"
        #expect(throws: PolicyLoadError.self) { try Self.verdict(limit, 1) }
        #expect(throws: Never.self) { try Self.verdict("request.operations = [1, 2]\n" + limit, 1) }
    }
}
