// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// Which account a request is for.
enum AccountChoice {
    /// The account the client names, else the author of the event, else the first one.
    static func account(
        currentUser: String?, author: [UInt8]?, among accounts: [Account]
    ) throws(WireFault) -> Account {
        let wanted = try currentUser.map { (text) throws(WireFault) in
            guard let key = PublicKeyText.key(text) else {
                throw .invalid("current_user must be a public key in hex, or npub")
            }
            return key
        }
        guard let first = accounts.first else {
            throw WireFault(.notLoggedIn, "this signer holds no Nostr key")
        }
        if let wanted {
            guard let account = accounts.first(where: { $0.publicKey == wanted }) else {
                throw .permissionDenied
            }
            return account
        }
        return accounts.first { $0.publicKey == author } ?? first
    }
}
