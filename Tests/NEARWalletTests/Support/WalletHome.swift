// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import Foundation
import NEAR
import NEARWallet
import NEP413
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningStorage
import SigningTesting

/// A real vault and ledger with one NEAR key, and a wallet over them.
final class WalletHome: Sendable {
    static let adapter = NEP413Adapter(sha256: { Digest.sha256($0) })

    let home: Home
    let vault: Vault
    let ledger: SQLiteLedger
    let account: Account

    init() throws {
        let path = FileManager.default.temporaryDirectory.path + "/wallet-\(UUID().uuidString)"
        home = try Home.create(at: path)
        let passphrase = SecretBytes.random(count: 32)
        try Vault.create(in: home, passphrase: passphrase, parameters: .floor)
        try SQLiteLedger.create(in: home)
        vault = try Vault.open(home, domains: DomainRegistry(Self.adapter.domains))
        ledger = try SQLiteLedger.open(home)
        try vault.unlock(passphrase: passphrase)
        account = try vault.add(
            name: "alice", protocolID: .near, algorithm: .ed25519,
            address: "alice.testnet", network: "testnet",
            secret: SecretBytes(copying: [UInt8](repeating: 5, count: 32).span))
    }

    /// An account whose name is its key's.
    func addImplicitAccount() throws -> Account {
        let secret = SecretBytes(copying: [UInt8](repeating: 6, count: 32).span)
        let publicKey = try Ed25519Key(seed: secret).publicKey
        return try vault.add(
            name: "implicit", protocolID: .near, algorithm: .ed25519,
            address: Hex.encode(publicKey.span), network: "testnet", secret: secret)
    }

    deinit { try? FileManager.default.removeItem(atPath: home.path) }

    var publicKey: String {
        let key = account.publicKey
        return "ed25519:" + Base58.encode(key.span)
    }

    func courier(
        _ chain: FakeChain?, policy: FixedPolicy = FixedPolicy(.allow([])),
        approval: FixedApproval = FixedApproval(.unavailable)
    ) -> NEARCourier {
        NEARCourier(
            hub: hub(policy, approval), adapter: Self.adapter,
            nodes: chain.map { ["testnet": $0.node] } ?? [:])
    }

    func hub(
        _ policy: FixedPolicy = FixedPolicy(.allow([])),
        _ approval: FixedApproval = FixedApproval(.unavailable)
    ) -> SigningHub {
        SigningHub(
            policy: policy, keyStore: vault, ledger: ledger, approval: approval,
            environment: SystemEnvironment())
    }

    func verifier(_ chain: FakeChain? = nil) -> MessageVerifier {
        MessageVerifier(
            accepted: ledger, node: chain.map { ($0.node, "testnet") },
            environment: SystemEnvironment(),
            reading: { StatementVerifier.check($0).first?.reading?.name })
    }
}

func frame(_ method: String, _ params: JSON, client: String = "app") -> Frame {
    Frame(
        bytes: (["method": .string(method), "params": params] as JSON).write(),
        origin: Origin(channel: "test", provedUserID: nil, claimedClient: client))
}

func json(_ answer: Answer) -> JSON {
    guard case .message(let bytes) = answer.reply else { return .null }
    return (try? JSON.parse(bytes.span)) ?? .null
}

let transfer: JSON = [
    "network": "testnet", "receiverId": "bob.testnet",
    "actions": [["type": "Transfer", "params": ["deposit": "1"]]],
]
