// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningTesting

/// Keys that only count and a ledger in memory, for hubs with different approvals.
package struct TestRig: Sendable {
    package let keys: RecordingKeyStore
    package let ledger = MemoryLedger()
    package let environment: FixedEnvironment

    package init(
        _ accounts: [Account], domains: [SigningDomain],
        environment: FixedEnvironment = FixedEnvironment()
    ) {
        keys = RecordingKeyStore(accounts, domains: domains)
        self.environment = environment
    }

    package func hub(
        _ policy: FixedPolicy.Answer = .askByDefault, approval: any Approval = NoApproval()
    ) -> SigningHub {
        SigningHub(
            policy: FixedPolicy(policy), keyStore: keys, ledger: ledger, approval: approval,
            environment: environment)
    }
}

extension Frame {
    /// A frame over the channel "test", from a client that may claim a name.
    package init(_ bytes: [UInt8], from client: String? = nil) {
        self.init(bytes: bytes, peer: Peer(channel: "test", claim: client))
    }
}

extension Answer {
    /// `done`, or the code of the reason.
    package var word: String {
        switch ending {
        case .refused(let error): error.code
        case .outcome(.done): "done"
        case .outcome(.denied(let reason)), .outcome(.failed(let reason)): reason.code.rawValue
        }
    }
}
