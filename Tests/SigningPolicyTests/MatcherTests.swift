// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Matchers")
struct MatcherTests {
    /// A condition, a fact (nil if absent), and the results for a list of values.
    ///
    /// `truth` requires the condition of all values, `any` of at least one.
    struct Case: CustomTestStringConvertible {
        let condition: String
        let value: FactValue?
        let truth: Truth
        var any: Truth?
        var decoding = Decoding.full

        var testDescription: String { "\(condition) of \(String(describing: value))" }
    }

    static let scalars: [Case] = [
        Case(condition: "kind = 1", value: .integer(1), truth: .yes),
        Case(condition: "kind = 1", value: .integer(2), truth: .no),
        Case(condition: "kind = 1", value: nil, truth: .unknown),
        Case(condition: "kind = 1", value: .text("1"), truth: .unknown),
        Case(condition: "kind = 1", value: .list([.integer(1)]), truth: .unknown),
        Case(condition: "kind = [1, 6]", value: .integer(6), truth: .yes),
        Case(condition: "kind = [1, 6]", value: .integer(7), truth: .no),
        Case(condition: "kind = { in = [1, 6] }", value: .integer(6), truth: .yes),
        Case(condition: "kind = { in = 6 }", value: .integer(7), truth: .no),
        Case(condition: "kind = { not_in = [1, 6] }", value: .integer(6), truth: .no),
        Case(condition: "kind = { not_in = [1, 6] }", value: .integer(7), truth: .yes),
        Case(condition: "kind = { not_in = [1, 6] }", value: nil, truth: .unknown),
        Case(condition: "kind = { min = 2 }", value: .integer(2), truth: .yes),
        Case(condition: "kind = { min = 2 }", value: .integer(1), truth: .no),
        Case(condition: "kind = { min = 2, max = 4 }", value: .integer(5), truth: .no),
        Case(condition: "kind = { min = 2, max = 4 }", value: .integer(4), truth: .yes),
        Case(condition: "kind = { min = 2, max = 4 }", value: nil, truth: .unknown),
        Case(condition: "kind = { max = 4 }", value: .bool(true), truth: .unknown),
        Case(condition: "kind = \"7\"", value: .integer(7), truth: .yes),
        Case(
            condition: "kind = { max = \"500000000000000000000000000\" }",
            value: .integer(500_000_000_000_000_000_000_000_000), truth: .yes),
        Case(
            condition: "kind = { max = \"500000000000000000000000000\" }",
            value: .integer(500_000_000_000_000_000_000_000_001), truth: .no),
        Case(
            condition: "kind = { max = \"170141183460469231731687303715884105726\" }",
            value: .integer(.max), truth: .no),
        Case(condition: "kind = { exists = true }", value: .integer(5), truth: .yes),
        Case(condition: "kind = { exists = true }", value: nil, truth: .no),
        Case(condition: "kind = { exists = false }", value: .integer(5), truth: .no),
        Case(condition: "kind = { exists = false }", value: nil, truth: .yes),
        Case(
            condition: "kind = { exists = false }", value: nil, truth: .unknown, decoding: .opaque),
        Case(
            condition: "kind = { exists = true }", value: nil, truth: .unknown, decoding: .partial),
        Case(condition: "url = { prefix = \"https://\" }", value: .text("https://a"), truth: .yes),
        Case(condition: "url = { prefix = \"https://\" }", value: .text("http://a"), truth: .no),
        Case(condition: "url = { prefix = [\"a\", \"b\"] }", value: .text("bc"), truth: .yes),
        Case(condition: "url = { suffix = \".org\" }", value: .text("a.org"), truth: .yes),
        Case(condition: "url = { suffix = \".org\" }", value: .text("org"), truth: .no),
        Case(condition: "url = { suffix = \".org\" }", value: nil, truth: .unknown),
        Case(condition: "url = { has = \"bc\" }", value: .text("abcd"), truth: .yes),
        Case(condition: "url = { has = [\"x\", \"cb\"] }", value: .text("abcd"), truth: .no),
        Case(condition: "url = \"@@x\"", value: .text("@x"), truth: .yes),
        Case(condition: "url = \"e\u{301}\"", value: .text("\u{E9}"), truth: .no),
        Case(condition: "url = \"e\u{301}\"", value: .text("e\u{301}"), truth: .yes),
        Case(condition: "peer = \"@own\"", value: .text("own2"), truth: .yes),
        Case(condition: "peer = \"@own\"", value: .text("own3"), truth: .no),
        Case(condition: "peer = [\"x\", \"@own\"]", value: .text("x"), truth: .yes),
        Case(condition: "peer = { not_in = \"@own\" }", value: .text("own1"), truth: .no),
        Case(condition: "peer = { prefix = \"own\" }", value: .text("own9"), truth: .yes),
        Case(condition: "pubkey_mismatch = false", value: .bool(false), truth: .yes),
        Case(condition: "pubkey_mismatch = false", value: .bool(true), truth: .no),
        Case(condition: "digest = \"00fF\"", value: .bytes([0, 255]), truth: .yes),
        Case(condition: "digest = { prefix = \"00\" }", value: .bytes([0, 255]), truth: .yes),
        Case(condition: "digest = { suffix = \"00\" }", value: .bytes([0, 255]), truth: .no),
        Case(
            condition: "created_at = { max = 1970-01-01T01:00:00+01:00 }",
            value: .time(Timestamp(seconds: 0)), truth: .yes),
        Case(
            condition: "created_at = { max = 1970-01-01T00:00:00Z }",
            value: .time(Timestamp(seconds: 1)), truth: .no),
        Case(
            condition: "created_at = { max = 1970-01-01T00:00:00Z }", value: .integer(0),
            truth: .unknown),
        Case(
            condition: "created_at.skew = { min = \"-5m\", max = 90 }", value: .integer(-300),
            truth: .yes),
        Case(
            condition: "created_at.skew = { min = \"-5m\", max = 90 }", value: .integer(91),
            truth: .no),
    ]

