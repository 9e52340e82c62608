// SPDX-License-Identifier: Apache-2.0

import NEAR
public import SigningCore

extension NEARCourier {
    /// The maximum number of keys that nodes are asked about for one list.
    private static let keysAskedMax = 20

    /// Sorts items by network, account, key and nonce.
    ///
    /// Sent in this order, no item makes another one invalid. The nodes are asked which nonces have
    /// already been used.
    public func inOrder(
        _ items: [UnsentItem]
    ) async -> (items: [WaitingItem], problems: [String]) {
        let sorted = items.map(WaitingTransaction.init).sorted(by: WaitingTransaction.isBefore)
        var last: [WaitingTransaction.Key: UInt64] = [:]
        var problems: [String] = []
        var keys: [WaitingTransaction.Key] = []
        for key in sorted.compactMap(\.key) where !keys.contains(key) { keys.append(key) }
        for key in keys.prefix(Self.keysAskedMax) {
            guard let node = nodes[key.network] else { continue }
            do throws(RPCError) {
                guard try await node.chainID() == key.network else { continue }
                last[key] = try await node.accessKey(
                    account: key.account, publicKey: key.publicKey
                ).nonce
            } catch {
                problems.append("the nonce of \(key.account) is not known: \(error.text)")
            }
        }
        return (sorted.map { $0.waiting(last) }, problems)
    }
}

/// An item of the outbox with its parsed transaction.
private struct WaitingTransaction {
    /// The access key, which has one sequence of nonces.
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

    static func isBefore(_ one: Self, _ other: Self) -> Bool {
        guard let key = one.key, let otherKey = other.key, key == otherKey else {
            return one.names.lexicographicallyPrecedes(other.names)
        }
        return (one.signed?.nonce ?? 0) < (other.signed?.nonce ?? 0)
    }

    private var names: [String] {
        [item.network, item.item.sender, signed?.key.text ?? "", item.item.id]
    }

    func waiting(_ last: [Key: UInt64]) -> WaitingItem {
        guard let signed, let key else { return WaitingItem(item) }
        let hasPassed = last[key].map { $0 >= signed.nonce }
        return WaitingItem(item, .init("nonce", signed.nonce, hasPassed: hasPassed))
    }
}
