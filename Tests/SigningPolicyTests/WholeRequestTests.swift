// SPDX-License-Identifier: Apache-2.0
import PolicyReference
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

    @Test("a limit cannot count by the number of operations, which clients choose")
    func counted() {
        let limit = "limit = [{ count = 1, per = \"1h\", by = [\"request.operations\"] }]"
        #expect(throws: PolicyLoadError.self) { try Self.verdict(limit, 1) }
        #expect(throws: Never.self) { try Self.verdict("request.operations = [1, 2]\n" + limit, 1) }
    }
}
