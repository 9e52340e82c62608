// SPDX-License-Identifier: Apache-2.0

import ExampleSigner
import NEAR
import NEARCourier
import NEARWallet
import NEP413

/// An app with a wallet of its own: it connects, signs a message and disconnects.
@main
struct Main {
    static func main() async throws {
        let courier = NEARCourier(nodes: [:])
        let signer = try ExampleSigner(
            NEARChain(), NEP413Adapter(), account: "alice.testnet", network: "testnet",
            couriers: [courier])

        let wallet = NEARWalletManager(
            on: signer.local, courier: courier, client: "app", network: .testnet)
        let account = try await wallet.connect()
        try expect("connected", account.accountId, "alice.testnet")
        let signed = try await wallet.signMessage(message: "hello", recipient: "app.testnet")
        try expect("signed by", signed.publicKey, account.publicKey)
        try await wallet.disconnect()
        try expect("connected", await wallet.isSignedIn, false)
    }
}
