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
    /// Real value moves although the deposit may be one yoctoNEAR.
    static let tokenTransfer = Danger("token_transfer")
    /// Tokens end with the place they are kept in.
    static let burnsTokens = Danger("burns_tokens")
    /// Signed for a relayer, or carried out as one.
    static let delegates = Danger("delegates")
    /// The nonce came from the client.
    static let offlineNonce = Danger("offline_nonce")
    /// A node names a nonce far above the last one used here.
    static let nonceJump = Danger("nonce_jump")
}
