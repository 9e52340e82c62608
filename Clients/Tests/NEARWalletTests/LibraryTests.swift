// SPDX-License-Identifier: Apache-2.0

import Foundation
import NEARWallet
import SigningCore
import SigningTesting
import Testing

@testable import FakeNEAR

@Suite("The wallet's library, as the pages of near-connect-ios describe it")
struct LibraryTests {
    private let chain: FakeChain
    private let home: WalletHome

    init() throws {
        chain = try FakeChain()
        home = try WalletHome()
    }

    private func manager(
        _ policy: FixedPolicy = FixedPolicy(.allow([])),
        _ approval: FixedApproval = FixedApproval(.unavailable)
    ) -> NEARWalletManager {
        let courier = home.courier(chain, policy: policy, approval: approval)
        return NEARWalletManager(
            on: courier, courier: courier.courier, client: "app", network: .testnet)
    }

    private func failure<Value>(_ body: () async throws -> Value) async -> NEARError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? NEARError
        }
    }

    @Test("an account is written and read as JSON, and holds no secret")
    func codable() async throws {
        let account = try await manager().connect()
        let data = try JSONEncoder().encode(account)
        #expect(try JSONDecoder().decode(NEARAccount.self, from: data) == account)
        let members = try JSONDecoder().decode([String: String].self, from: data)
        #expect(
            members == [
                "accountId": "alice.testnet", "publicKey": home.publicKey,
                "walletId": NEARAccount.walletId,
            ])
    }

    @Test(
        "an error names the problem in words",
        arguments: [
            (NEARError.operationInProgress, "another call is running: make one call at a time"),
            (.notSignedIn, "no account is connected: connect first"),
            (.invalidTransaction("no receiver"), "the transaction cannot be used: no receiver"),
            (.noTransactionHash, "the transaction was sent, and the answer names no hash"),
            (.walletError("user_rejected: no"), "user_rejected: no"),
            (
                .notCarriedOut(reason: "transaction_failed: 1 failed", transactions: []),
                "transaction_failed: 1 failed"
            ),
            (.rpcError("no node"), "the call to the node failed: no node"),
        ])
    func descriptions(error: NEARError, words: String) {
        #expect("\(error)" == words)
    }

    @Test("mainnet is the default network, and there are two")
    func networks() async {
        let courier = home.courier(chain)
        let wallet = NEARWalletManager(
            on: courier, courier: courier.courier, client: "app")
        #expect(await wallet.network.rawValue == "mainnet")
        let other = NEARWalletManager(
            on: courier, courier: courier.courier, client: "app", network: .testnet)
        #expect(await other.network.rawValue == "testnet")
    }

    @Test("the wallet is always this one, however it was connected to")
    func walletIDs() async throws {
        #expect(try await manager().connect().walletId == "countersign")
        let both = try await manager().connectAndSignMessage(message: "m", recipient: "app.near")
        #expect(both.account.walletId == "countersign")
    }

    @Test("connecting and signing a message are one request, so one question")
    func oneRequest() async throws {
        let wallet = manager(FixedPolicy(.ask), FixedApproval(.approve))
        let before = try home.recordCount
        _ = try await wallet.connectAndSignMessage(message: "m", recipient: "app.near")
        // The record grew by an intent and its result.
        #expect(try home.recordCount == before + 2)
        #expect(await wallet.isSignedIn)
    }

    @Test("a denied message of a login connects no account")
    func deniedTogether() async throws {
        for approval in [FixedApproval(.deny), FixedApproval(.unavailable)] {
            let wallet = manager(FixedPolicy(.ask), approval)
            #expect(
                await failure {
                    try await wallet.connectAndSignMessage(message: "m", recipient: "app.near")
                } != nil)
            #expect(await !wallet.isSignedIn)
        }
        #expect(try !home.hasConnections)
    }

    @Test("a method that needs an account asks no question without one")
    func notSignedIn() async {
        let wallet = manager()
        #expect(
            await failure { try await wallet.sendNEAR(to: "bob.testnet", amountYocto: 1) }
                == .notSignedIn)
        #expect(
            await failure {
                try await wallet.callFunction(contractId: "app.testnet", methodName: "go")
            } == .notSignedIn)
        #expect(
            await failure { try await wallet.signDelegateActions([("bob.testnet", [])]) }
                == .notSignedIn)
        #expect(chain.nonces.isEmpty && chain.count(of: "view_access_key") == 0)
    }

    @Test("the wallet is busy for as long as a call takes, with any end")
    func busy() async throws {
        let wallet = manager()
        #expect(await !wallet.isBusy)
        try await wallet.connect()
        #expect(await !wallet.isBusy)
        let denied = manager(FixedPolicy(.deny))
        _ = await failure { try await denied.connect() }
        #expect(await !denied.isBusy)
    }
}
