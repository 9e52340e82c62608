// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension DecodingContext {
    /// Returns transactions of an account with the same effect and an unknown outcome.
    ///
    /// They have equal actions on the same receiver and may have been sent. Nonce, block and key do
    /// not matter, as both could be carried out. Transactions that are being sent are included for
    /// display.
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
