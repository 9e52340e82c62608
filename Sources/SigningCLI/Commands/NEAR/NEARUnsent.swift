// SPDX-License-Identifier: Apache-2.0

import NEAR
import NEARCourier
import SigningCodecs
import SigningCore
import SigningStorage

extension CommandLineTool {
    static let nearUnsent = Command(
        name: "near unsent", options: [NEARNodes.option], operands: 0...0,
        usage: """
            usage: countersign near unsent [--rpc URL]

            Lists the transactions that are signed and of which nobody knows that the chain has
            them, by account and nonce: sent again in this order, none ends another. Where a node
            of the network is known it is asked which nonces have passed: what was not carried
            out by then never will be. Needs no passphrase.

            example: countersign near unsent --json
            """
    ) { invocation throws(CLIError) in
        let items = try Outbox.near.unsent(invocation).map(UnsentTransaction.init)
            .sorted(by: UnsentTransaction.isBefore)
        let last = await lastNonces(of: items, try NEARNodes.nodes(invocation), invocation.console)
        return Outbox.near.list(items.map { $0.row(last) }, invocation.console)
    }

    /// The last nonce of each key, as far as nodes say.
    private static func lastNonces(
        of items: [UnsentTransaction], _ nodes: [String: NEARRPC], _ console: Console
    ) async -> [UnsentTransaction.Key: UInt64] {
        var last: [UnsentTransaction.Key: UInt64] = [:]
        var keys: [UnsentTransaction.Key] = []
        for key in items.compactMap(\.key) where !keys.contains(key) { keys.append(key) }
        for key in keys.prefix(keysAskedMax) {
            guard let node = nodes[key.network] else { continue }
            do throws(RPCError) {
                guard try await node.chainID() == key.network else { continue }
                last[key] = try await node.accessKey(
                    account: key.account, publicKey: key.publicKey
                ).nonce
            } catch {
                console.warn(
                    "the nonce of \(key.account) is not known: \(VisibleText.escaped(error.text))",
                    hint: "is the RPC URL right, and the node up?")
            }
        }
        return last
    }

    /// The most keys that nodes are asked about for one listing.
    private static let keysAskedMax = 20
}

/// An item of the outbox with what stands in it.
private struct UnsentTransaction {
    /// What a nonce is counted by.
    struct Key: Hashable {
        let network: String
        let account: String
        let publicKey: String
    }

    let item: UnsentItem
    let signed: NEARTransaction?

    init(_ item: UnsentItem) {
        self.item = item
        signed = try? SignedTransaction(item.item.bytes).transaction
    }

    var key: Key? {
        signed.map { Key(network: item.network, account: $0.signer, publicKey: $0.key.text) }
    }

    /// By network, account, key and nonce.
    static func isBefore(_ one: Self, _ other: Self) -> Bool {
        guard let key = one.key, let otherKey = other.key, key == otherKey else {
            return one.names.lexicographicallyPrecedes(other.names)
        }
        return (one.signed?.nonce ?? 0) < (other.signed?.nonce ?? 0)
    }

    private var names: [String] {
        [item.network, item.item.sender, signed?.key.text ?? "", item.item.id]
    }

    func row(_ last: [Key: UInt64]) -> Outbox.Row {
        guard let signed, let key else { return Outbox.Row(item: item) }
        let hasPassed = last[key].map { $0 >= signed.nonce }
        return Outbox.Row(
            item: item,
            columns: ["nonce \(signed.nonce)" + (hasPassed == true ? ", which has passed" : "")],
            members: [
                .init(name: "nonce", value: .number(String(signed.nonce))),
                .init(name: "nonceHasPassed", value: hasPassed.map { .bool($0) } ?? .null),
            ])
    }
}
