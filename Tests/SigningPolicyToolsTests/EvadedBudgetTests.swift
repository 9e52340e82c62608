// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("Budgets that another rule takes the effect from")
struct EvadedBudgetTests {
    private func found(
        _ other: String, budget: String = "", drawing: String = "amount = { max = \"5 ALGO\" }"
    ) throws -> [String] {
        let text =
            "version = 2\ndefault = \"ask\"\n[budget.bot]\nlimit = [{ uses = 9 }]\n\(budget)\n"
            + payRule("budget = \"bot\"\n\(drawing)") + other
        return PolicyFindings.find(in: try loaded(text)).filter { $0.code == "P0218" }
            .map(\.message)
    }

    @Test("are reported with both rules, in either order of their ids")
    func reported() throws {
        for id in ["a", "z"] {
            #expect(
                try found(payRule("limit = [{ uses = 9 }]", id: id)) == [
                    "the budget \"bot\" does not bound the rule \"pay\": the rule \"\(id)\" allows "
                        + "the same without it; add the budget there, or final = true to the budget"
                ])
            let wider = payRule("amount = { max = \"6 ALGO\" }", id: id)
            #expect(try found(wider).count == 1)
        }
    }

    @Test("are not reported if they hold, or if the other rule does not allow all of it")
    func silent() throws {
        let all = payRule("", id: "a")
        #expect(try found("") == [])
        #expect(try found(all, budget: "final = true") == [])
        for rest in [
            "amount = { max = \"4 ALGO\" }", "receiver = \"bob\"", "budget = \"bot\"",
            "expires = 2027-01-01T00:00:00Z", "unless = { receiver = \"bob\" }",
        ] {
            #expect(try found(payRule(rest, id: "a")) == [], "\(rest)")
        }
        #expect(try found(all.replacing("\"allow\"", with: "\"ask\"")) == [])
        #expect(try found(all, drawing: "acknowledge = [\"rekey\"]") == [])
        let flagged = payRule("acknowledge = [\"rekey\"]", id: "a")
        #expect(try found(flagged, drawing: "acknowledge = [\"rekey\"]").count == 1)
    }
}
