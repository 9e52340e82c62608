// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension DecodingContext {
    /// Transactions of an account that may have been sent, have no known outcome, and do the same
    /// as one of these: equal actions on the same receiver.
    ///
    /// Nonce, block and key do not matter: both can be carried out. Those that are on their way
    /// have an outcome to come, and are shown.
    func unsettled(
        like wanted: [(receiver: String, actions: [NEARAction])], of account: Account,
        on network: String
    ) -> [UnsentItem] {
        unsettled().filter { item in
            guard item.network == network,
                let sent = try? SignedTransaction(item.item.bytes).transaction,
                sent.signer == account.address
            else { return false }
            return wanted.contains { $0.receiver == sent.receiver && $0.actions == sent.actions }
        }
    }
}
