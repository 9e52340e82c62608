// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import NEAR
@testable import NEP413

/// Between lookup and decoding a client may be connected to another account.
@Suite("A lookup for one account is not used for another")
struct LookupTests {
    private static let actions: JSON = [["type": "Transfer", "params": ["deposit": "1"]]]
    private static let item: JSON = ["receiverId": "bob.near", "actions": actions]
    private static let calls: [(String, JSON)] = [
        ("signTransaction", item), ("signAndSendTransaction", item),
        ("signAndSendTransactions", ["transactions": [item]]),
        ("signDelegateActions", ["delegateActions": [item]]),
        (
            "signMessage",
            [
                "message": "hi", "recipient": "app.near",
                "nonce": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            ]
        ),
        (
            "signIn",
            [
                "addFunctionCallKey": [
                    "contractId": "app.near", "allowMethods": ["anyMethod": true],
                    "publicKey": "ed25519:2RM3EotCzEiVobm6aMjaup43k8cFffR4KHFtrqbZ79Qy",
                ]
            ]
        ),
    ]
    private static let found = NEARLookup.Found(
        nonces: [101], blockHash: [UInt8](repeating: 7, count: 32), blockHeight: 5_000)

    /// The context of a client that is connected to one of the accounts.
    private func context(_ accounts: [Account], connectedTo account: Account) -> DecodingContext {
        DecodingContext(
            accounts: accounts,
            peer: Peer(channel: "test", claim: "app"), client: .claiming("app"),
            now: Timestamp(seconds: 1_800_000_000), freshID: [UInt8](repeating: 9, count: 16),
            wasSeen: { _ in false },
            connections: { client in
                [
                    ClientConnection(
                        id: [UInt8](repeating: 1, count: 16), protocolID: .near, client: client,
                        network: account.network ?? "", key: account.id,
                        address: account.address, started: Timestamp(seconds: 1))
                ]
            })
    }

    @Test("another account or network is refused, the same one is signed for", arguments: calls)
    func race(_ method: String, _ params: JSON) throws {
        let alice = try Signer(address: "alice.near", network: "mainnet").account
        let others = [
            try Signer(address: "bob.near", network: "mainnet").account,
            try Signer(address: "alice.near", network: "testnet").account,
        ]
        let frame: JSON = ["method": .string(method), "params": params]
        let reading = try adapter.read(frame.write().span)
        for other in others {
            let accounts = [alice, other]
            let before = context(accounts, connectedTo: alice)
            let need = try #require(try adapter.need(of: reading, in: before))
            #expect(need.account == alice && need.network == "mainnet")
            let lookup = NEARLookup(for: need, found: Self.found)
            let request = try adapter.decode(reading, with: lookup, in: before)
            #expect(request.operations.allSatisfy { $0.account == alice })
            let error = try #require(throws: AdapterError.self) {
                try adapter.decode(
                    reading, with: lookup, in: context(accounts, connectedTo: other))
            }
            #expect(error.code == "unavailable")
            let response = try json(error.reply)["error"]
            #expect(response?["code"]?.text == "unavailable")
        }
    }

    @Test("the looked-up account is part of the request's digest, values that age are not")
    func digest() throws {
        let alice = try Signer(address: "alice.near", network: "mainnet").account
        let frame: JSON = ["method": "signTransaction", "params": Self.item]
        let need = try #require(
            try adapter.need(
                of: try adapter.read(frame.write().span),
                in: context([alice], connectedTo: alice)))
        let other = NEARLookup.Found(
            nonces: [102], blockHash: Self.found.blockHash, blockHeight: 5_000)
        let all = [Self.found, other, nil].map { NEARLookup(for: need, found: $0).digested }
        #expect(Set(all).count == 2 && all[0] == all[1] && all[0] != all[2])
    }
}
