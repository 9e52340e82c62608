// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension Danger {
    /// A message that may move value through NEAR Intents.
    static let intents = Danger("intents")
    static let fullAccessKey = Danger("full_access_key")
    static let addsKey = Danger("adds_key")
    static let deletesKey = Danger("deletes_key")
    static let deletesAccount = Danger("deletes_account")
    static let deploysCode = Danger("deploys_code")
    static let stakes = Danger("stakes")
    /// Value moves although the deposit may be only one yoctoNEAR.
    static let tokenTransfer = Danger("token_transfer")
    /// Tokens are destroyed together with their storage in the contract.
    static let burnsTokens = Danger("burns_tokens")
    /// Signed for a relayer, or contains such a delegate action.
    static let delegates = Danger("delegates")
    /// The client chose the nonce.
    static let offlineNonce = Danger("offline_nonce")
    /// The nonce from the node is far above the last one used here.
    static let nonceJump = Danger("nonce_jump")
}
