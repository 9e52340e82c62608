// SPDX-License-Identifier: Apache-2.0

package import NEAR
import SigningCodecs
package import SigningCore

/// A transaction with its facts and its summary.
package struct JudgedTransaction {
    package static let near = UInt128(1_000_000_000_000_000_000_000_000)
    package static let key = KeyText(curve: .ed25519, bytes: [UInt8](repeating: 5, count: 32))

    package static let own = KeyText(curve: .ed25519, bytes: [UInt8](repeating: 7, count: 32))

    package static func account(_ network: String? = "mainnet") -> Account {
        Account(
            id: KeyID("alice.near"), name: "test", protocolID: .near, algorithm: .ed25519,
            publicKey: own.bytes, address: "alice.near", network: network)
    }

    package let request: NEARRequest

    /// Creates a transaction of these actions, encoded in Borsh by a client.
    package init(_ actions: [NEARAction], to receiver: String = "token.near") throws {
        let transaction = NEARTransaction(
            signer: Self.account().address, key: Self.own, nonce: 7, receiver: receiver,
            blockHash: [UInt8](repeating: 1, count: 32), actions: actions)
        request = try NEARRequest(
            signing: transaction, of: NEARClientContext(accountID: nil, key: nil, network: nil),
            in: Self.context())
    }

    /// The context of a hub that holds one key and made no lookup.
    package static func context(_ network: String? = "mainnet") -> NEARContext {
        let hub = DecodingContext(
            accounts: [account(network)],
            peer: Peer(channel: "test"),
            now: Timestamp(seconds: 1_800_000_000), freshID: [], wasSeen: { _ in false })
        return NEARContext(hub: hub, lookup: nil)
    }

    /// Creates a transaction of one call with these arguments.
    package init(_ method: String, _ args: String) throws {
        try self.init([Self.call(method, args)])
    }

    package static func call(
        _ method: String, _ args: String, gas: UInt64 = 1, deposit: UInt128 = 1
    ) -> NEARAction {
        .functionCall(
            FunctionCall(method: method, args: Array(args.utf8), gas: gas, deposit: deposit))
    }

    package static func addKey(
        allowance: UInt128?, receiver: String = "app.near", methods: [String] = ["vote"]
    ) -> NEARAction {
        let bounds = FunctionCallPermission(
            allowance: allowance, receiver: receiver, methods: methods)
        return .addKey(key, AccessKey(nonce: 0, permission: .functionCall(bounds)))
    }

    /// The actions of another account, which this account relays to the chain.
    package static func delegated(
        _ actions: [NEARAction], by sender: String = "carol.near",
        to receiver: String = "mallory.near"
    ) -> SignedDelegate {
        SignedDelegate(
            DelegateAction(
                sender: sender, receiver: receiver, actions: actions, nonce: 1,
                maxBlockHeight: 2, key: key),
            NEARSignature(curve: .ed25519, bytes: [UInt8](repeating: 0, count: 64)))
    }

    /// The dangers, without the one of every nonce that a client chose.
    package var dangers: [String] {
        request.operations[0].dangers.map(\.name).filter { $0 != "offline_nonce" }
    }
    package var effects: [Effect] { request.operations[0].effects }
    package var lines: [Summary.Line] { request.summary.lines }

    package func fact(_ name: String) -> FactValue? {
        request.operations[0].facts.first { $0.name == name }?.value
    }

    package func texts(_ name: String) -> [String]? {
        guard case .list(let values) = fact(name) else { return nil }
        return values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    package func number(_ name: String) -> Int128? {
        if case .integer(let value) = fact(name) { value } else { nil }
    }

    /// The token facts that rules can test.
    package var tokenFacts: [String] {
        request.operations[0].facts.map(\.name).filter { $0.hasPrefix("token.") }
    }
}
