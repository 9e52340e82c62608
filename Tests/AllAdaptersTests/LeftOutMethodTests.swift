// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import PolicyReference
import SigningPolicy
import SigningPolicyTools
import Testing

@Suite("Methods that a rule leaves out")
struct LeftOutMethodTests {
    private static func rule(_ id: String, _ effect: String, _ rest: String) -> String {
        "[[rule]]\nid = \"\(id)\"\neffect = \"\(effect)\"\nprotocol = \"algorand\"\n\(rest)\n"
    }

    private static func found(_ rules: String) throws -> [String] {
        PolicyFindings.find(
            in: try RuleValueTests.load("version = 2\ndefault = \"ask\"\n\(rules)")
        ).filter { $0.code == "P0224" }.map(\.message)
    }

    private static let sign = "operation = \"sign_transactions\"\n"
    private static let both =
        "operation = [\"sign_transactions\", \"sign_and_post_transactions\"]\n"
    private static let limit = "limit = [{ count = 1, per = \"1d\" }]"
    private static let new = "first_use.receiver = { max = \"24h\" }"

    @Test("are found where an allow rule covers them with the others", arguments: ["ask", "deny"])
    func found(_ effect: String) throws {
        let messages = try Self.found(
            Self.rule("pay", "allow", Self.limit) + Self.rule("new", effect, Self.sign + Self.new))
        #expect(
            messages == [
                "the rule \"pay\" allows sign_and_post_transactions, which the rule \"new\" leaves "
                    + "out although it has the same fields: add it to operation"
            ])
    }

    @Test("are no mistake where the rule names them, or no allow rule covers both")
    func fine() throws {
        for (allow, ask) in [
            ("", Self.both + Self.new), (Self.sign, Self.sign + Self.new), ("", Self.new),
            ("operation = \"sign_and_post_transactions\"\n", Self.sign + Self.new),
            ("", Self.sign),
        ] {
            let rules =
                Self.rule("pay", "allow", allow + Self.limit) + Self.rule("new", "ask", ask)
            #expect(try Self.found(rules) == [], "\(rules)")
        }
    }
}
