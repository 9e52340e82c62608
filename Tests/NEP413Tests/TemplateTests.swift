// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import NEAR
@testable import NEP413

/// Whole transactions with a placeholder key, nonce and block, as in links of MyNearWallet.
@Suite("Transactions to be filled in")
struct TemplateTests {
    private static let found = NEARLookup.Found(
        nonces: [101, 102], blockHash: [UInt8](repeating: 7, count: 32), blockHeight: 5_000)

    private func template(
        of signer: String = "alice.near", to receiver: String = "bob.near", _ amount: UInt128 = 5
    ) -> [UInt8] {
        NEARTransaction(
            signer: signer, key: KeyText(curve: .ed25519, bytes: [UInt8](repeating: 3, count: 32)),
            nonce: 0, receiver: receiver, blockHash: [UInt8](repeating: 9, count: 32),
            actions: [.transfer(deposit: amount)]
        ).preimage
    }

    private func call(_ items: [JSON], signer: String? = nil) -> [UInt8] {
        let own: [JSONObject.Member] =
            signer.map { [.init(name: "signerId", value: .string($0))] } ?? []
        let members = own + [.init(name: "transactions", value: .array(items))]
        return
            (["method": "signAndSendTransactions", "params": .object(JSONObject(members))] as JSON)
            .write()
    }

    private func item(_ bytes: [UInt8]) -> JSON {
        ["template": .string(Base64.encode(bytes.span))]
    }

    private func request(_ frame: [UInt8], _ account: Account) throws(AdapterError) -> NEP413Request
    {
        let context = DecodingContext(
            accounts: [account], peer: Peer(channel: "test", claim: "app"),
            client: .claiming("app"),
            now: Timestamp(seconds: 1_800_000_000), freshID: [UInt8](repeating: 9, count: 16),
            wasSeen: { _ in false }, connections: { _ in [] })
        return try adapter.decode(frame, finding: Self.found, in: context)
    }

    @Test("signer, receiver and actions count; key, nonce and block are the wallet's")
    func filled() throws {
        let signer = try Signer(network: "mainnet")
        let frame = call([item(template()), item(template(to: "carol.near", 6))])
        let request = try request(frame, signer.account)
        guard
            case .transactions(let transactions, "mainnet", .send(isList: true)) =
                request.near.body
        else { throw TestFailure("no transactions to be sent") }
        let own = KeyText(curve: .ed25519, bytes: signer.account.publicKey)
        #expect(transactions.map(\.key) == [own, own])
        #expect(transactions.map(\.nonce) == [101, 102])
        #expect(transactions.allSatisfy { $0.blockHash == Self.found.blockHash })
        #expect(transactions.map(\.receiver) == ["bob.near", "carol.near"])
        #expect(transactions.map(\.actions) == [[.transfer(deposit: 5)], [.transfer(deposit: 6)]])
        #expect(request.operations.allSatisfy { !$0.dangers.contains(.offlineNonce) })
    }

    @Test("an invalid transaction, or another account's, is refused")
    func refused() throws {
        let account = try Signer(network: "mainnet").account
        let good = template()
        let plain: JSON = ["receiverId": "bob.near", "actions": []]
        let both: JSON = ["template": .string(Base64.encode(good.span)), "receiverId": "bob.near"]
        let foreign = item(template(of: "eve.near"))
        for (frame, code) in [
            (call([item(good)], signer: "bob.near"), "invalid_request"),
            (call([item(good), foreign]), "invalid_request"),
            (call([foreign]), "account_not_found"),
            (call([item(good + [0])]), "invalid_request"),
            (call([item(Array(good.dropLast()))]), "invalid_request"),
            (call([item([1, 1] + good)]), "invalid_request"),
            (call([both]), "invalid_request"),
            (call([["template": 7]]), "invalid_request"),
            (call([["template": "AAAA BBBB"]]), "invalid_request"),
            (call([foreign, plain], signer: "alice.near"), "invalid_request"),
        ] {
            do throws(AdapterError) {
                _ = try request(frame, account)
                Issue.record("accepted: \(String(decoding: frame, as: UTF8.self))")
            } catch {
                #expect(error.code == code, "\(String(decoding: frame, as: UTF8.self))")
            }
        }
        _ = try request(call([item(good), plain], signer: "alice.near"), account)
    }
}
