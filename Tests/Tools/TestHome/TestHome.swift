// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningFiles
package import SigningStorage
import SigningTesting
package import SigningVault

/// A home with an unlocked vault and an empty ledger, for hubs that store everything on disk.
package final class TestHome: Sendable {
    package let vault: Vault
    package let ledger: SQLiteLedger
    private let temporary: TemporaryHome

    package init(_ domains: [SigningDomain]) throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault(DomainRegistry(domains))
        ledger = try temporary.makeLedger()
    }

    package var home: Home { temporary.home }

    package func hub(
        _ policy: any Policy = FixedPolicy(.allow([])), ledger: (any Ledger)? = nil,
        approval: any Approval = NoApproval(),
        environment: any HubEnvironment = SystemEnvironment(),
        approvalSeconds: Int64 = SigningHub.approvalSecondsDefault
    ) -> SigningHub {
        SigningHub(
            policy: policy, keyStore: vault, ledger: ledger ?? self.ledger, approval: approval,
            environment: environment, approvalSeconds: approvalSeconds)
    }
}
