// SPDX-License-Identifier: Apache-2.0

import NEARCourier
import NEARVerifier
import NEARWallet
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import FakeNEAR

@Suite("The wallet as an app sees it")
struct ManagerTests {
    private let chain: FakeChain
    private let home: WalletHome

    init() throws {
        chain = try FakeChain()
        home = try WalletHome()
    }

    private func manager(
        _ policy: FixedPolicy = FixedPolicy(.allow([])),
        approval: FixedApproval = FixedApproval(.unavailable), client: String = "app"
    ) -> NEARWalletManager {
        let courier = home.courier(chain, policy: policy, approval: approval)
        return NEARWalletManager(
            on: courier, courier: courier.courier, client: client, network: .testnet)
    }

    private func failure<Value>(_ body: () async throws -> Value) async -> NEARError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? NEARError
        }
    }

    @Test("connecting is kept for the next start, and ends with disconnecting")
    func sessions() async throws {
        let wallet = manager()
        #expect(await !wallet.isSignedIn)
        let account = try await wallet.connect()
        #expect(account.accountId == "alice.testnet" && account.publicKey == home.publicKey)
        #expect(account.walletId == "countersign")
        let later = manager()
        #expect(await later.currentAccount == account)
        #expect(await manager(client: "other").currentAccount == nil)
        try await later.disconnect()
        #expect(await later.currentAccount == nil)
        #expect(await manager().currentAccount == nil)
        #expect(try !home.hasConnections)
    }

    @Test("an app's permissions are revoked when it disconnects")
    func grants() async throws {
        let remembering = FixedApproval(.remember(.yes, Remembering(.always)))
        let wallet = manager(FixedPolicy(.askByDefault), approval: remembering)
        try await wallet.connect()
        _ = try await wallet.signMessage(message: "hi", recipient: "app.near")
        #expect(try home.grantCount == 2)
        try await manager(client: "app").disconnect()
        #expect(try home.grantCount == 0)
    }

    @Test("an app leaves, and turns to another network, where only the default asks or denies")
    func leaves() async throws {
        let wallet = manager()
        try await wallet.connect()
        let denied = manager(FixedPolicy(.deny))
        #expect(await failure { try await denied.disconnect() } != nil)
        #expect(await denied.isSignedIn)
        let waiting = manager(FixedPolicy(.askByDefault))
        try await waiting.disconnect()
        #expect(await !waiting.isSignedIn)
        try await manager().connect()
        let strict = manager(FixedPolicy(.denyByDefault))
        try await strict.use(.mainnet)
        #expect(await !strict.isSignedIn)
        #expect(try !home.hasConnections)
    }

    @Test("a message is signed in the shape of the specification, and verifies once")
    func message() async throws {
        let wallet = manager()
        #expect(
            await failure { try await wallet.signMessage(message: "hi", recipient: "a") }
                == .notSignedIn)
        try await wallet.connect()
        let result = try await wallet.signMessage(message: "hi", recipient: "app.near")
        let text = try #require(result.signature)
        let payload = Array(text.utf8)
        let signed = try JSON.parse(payload.span)
        #expect(
            Set(signed.object?.names ?? []) == [
                "accountId", "publicKey", "signature", "message", "recipient", "nonce",
            ])
        #expect(result.accountId == "alice.testnet" && result.publicKey == home.publicKey)
        var demands = MessageVerifier.Demands()
        demands.recipient = "app.near"
        let verified = try await home.verifier(chain).verify(payload, demands)
        #expect(verified.variant == "as given" && verified.ownership == .onChain)
        #expect(verified.accountID == "alice.testnet")
        await #expect(throws: MessageVerifier.VerificationError.replayed) {
            try await home.verifier().verify(payload, demands)
        }
        let other = try await wallet.signMessage(message: "hi", recipient: "app.near")
        #expect(other.signature != result.signature)
    }

    @Test("connecting and signing is one step; a key is added where one is wanted")
    func connectAndSign() async throws {
        let wallet = manager()
        let nonce = [UInt8](repeating: 3, count: 32)
        let result = try await wallet.connectAndSignMessage(
            message: "hi", recipient: "app.near", nonce: nonce)
        #expect(result.account.accountId == "alice.testnet" && chain.nonces.isEmpty)
        let payload = Array(try #require(result.signedMessage).utf8)
        #expect(try JSON.parse(payload.span)["nonce"]?.text == Base64.encode(nonce.span))
        _ = try await home.verifier().verify(payload)
        let key = FunctionCallKeyRequest(
            contractId: "app.testnet", publicKey: home.publicKey, methodNames: ["go"],
            allowanceYocto: 1)
        let adding = try await wallet.connectAndSignMessage(
            message: "hi", recipient: "app.near", adding: key)
        #expect(adding.signedMessage != nil && chain.nonces.count == 1)
        #expect(
            await failure {
                try await wallet.connectAndSignMessage(
                    message: "hi", recipient: "a", nonce: [1])
            } == .walletError("invalid_request: a nonce has 32 bytes"))
    }

    @Test("NEAR is sent, functions are called, delegates are signed, accounts are seen")
    func transactions() async throws {
        let wallet = manager()
        try await wallet.connect()
        let sent = try await wallet.sendNEAR(to: "bob.testnet", amountYocto: 5)
        #expect(sent.transactionHashes == chain.hashes)
        _ = try await wallet.callFunction(
            contractId: "app.testnet", methodName: "go", args: ["a": 1])
        let both = try await wallet.signAndSendTransactions([
            ("bob.testnet", []), ("carol.testnet", []),
        ])
        #expect(both.transactionHashes.count == 2 && chain.nonces.count == 4)
        let delegates = try await wallet.signDelegateActions([("bob.testnet", [])])
        #expect(delegates.signedDelegateActions.count == 1)
        #expect(try await wallet.viewAccount("bob.testnet").amount > 0)
        chain.fail("send_tx", .close)
        guard
            case .notCarriedOut(_, let items)? = await failure({
                try await wallet.sendNEAR(to: "bob.testnet", amountYocto: 5)
            })
        else {
            Issue.record("not told")
            return
        }
        #expect(try home.unsentIDs == items.map(\.hash))
        #expect(items.map(\.state) == ["unknown"])
    }

    @Test("a transaction that fails on the chain is not a result")
    func failed() async throws {
        let wallet = manager()
        try await wallet.connect()
        chain.setFailure(["ActionError": ["kind": "FunctionCallError"]])
        guard
            case .notCarriedOut(let reason, let items)? = await failure({
                try await wallet.signAndSendTransactions([
                    ("bob.testnet", []), ("carol.testnet", []),
                ])
            })
        else {
            Issue.record("not told")
            return
        }
        #expect(reason.hasPrefix("transaction_failed: 1 failed, 1 not sent: "))
        #expect(items.map(\.state) == ["failed", "not_sent"])
        #expect(items.first?.hash == chain.hashes.first && chain.hashes.count == 1)
    }

    @Test("one call at a time; a denial and a missing node have their own errors")
    func errors() async throws {
        let slow = manager(FixedPolicy(.ask), approval: FixedApproval(.silent))
        let waiting = Task { await failure { try await slow.connect() } }
        while await !slow.isBusy { await Task.yield() }
        #expect(await failure { try await slow.connect() } == .operationInProgress)
        #expect(await failure { try await slow.use(.mainnet) } == .operationInProgress)
        waiting.cancel()
        #expect(await waiting.value != nil)
        let denied = manager(FixedPolicy(.ask), approval: FixedApproval(.deny))
        guard case .walletError(let text)? = await failure({ try await denied.connect() }) else {
            Issue.record("no error")
            return
        }
        #expect(text.hasPrefix("user_rejected: ") && text.contains("rejected"))
        let wallet = manager()
        try await wallet.connect()
        chain.fail("status", .status(500))
        guard
            case .rpcError? = await failure({
                try await wallet.sendNEAR(to: "bob.testnet", amountYocto: 5)
            })
        else {
            Issue.record("no error")
            return
        }
    }

    @Test("another network ends the session on this one")
    func networks() async throws {
        let wallet = manager()
        try await wallet.connect()
        try await wallet.use(.mainnet)
        #expect(await wallet.currentAccount == nil)
        #expect(await wallet.network == .mainnet)
        #expect(try !home.hasConnections)
    }
}
