// SPDX-License-Identifier: Apache-2.0

import ARC27
import ARC27Rig
import SigningCodecs
import SigningCore
import SigningTesting
import TestHome
import Testing

@testable import Algorand

/// A hub with a ledger in memory, for requests of one client.
struct TestHub {
    static let client = "https://dapp.example.org"
    static let now: Int64 = 1_790_000_000

    let provider: TestProvider
    private let rig: TestRig
    var ledger: MemoryLedger { rig.ledger }

    init(_ provider: TestProvider) {
        self.provider = provider
        rig = TestRig(
            provider.accounts, domains: provider.adapter.domains,
            environment: FixedEnvironment(seconds: Self.now))
    }

    /// Says yes for an hour, with a total of 1,000 times the shown outflow.
    private struct GenerousApproval: Approval {
        let isAsked: @Sendable () async -> Void

        func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
            await isAsked()
            let totals = question.totals.map { total in
                let (most, isTooMuch) = total.amount.multipliedReportingOverflow(by: 1_000)
                return Outflow(total.asset, isTooMuch ? .max : most)
            }
            return .approved(question.binding, remembering: Remembering(.hour, totals: totals))
        }
    }

    /// The outcome of a request: `done` or the code of the reason.
    func ending(
        _ frame: String, _ policy: FixedPolicy.Answer = .askByDefault, client: String = Self.client,
        saysYes: Bool, meanwhile: @escaping @Sendable () async -> Void = {}
    ) async -> String {
        await answer(frame, policy, client: client, saysYes: saysYes, meanwhile: meanwhile).word
    }

    func answer(
        _ frame: String, _ policy: FixedPolicy.Answer, client: String = Self.client, saysYes: Bool,
        meanwhile: @escaping @Sendable () async -> Void = {}
    ) async -> Answer {
        let approval: any Approval =
            saysYes ? GenerousApproval(isAsked: meanwhile) : NoApproval()
        return await rig.hub(policy, approval: approval)
            .answer(Frame([UInt8](frame.utf8), from: client), with: provider.adapter)
    }
}