    static let lists: [Case] = [
        Case(condition: "tag.p = { has = \"a\" }", value: texts("a", "b"), truth: .no, any: .yes),
        Case(condition: "tag.p = { has = \"a\" }", value: texts("a", "a"), truth: .yes),
        Case(condition: "tag.p = { has = \"a\" }", value: texts("b"), truth: .no),
        Case(condition: "tag.p = { has = \"a\" }", value: texts(), truth: .no),
        Case(condition: "tag.p = { has = \"a\" }", value: nil, truth: .unknown),
        Case(condition: "tag.p = { has = \"a\" }", value: .text("a"), truth: .unknown),
        Case(
            condition: "tag.p = { has = \"a\" }", value: .list([.integer(1), .text("b")]),
            truth: .no, any: .unknown),
        Case(
            condition: "tag.p = { has = \"a\" }", value: .list([.integer(1), .text("a")]),
            truth: .unknown, any: .yes),
        Case(condition: "tag.p = { in = [\"a\", \"b\"] }", value: texts("a", "b"), truth: .yes),
        Case(
            condition: "tag.p = { in = [\"a\", \"b\"] }", value: texts("a", "c"), truth: .no,
            any: .yes),
        Case(condition: "tag.p = { in = [\"a\", \"b\"] }", value: texts("c"), truth: .no),
        Case(condition: "tag.p = { in = [\"a\", \"b\"] }", value: texts(), truth: .unknown),
        Case(
            condition: "tag.p = { not_in = [\"a\"] }", value: texts("b", "a"), truth: .no, any: .yes
        ),
        Case(condition: "tag.p = { not_in = [\"a\"] }", value: texts("a"), truth: .no),
        Case(condition: "tag.p = { not_in = [\"a\"] }", value: texts("b"), truth: .yes),
        Case(condition: "tag.p = { not_in = [\"a\"] }", value: texts(), truth: .unknown),
        Case(condition: "tag.p = { not_in = [\"a\"] }", value: nil, truth: .unknown),
        Case(condition: "tag.p = { count = { min = 1 } }", value: texts(), truth: .no),
        Case(condition: "tag.p = { count = { max = 1 } }", value: texts("a"), truth: .yes),
        Case(condition: "tag.p = { count = { max = 1 } }", value: texts("a", "b"), truth: .no),
        Case(condition: "tag.p = { count = { max = 1 } }", value: nil, truth: .unknown),
        Case(
            condition: "tag.p = { prefix = \"a\" }", value: texts("ab", "b"), truth: .no,
            any: .yes),
        // One value must satisfy all matchers of a condition.
        Case(
            condition: "tag.p = { prefix = \"a\", suffix = \"b\" }", value: texts("ax", "xb"),
            truth: .no),
        Case(
            condition: "tag.p = { prefix = \"a\", count = { max = 1 } }", value: texts("a", "b"),
            truth: .no),
        Case(condition: "tag.p = { exists = true }", value: texts(), truth: .yes),
    ]

    static func texts(_ texts: String...) -> FactValue { .list(texts.map { .text($0) }) }

