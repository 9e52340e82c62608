// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// One transaction of a request with its surroundings.
package struct SigningItem {
    package let wire: WalletTransaction
    package let decision: SigningDecision
    /// Which key signs for the sender.
    package let authority: Authority
    package let network: AlgorandNetwork
    package let group: TransactionGroup
    /// The position within the group.
    package let index: Int
    /// The keys held: what goes to one of them does not leave the hub.
    package let keys: KeyRing
    /// When it came.
    package let time: Timestamp
    /// Why it cannot be signed here; nil where it can, or need not.
    package var fault: AlgorandRefusal?
}

extension SigningItem {
    package init(
        _ wire: WalletTransaction, in group: TransactionGroup, _ index: Int,
        on network: AlgorandNetwork, _ keys: KeyRing, at time: Timestamp
    ) throws(AlgorandRefusal) {
        guard wire.groupMessage == nil || index == 0 else {
            throw .invalid("groupMessage belongs to the first transaction of a group")
        }
        var fault: AlgorandRefusal?
        var decision = SigningDecision.leave
        var authority = Authority(wire.authAddress ?? wire.transaction.sender, by: .client)
        do throws(AlgorandRefusal) {
            authority = try keys.authority(of: wire, on: network)
            decision = try wire.decision(with: keys, by: authority, on: network)
        } catch {
            // Which accounts are held here is told to nobody whom the rules deny.
            guard error.isAboutAccounts else { throw error }
            fault = error
        }
        self.init(
            wire: wire, decision: decision, authority: authority, network: network, group: group,
            index: index, keys: keys, time: time, fault: fault)
    }
}
