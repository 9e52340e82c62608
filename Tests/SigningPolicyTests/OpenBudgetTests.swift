// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

/// A client that chooses the value of a field has a fresh budget with each value.
@Suite("Limits that bound nothing")
struct OpenBudgetTests {
    private static func rule(_ conditions: String, _ limits: String) -> String {
        "[[rule]]\nid = \"r\"\neffect = \"allow\"\nprotocol = \"algorand\"\n\(conditions)"
            + "limit = [\(limits)]\n"
    }

    private static func count(by field: String) -> String {
        "{ count = 1, per = \"1h\", by = [\"\(field)\"] }"
    }

    private static func codes(_ conditions: String, _ limits: String) -> [String] {
        do throws(PolicyLoadError) {
            return try policy(rule(conditions, limits)).findings.map(\.code)
                .filter { $0 == "P0209" }
        } catch {
            return error.diagnostics.filter { $0.severity == .error }.map(\.code)
        }
    }

    @Test("are refused with their place and the bound they need")
    func refused() {
        do throws(PolicyLoadError) {
            _ = try policy(
                Self.rule(
                    "",
                    "{ count = 9, per = \"1d\", by = [\"key\"] },\n "
                        + Self.count(by: "size").replacing("\"1h\"", with: "\"2h\"")))
            // The other limit, with `by = ["key"]`, bounds the sum over all sizes.
            _ = try policy(Self.rule("", "\n    \(Self.count(by: "size"))"))
            Issue.record("it loads")
        } catch {
            let found = error.diagnostics.filter { $0.severity == .error }
            #expect(
                found.map(\.headline) == [
                    "policy.toml:8:5: error[P0135]: the limit bounds nothing: a client can use "
                        + "any number of values of \"size\", and each value has its own budget; "
                        + "list its values in the rule, or add a limit without it, such as "
                        + "{ count = 60, per = \"1h\" }"
                ])
        }
    }

    @Test("are counters by values that clients fill in, unless another limit bounds the same")
    func bounds() {
        let receiver = "{ amount = \"2 ALGO\", of = \"amount\", per = \"1d\", by = [\"receiver\"] }"
        let all = "{ amount = \"9 ALGO\", of = \"amount\", per = \"1d\" }"
        let fees = "{ amount = \"9 ALGO\", of = \"fee\", per = \"1d\" }"
        let cases: [(conditions: String, limits: String, codes: [String])] = [
            ("", receiver, ["P0135"]), ("", "\(receiver), \(all)", []),
            ("", "\(receiver), { uses = 5 }", []), ("", "\(receiver), \(fees)", ["P0135"]),
            // Payments of 0 do not use up an amount.
            ("", "\(Self.count(by: "receiver")), \(all)", ["P0135"]),
            ("", "\(Self.count(by: "size")), \(receiver)", ["P0135", "P0135"]),
            ("receiver = [\"a\", \"b\"]\n", receiver, []),
            ("receiver = \"@own\"\n", receiver, []),
            ("receiver = { prefix = \"a\" }\n", receiver, ["P0135"]),
            ("receiver = { not_in = [\"a\"] }\n", receiver, ["P0135"]),
            ("unless = { receiver = [\"a\"] }\n", receiver, ["P0135"]),
            ("size = { max = 9 }\n", Self.count(by: "size"), ["P0135"]),
            ("", "{ count = 1, per = \"1h\", by = [\"key\", \"time\"] }", ["P0135"]),
        ]
        for (conditions, limits, codes) in cases {
            #expect(Self.codes(conditions, limits) == codes, "\(conditions)\(limits)")
        }
    }

    @Test("are those by clients that any program can be")
    func clients() {
        func proof(_ words: String...) -> String {
            "\"client.proof\" = [\(words.map { "\"\($0)\"" }.joined(separator: ", "))]\n"
        }
        let known = "acknowledge = [\"new_client\"]\n"
        let cases: [(conditions: String, field: String, isOpen: Bool)] = [
            ("", "client", true), ("", "client.party", true), ("", "client.name", true),
            ("client = [\"https://a.example\", \"b\"]\n", "client", false),
            ("client = [\"https://a.example\", \"b\"]\n", "client.party", false),
            ("client = \"https://a.example\"\n", "client.name", true),
            ("client = { glob = \"https://*.example\" }\n", "client", true),
            (proof("token"), "client", false), (proof("token", "key"), "client", false),
            (proof("browser"), "client", true), (proof("browser"), "client.party", false),
            (proof("server"), "client", true), (proof("callback"), "client.party", false),
            (proof("callback") + known, "client.party", true),
            (proof("browser") + known, "client.party", false),
            (proof("callback", "claimed"), "client.party", true),
            (proof("claimed"), "client", true),
        ]
        for (conditions, field, isOpen) in cases {
            #expect(
                Self.codes(conditions, Self.count(by: field)) == (isOpen ? ["P0135"] : []),
                "\(conditions)\(field)")
        }
    }

    @Test("go on in a policy that is in force, with a warning")
    func inForce() throws {
        let text = Self.rule("", Self.count(by: "size"))
        let policy = try loaded("version = 1\ndefault = \"ask\"\n\(text)", isInForce: true)
        #expect(policy.findings.map(\.code).contains("P0209"))
        let request = FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: [.fake()])
        for bytes in 1...4 {
            let judgement = try policy.judge(
                request.judged(bytes: bytes),
                usage: FakeUsage(counts: ["r#count[size=\(bytes - 1)]": 1]))
            #expect(judgement.verdict.name == "allow")
            #expect(judgement.claims.map(\.counter) == ["r#count[size=\(bytes)]"])
        }
    }
}
