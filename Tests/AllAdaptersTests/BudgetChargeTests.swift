// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCrypto
import SigningStorage
import SigningTesting
import Synchronization
import TestHome
import Testing

@testable import SigningCore

/// Says yes to each question and keeps what it showed.
private final class KeepingApproval: Approval {
    let shown = Mutex<[String]>([])
    private let remembers: Remembering?

    init(_ remembers: Remembering? = nil) { self.remembers = remembers }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        shown.withLock { $0.append(question.summary.text) }
        return .approved(question.binding, remembering: remembers)
    }

    var count: Int { shown.withLock { $0.count } }
}

@Suite("Final budgets on a real disk")
struct BudgetChargeTests {
    let home: TestHome
    let environment = FixedEnvironment(seconds: 1_795_219_200)

    init() throws { home = try TestHome.ofSamples() }

    private static func rules(_ hour: String) -> String {
        """
        [budget.hour]
        limit = [{ count = 1, per = "1h" }]
        \(hour)
        [budget.month]
        limit = [{ count = 3, per = "30d" }]
        final = true
        [[rule]]
        id = "notes"
        effect = "allow"
        protocol = "nostr"
        acknowledge = ["new_client"]
        budget = ["hour", "month"]

        """
    }

    private func ending(
        _ hub: SigningHub, _ request: [UInt8] = Samples.frame("nip07")
    ) async throws -> String {
        let adapter = try #require(Samples.adapters.adapter(named: "nip07"))
        return await hub.answer(Frame.sent(request), with: adapter).word
    }

    private func used(_ counter: String) throws -> Int128 {
        try home.ledger.used(
            LimitClaim(counter: counter, window: .ever, maximum: 9, amount: 1),
            at: environment.now())
    }

    @Test("count what a person approves above another budget, then deny without a question")
    func escalated() async throws {
        let approval = KeepingApproval()
        let hub = try home.hub(
            Self.rules("escalate = true"), version: 2, fallback: "ask", approval: approval,
            environment: environment)
        for _ in 0..<3 { #expect(try await ending(hub) == "done") }
        #expect(approval.count == 2)
        let last = try #require(approval.shown.withLock { $0.last })
        #expect(last.contains("month: this uses 1 of the 1 left (3 per 30d)"), "\(last)")
        #expect(last.contains("hour: 1 is above the 0 left (1 per 1h), and not counted"))
        #expect(try used("month#count") == 3)
        #expect(try used("hour#count") == 1)
        #expect(try await ending(hub) == "limit_exceeded")
        #expect(approval.count == 2)
        #expect(try used("month#count") == 3)
    }

    @Test("count what a remembered answer approves, and overrule it")
    func remembered() async throws {
        let approval = KeepingApproval(Remembering(.hour))
        // The rule matches, but it does not acknowledge the old encryption (NIP-04).
        let hub = try home.hub(
            """
            [budget.month]
            limit = [{ count = 3, per = "30d" }]
            final = true
            [[rule]]
            id = "secrets"
            effect = "allow"
            protocol = "nostr"
            acknowledge = ["new_client"]
            budget = "month"

            """, version: 2, fallback: "ask", approval: approval, environment: environment)
        let peer = "17162c921dc4d2518f9a101db33695df1afb56ab82f5ff3e5da6eec3ca5cd917"
        let request = #"{"nip07":"nip04.encrypt","params":["\#(peer)","hi"]}"#
        for _ in 0..<3 { #expect(try await ending(hub, Array(request.utf8)) == "done") }
        // The person answered the first, and the grant the others.
        #expect(approval.count == 1)
        #expect(try home.ledger.allGrants().count == 1)
        #expect(try used("month#count") == 3)
        #expect(try await ending(hub, Array(request.utf8)) == "limit_exceeded")
        #expect(approval.count == 1)
    }

    @Test("count nothing that a person denies")
    func denied() async throws {
        let hub = try home.hub(
            Self.rules("").replacing("effect = \"allow\"", with: "effect = \"ask\"")
                .replacing("acknowledge = [\"new_client\"]\n", with: ""),
            version: 2, fallback: "ask", approval: FixedApproval(.deny), environment: environment)
        #expect(try await ending(hub) == "person_denied")
        #expect(try used("month#count") == 0)
    }
}
