// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import NEAR
package import NEARCourier
package import NEARVerifier
package import NEP413
package import SigningCodecs
package import SigningCore
import SigningCrypto
internal import SigningFiles
package import SigningStorage
package import SigningTesting
package import SigningVault
import TestHome

/// A home with one NEAR key, and a wallet over it.
package struct WalletHome: Sendable {
    package static let adapter = NEP413Adapter()

    package let account: Account
    private let base: TestHome

    package init() throws {
        base = try TestHome(Self.adapter.domains)
        account = try base.vault.add(
            name: "alice", protocolID: .near, algorithm: .ed25519,
            address: "alice.testnet", network: "testnet",
            secret: SecretBytes(copying: [UInt8](repeating: 5, count: 32).span))
    }

    package var vault: Vault { base.vault }
    package var ledger: SQLiteLedger { base.ledger }

    /// An account whose name is derived from its key.
    package func addImplicitAccount() throws -> Account {
        let secret = SecretBytes(copying: [UInt8](repeating: 6, count: 32).span)
        let publicKey = try Ed25519Key(seed: secret).publicKey
        return try vault.add(
            name: "implicit", protocolID: .near, algorithm: .ed25519,
            address: Hex.encode(publicKey.span), network: "testnet", secret: secret)
    }

    package var publicKey: String {
        let key = account.publicKey
        return "ed25519:" + Base58.encode(key.span)
    }

    package func courier(
        _ chain: FakeChain?, policy: FixedPolicy = FixedPolicy(.allow([])),
        approval: FixedApproval = FixedApproval(.unavailable)
    ) -> WalletChannel {
        WalletChannel(
            hub: hub(policy, approval),
            courier: NEARCourier(nodes: chain.map { ["testnet": $0.node] } ?? [:]))
    }

    package func hub(
        _ policy: FixedPolicy = FixedPolicy(.allow([])),
        _ approval: FixedApproval = FixedApproval(.unavailable)
    ) -> SigningHub {
        // Other suites of the run may hold both threads for minutes.
        base.hub(policy, approval: approval, approvalSeconds: 3_600)
    }
}

extension WalletHome {
    /// A verifier that accepts each message once; with a chain, it asks for the owner of the key.
    package func verifier(_ chain: FakeChain? = nil) -> MessageVerifier {
        MessageVerifier(
            accepted: ledger, node: chain.map { ($0.node, "testnet") },
            environment: SystemEnvironment(),
            reading: { StatementVerifier.check($0).first?.reading?.name })
    }

    /// The number of entries of the record.
    package var recordCount: Int64 { get throws { Int64(try ledger.length().entries) } }

    /// True if a client is connected.
    package var hasConnections: Bool { get throws { try !ledger.allConnections().isEmpty } }

    /// The number of grants that are not revoked.
    package var grantCount: Int {
        get throws { try ledger.allGrants().count { $0.revoked == nil } }
    }

    /// The ids of transactions that may not have been sent.
    package var unsentIDs: [String] { get throws { try ledger.unsent().map(\.item.id) } }
}

/// A hub with the courier that sends the items of its calls.
package struct WalletChannel: KnowsConnections {
    package let hub: SigningHub
    package let courier: NEARCourier

    package init(hub: SigningHub, courier: NEARCourier) {
        self.hub = hub
        self.courier = courier
    }

    package func answer(_ frame: Frame) async -> Answer {
        await hub.answer(frame, with: WalletHome.adapter, by: courier)
    }

    package func answer(_ frame: Frame, over _: AdapterID?) async -> Answer { await answer(frame) }

    package func account(
        connectedTo peer: Peer, in protocolID: ProtocolID, on network: String
    ) -> Account? {
        hub.account(connectedTo: peer, in: protocolID, on: network)
    }
}

package func frame(_ method: String, _ params: JSON, client: String = "app") -> Frame {
    Frame((["method": .string(method), "params": params] as JSON).write(), from: client)
}

package func json(_ answer: Answer) -> JSON {
    guard case .message(let bytes) = answer.reply else { return .null }
    return (try? JSON.parse(bytes.span)) ?? .null
}

package let transfer: JSON = [
    "network": "testnet", "receiverId": "bob.testnet",
    "actions": [["type": "Transfer", "params": ["deposit": "1"]]],
]