    @Test(
        "answer yes, no or unknown, as a condition and in unless", arguments: scalars + lists)
    func truths(_ item: Case) throws {
        let field = item.condition.split(separator: " ")[0]
        var request = FakeRequest(decoding: item.decoding)
        request.facts = item.value.map { [Fact(String(field), $0)] } ?? []
        let any = item.any ?? item.truth
        // Each effect depends on another side of the result, so that a wrong one is found.
        let expected: [(effect: String, prefix: String, fires: Bool)] = [
            ("allow", "", item.truth == .yes), ("deny", "", any != .no),
            ("ask", "", any != .no), ("allow", "unless.", any == .no),
            ("deny", "unless.", item.truth != .yes), ("ask", "unless.", item.truth != .yes),
        ]
        for (effect, prefix, fires) in expected {
            let policy = try policy(
                """
                [[rule]]
                id = "r"
                effect = "\(effect)"
                protocol = "nostr"
                \(prefix)\(item.condition)
                """, fallback: effect == "ask" ? "deny" : "ask")
            let otherwise = effect == "ask" ? "deny" : "ask"
            #expect(
                try policy.verdict(request) == (fires ? effect : otherwise),
                "\(effect) \(prefix)\(item.condition)")
        }
    }

    struct Amount: CustomTestStringConvertible {
        let text: String
        let amount: Int128?
        var testDescription: String { text }
    }

    @Test(
        "read amounts exactly or not at all",
        arguments: [
            Amount(text: "5 ALGO", amount: 5_000_000), Amount(text: "0.01 ALGO", amount: 10_000),
            Amount(text: "0.000001 ALGO", amount: 1), Amount(text: "0.0000001 ALGO", amount: nil),
            Amount(text: "5", amount: nil), Amount(text: "5 microalgo", amount: nil),
            Amount(text: "5 algo", amount: nil), Amount(text: "5  ALGO", amount: nil),
            Amount(text: "-5 ALGO", amount: nil), Amount(text: "5. ALGO", amount: nil),
            Amount(text: ".5 ALGO", amount: nil), Amount(text: "1e3 ALGO", amount: nil),
            Amount(text: " 5 ALGO", amount: nil), Amount(text: "5 ALGO ", amount: nil),
            Amount(text: "1.2.3 ALGO", amount: nil), Amount(text: "\u{664} ALGO", amount: nil),
            Amount(text: "170141183460469231731687303715885 ALGO", amount: nil),
        ])
    func amounts(_ item: Amount) throws {
        let unit = AmountUnit(symbol: "ALGO", decimals: 6, smallest: "microAlgo")
        let amount: Int128?
        do throws(ValueProblem) {
            amount = try unit.amount(of: item.text)
        } catch {
            amount = nil
        }
        #expect(amount == item.amount)
        if let amount { #expect(unit.text(of: amount) == item.text) }
    }

    @Test("take a look-alike name for another field")
    func lookAlikeNames() throws {
        let policy = try policy(
            """
            [[rule]]
            id = "r"
            effect = "allow"
            protocol = "nostr"
            tag.K = { in = ["1"] }
            """)
        let real = Fact("tag.K", .list([.text("9735")]))
        let kelvin = Fact("tag.\u{212A}", .list([.text("1")]))
        #expect(try policy.verdict(FakeRequest(facts: [real, kelvin])) == "ask")
        #expect(try policy.verdict(FakeRequest(facts: [kelvin])) == "ask")
        let good = Fact("tag.K", .list([.text("1")]))
        #expect(try policy.verdict(FakeRequest(facts: [good, kelvin])) == "allow")
    }

    @Test("know engine facts")
    func engineFacts() throws {
        let conditions: [(String, Bool)] = [
            ("protocol = \"nostr\"", true), ("protocol = [\"near\", \"nostr\"]", true),
            ("protocol = \"near\"", false), ("operation = \"sign_event\"", true),
            ("operation = { not_in = \"sign_event\" }", false), ("key = \"alice\"", true),
            ("key = \"bob\"", false), ("client = \"https://a.example\"", true),
            ("client = { suffix = \".example\" }", true), ("client = \"x\"", false),
            ("channel = \"cli\"", true), ("channel = \"http\"", false),
            ("effects = { has = \"publishes\" }", false),
            ("effects = { has = [\"spends\", \"publishes\"] }", true),
            ("effects = { in = \"spends\" }", false),
            ("effects = { count = { min = 2, max = 2 } }", true),
            ("danger = { not_in = \"opaque\" }", true), ("decoded = \"full\"", true),
            ("decoded = [\"partial\", \"opaque\"]", false), ("size = { max = 10 }", true),
            ("size = { max = 9 }", false),
        ]
        var request = FakeRequest(
            client: Client(id: "https://a.example", name: nil, proof: .callback))
        request.effects = [.publishes]
        request.operations = [.fake(effects: [.spends])]
        for (condition, holds) in conditions {
            let policy = try policy("[[rule]]\nid = \"r\"\neffect = \"allow\"\n\(condition)")
            #expect(try policy.verdict(request) == (holds ? "allow" : "ask"), "\(condition)")
        }
    }

    @Test("take an absent client and the key of no operation for unknown")
    func unknownEngineFacts() throws {
        for condition in ["client = { not_in = \"x\" }", "key = { not_in = \"x\" }"] {
            for (effect, verdict) in [("allow", "ask"), ("deny", "deny")] {
                let policy = try policy(
                    "[[rule]]\nid = \"r\"\neffect = \"\(effect)\"\n\(condition)")
                #expect(try policy.verdict(FakeRequest()) == verdict)
            }
        }
    }
}
