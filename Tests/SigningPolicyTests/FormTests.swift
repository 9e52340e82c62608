// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Values have one form")
struct FormTests {
    static func rule(_ condition: String) -> String {
        "version = 1\ndefault = \"ask\"\n[[rule]]\nid = \"r\"\neffect = \"deny\"\n\(condition)"
    }

    @Test(
        "clients are brought to their origin",
        arguments: [
            "https://notes.example/", "https://notes.example:443", "HTTPS://Notes.Example",
            "https://notes.example.", "https://notes.example",
        ])
    func origins(_ text: String) throws {
        for condition in ["client = \"\(text)\"", "client = \"@sites\""] {
            let set = "[set.sites]\nall = [\"\(text)\"]\n"
            let policy = try policy(
                (condition.contains("@") ? set : "")
                    + "[[rule]]\nid = \"r\"\neffect = \"deny\"\n\(condition)")
            let client = Client(id: "https://notes.example", name: nil, proof: .callback)
            #expect(try policy.verdict(FakeRequest(client: client)) == "deny")
        }
    }

    @Test(
        "clients that no request can have are refused with the right form",
        arguments: [
            ("https://notes.example/login", "did you mean \"https://notes.example\"?"),
            ("https://notes.example/?a", "did you mean \"https://notes.example\"?"),
            ("myapp://ok", "did you mean \"myapp\"?"),
            ("https://*.evil.example", "a pattern is written { glob = ... }"),
            ("https://user@notes.example", "takes an origin such as"),
        ])
    func noOrigins(text: String, error: String) {
        let found = headlines(Self.rule("client = \"\(text)\""))
        #expect(found.count == 1 && found[0].contains(error), "\(found)")
    }

    @Test("names of apps and of claiming clients stay unchanged")
    func names() throws {
        for name in ["myapp", "https", "some program"] {
            let policy = try policy(
                "[[rule]]\nid = \"r\"\neffect = \"deny\"\nclient = \"\(name)\"")
            let client = Client(id: name, name: nil, proof: .claimed)
            #expect(try policy.verdict(FakeRequest(client: client)) == "deny")
        }
    }

    @Test("parts of values and patterns have no form")
    func parts() {
        #expect(headlines(Self.rule("client = { prefix = \"https://*\" }")) == [])
        #expect(headlines(Self.rule("client = { glob = \"https://*.example\" }")) == [])
    }
}

@Suite("The outflow of an account")
struct OutflowTests {
    static let coin = Asset(
        id: "algorand/testnet", network: "testnet", name: "microAlgo",
        unit: AmountUnit(symbol: "ALGO", decimals: 6, smallest: "microAlgo"))
    static let token = Asset(
        id: "algorand/testnet/asset/1", network: "testnet", name: "", unit: nil)

    static func request(_ outflows: [Outflow]) -> FakeRequest {
        FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: [
                RequestedOperation(
                    account: .named("alice"), operation: .publicKey, facts: [], effects: [],
                    dangers: [], outflows: outflows)
            ])
    }

    @Test("is a fact of the coin alone, bounds rules and is counted")
    func fact() throws {
        let rule = """
            [[rule]]
            id = "r"
            effect = "allow"
            protocol = "algorand"
            outflow = { max = "5 ALGO" }
            limit = [{ amount = "8 ALGO", of = "outflow", per = "1d" }]
            """
        let policy = try policy(rule)
        let cases: [(outflows: [Outflow], used: Int128, verdict: String)] = [
            ([Outflow(Self.coin, 5_000_000)], 0, "allow"),
            ([Outflow(Self.coin, 5_000_001)], 0, "ask"),
            ([Outflow(Self.coin, 4_999_000), Outflow(Self.coin, 1_001)], 0, "ask"),
            ([Outflow(Self.coin, 5_000), Outflow(Self.token, .max)], 0, "allow"),
            ([Outflow(Self.coin, .max), Outflow(Self.coin, .max)], 0, "ask"),
            ([Outflow(Self.coin, 5_000)], 7_995_000, "allow"),
            ([Outflow(Self.coin, 5_000)], 7_995_001, "deny"), ([], 0, "ask"),
        ]
        for (outflows, used, verdict) in cases {
            let found = try policy.verdict(Self.request(outflows), ["r#sum(outflow)": used])
            #expect(found == verdict, "\(outflows.map(\.amount)) \(used)")
        }
    }
}
