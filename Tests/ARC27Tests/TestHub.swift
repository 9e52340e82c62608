// SPDX-License-Identifier: Apache-2.0

import ARC27
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import Algorand

/// A hub with a ledger in memory, to which requests of one client come.
struct TestHub {
    static let client = "https://dapp.example.org"
    static let now: Int64 = 1_790_000_000

    var provider: TestProvider
    let ledger = MemoryLedger()
    let environment = FixedEnvironment(seconds: Self.now)

    init(_ provider: TestProvider) { self.provider = provider }

    /// Says yes for an hour, and that a thousand times as much may leave as is shown.
    private struct GenerousApproval: Approval {
        let isAsked: @Sendable () async -> Void

        func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
            await isAsked()
            let totals = question.totals.map { Outflow($0.asset, $0.amount * 1_000) }
            return .approved(question.binding, remembering: Remembering(.hour, totals: totals))
        }
    }

    /// What became of a request, `done` or the code of the reason.
    func ending(
        _ frame: String, _ policy: FixedPolicy.Answer = .askByDefault, client: String = Self.client,
        saysYes: Bool, meanwhile: @escaping @Sendable () async -> Void = {}
    ) async -> String {
        let answer = await answer(
            frame, policy, client: client, saysYes: saysYes, meanwhile: meanwhile)
        switch answer.ending {
        case .refused(let error): return error.code
        case .outcome(.done): return "done"
        case .outcome(.denied(let reason)), .outcome(.failed(let reason)):
            return reason.code.rawValue
        }
    }

    func answer(
        _ frame: String, _ policy: FixedPolicy.Answer, client: String = Self.client, saysYes: Bool,
        meanwhile: @escaping @Sendable () async -> Void = {}
    ) async -> Answer {
        let approval: any Approval =
            saysYes ? GenerousApproval(isAsked: meanwhile) : NoApproval()
        let hub = SigningHub(
            policy: FixedPolicy(policy),
            keyStore: RecordingKeyStore(provider.accounts, domains: provider.adapter.domains),
            ledger: ledger, approval: approval, environment: environment)
        let peer = Peer(door: "test", claim: client)
        return await hub.answer(
            Frame(bytes: [UInt8](frame.utf8), peer: peer), with: provider.adapter)
    }
}
