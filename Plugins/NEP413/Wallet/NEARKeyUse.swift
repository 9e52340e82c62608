// SPDX-License-Identifier: Apache-2.0

/// What a call would use an access key for, as the chain bounds keys.
public enum NEARKeyUse: Hashable, Sendable {
    /// A message, which speaks for the whole account (NEP-413).
    case message
    /// A transaction or delegate action that is one call without a deposit.
    case call(receiver: String, method: String)
    /// Any other transaction or delegate action.
    case anything

    /// The use of one transaction or delegate action.
    init(_ actions: [NEARAction], of receiver: String) {
        if actions.count == 1, case .functionCall(let call) = actions[0], call.deposit == 0 {
            self = .call(receiver: receiver, method: call.method)
        } else {
            self = .anything
        }
    }
}

extension WalletCall {
    /// What a call needs to have looked up; nil where nothing is.
    var lookups: (caller: WalletCaller, nonceCount: Int, uses: [NEARKeyUse])? {
        switch self {
        case .signMessage(let wire), .signInAndSignMessage(let wire):
            return (wire.caller, 0, [.message])
        case .signIn(let caller, .some): return (caller, 1, [.anything])
        case .signTransaction(let caller, .members(let wire)):
            let open = Self.open([(wire.nonce, wire.blockHash != nil)])
            return open.map { (caller, $0, [wire.use]) }
        case .sendTransactions(let caller, let wires, _):
            // Whoever sends needs a node, also where the client gave everything.
            return (caller, wires.count { $0.nonce == nil }, wires.map(\.use))
        case .signDelegates(let caller, let wires):
            let open = Self.open(wires.map { ($0.nonce, $0.maxBlockHeight != nil) })
            let uses = wires.map { NEARKeyUse($0.actions, of: $0.receiver) }
            return open.map { (caller, $0, uses) }
        case .signIn, .signOut, .getAccounts, .signTransaction: return nil
        }
    }

    private static func open(_ wires: [(nonce: UInt64?, isPlaced: Bool)]) -> Int? {
        let nonces = wires.count { $0.nonce == nil }
        return nonces == 0 && wires.allSatisfy(\.isPlaced) ? nil : nonces
    }
}

extension TransactionWire {
    fileprivate var use: NEARKeyUse { NEARKeyUse(actions, of: receiver) }
}
