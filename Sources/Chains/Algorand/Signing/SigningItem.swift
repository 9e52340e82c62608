// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// One transaction of a request with its context.
package struct SigningItem {
    package let wire: WalletTransaction
    package let decision: SigningDecision
    /// The key that signs for the sender.
    package let authority: Authority
    package let network: AlgorandNetwork
    package let group: TransactionGroup
    /// The position in the group.
    package let index: Int
    /// The keys held in this home; power or funds that go to such a key stay in the home.
    package let keys: KeyRing
    /// The time of the request.
    package let time: Timestamp
    /// The reason that the transaction cannot be signed here; nil if it can, or need not be signed.
    package var problem: AlgorandRefusal?
    /// The call in words, by a file that the owner added; nothing else depends on it.
    package var abi: ABICall?
}

extension SigningItem {
    package init(
        _ wire: WalletTransaction, in group: TransactionGroup, _ index: Int,
        on network: AlgorandNetwork, _ keys: KeyRing, at time: Timestamp
    ) throws(AlgorandRefusal) {
        guard wire.groupMessage == nil || index == 0 else {
            throw .invalid("groupMessage belongs to the first transaction of a group")
        }
        var problem: AlgorandRefusal?
        var decision = SigningDecision.leave
        var authority = Authority(wire.authAddress ?? wire.transaction.sender, by: .client)
        do throws(AlgorandRefusal) {
            authority = try keys.authority(of: wire, on: network)
            decision = try wire.decision(with: keys, by: authority, on: network)
        } catch {
            // A client that the rules deny must not learn which accounts are held here.
            guard error.isAboutAccounts else { throw error }
            problem = error
        }
        self.init(
            wire: wire, decision: decision, authority: authority, network: network, group: group,
            index: index, keys: keys, time: time, problem: problem)
    }

    /// Returns one operation for each signature that keys of this home make.
    package func operations() -> [RequestedOperation] {
        decision.signers.enumerated().map { number, account in
            let input = SigningInput(
                domain: SigningDomain.algorandTransaction.id,
                preimage: Transaction.prefix + wire.bytes)
            return RequestedOperation(
                account: account, operation: .sign(input), facts: facts(account),
                effects: effects, dangers: dangers, outflows: outflows, isCosigning: number > 0)
        }
    }

    /// True if a person who reads the texts would not see everything.
    package var hasHiddenText: Bool {
        ([wire.message, wire.groupMessage, wire.transaction.noteText]
            + wire.transaction.assetTexts)
            .contains { $0.map(VisibleText.hasHidden) ?? false }
    }
}
