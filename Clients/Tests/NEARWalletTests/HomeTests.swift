// SPDX-License-Identifier: Apache-2.0

import NEAR
import NEARCourier
import NEARWallet
import NEP413
import SigningCore
import SigningCrypto
import SigningService
import Testing

@testable import FakeNEAR
@testable import TestHome

@Suite("The wallet on an open home")
final class HomeTests {
    private let folder = TemporaryFolder()
    private let passphrase = SecretBytes(copying: "correct horse".utf8.span)

    /// Both modules are imported here: the chain and the networks of the wallet have two names.
    private let chain = NEARChain()
    private let network = NEARWalletNetwork.testnet

    @Test("an app connects, signs under the policy of the home, and finds its account again")
    func connects() async throws {
        let near = ProtocolSupport(chains: [chain], wires: [NEP413Adapter()])
        try OpenHome.create(at: folder.path, speaking: near, passphrase: passphrase)
        let home = try OpenHome(at: folder.path, speaking: near)
        // The key that the chain knows for this account.
        try home.importKey(
            chain, name: "alice",
            secret: SecretBytes(copying: [UInt8](repeating: 5, count: 32).span),
            account: "alice.testnet", network: network.rawValue, passphrase: passphrase)
        try home.attest(
            policy: """
                version = 1
                default = "deny"
                [[rule]]
                id = "app"
                effect = "allow"
                protocol = "near"
                client = "app"
                operation = ["sign_in", "sign_message"]
                acknowledge = ["new_client"]
                """, passphrase: passphrase)
        let fake = try FakeChain()
        let courier = NEARCourier(nodes: ["testnet": fake.node])
        let signer = try LocalSigner(of: home, couriers: [courier])
        try signer.unlock(passphrase: passphrase)
        let wallet = NEARWalletManager(
            on: signer, courier: courier, client: "app", network: network)
        let account = try await wallet.connect()
        #expect(account.accountId == "alice.testnet")
        let signed = try await wallet.signMessage(message: "hi", recipient: "app.testnet")
        #expect(signed.accountId == "alice.testnet" && signed.signature != nil)
        let again = NEARWalletManager(
            on: signer, courier: courier, client: "app", network: network)
        #expect(await again.currentAccount == account)
        let other = NEARWalletManager(
            on: signer, courier: courier, client: "other", network: network)
        await #expect(throws: NEARError.self) { try await other.connect() }
        withExtendedLifetime(fake) {}
    }
}
