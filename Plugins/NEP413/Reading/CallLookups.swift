// SPDX-License-Identifier: Apache-2.0

import NEAR

extension WalletCall {
    /// The values that the call needs from a node; nil if it needs none.
    var lookups: (clientContext: NEARClientContext, nonceCount: Int, uses: [NEARKeyUse])? {
        switch self {
        case .signMessage(let wire), .signInAndSignMessage(let wire, adding: nil):
            return (wire.clientContext, 0, [.message])
        case .signIn(let clientContext, .some): return (clientContext, 1, [.anything])
        case .signTransaction(let clientContext, .members(let wire)):
            let open = Self.open([(wire.nonce, wire.blockHash != nil)])
            return open.map { (clientContext, $0, [wire.use]) }
        case .sendTransactions(let clientContext, let wires, _):
            // A call that sends needs a node, even if the client supplied all values.
            return (clientContext, wires.count { $0.nonce == nil }, wires.map(\.use))
        case .signDelegates(let clientContext, let wires):
            let open = Self.open(wires.map { ($0.nonce, $0.maxBlockHeight != nil) })
            let uses = wires.map { NEARKeyUse($0.actions, of: $0.receiver) }
            return open.map { (clientContext, $0, uses) }
        case .signIn, .signInAndSignMessage, .signOut, .getAccounts, .signTransaction: return nil
        }
    }

    private static func open(_ wires: [(nonce: UInt64?, isPlaced: Bool)]) -> Int? {
        let nonces = wires.count { $0.nonce == nil }
        return nonces == 0 && wires.allSatisfy(\.isPlaced) ? nil : nonces
    }
}

extension TransactionDraft {
    fileprivate var use: NEARKeyUse { NEARKeyUse(actions, of: receiver) }
}
