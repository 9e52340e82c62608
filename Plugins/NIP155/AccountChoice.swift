// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// Which account a request is for.
enum AccountChoice {
    /// The account the client names, else the one its payload names, else the one the client
    /// was last told of, else the first one.
    static func account(
        currentUser: String?, author: [UInt8]?, client: Client, in context: DecodingContext
    ) throws(WireFault) -> Account {
        let accounts = context.accounts
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
        if let named = accounts.first(where: { $0.publicKey == author }) { return named }
        guard accounts.count > 1 else { return first }
        return told(to: client, in: context) ?? first
    }

    /// The account whose key the client was told last.
    private static func told(to client: Client, in context: DecodingContext) -> Account? {
        let dated = context.accounts.compactMap { account in
            context.noted(note(account), client.subject).map { (account, time: $0) }
        }
        return dated.max { $0.time < $1.time }?.0
    }

    /// The name under which it is noted, about a client, when it was told of an account.
    static func note(_ account: Account) -> String { "account/\(account.id)" }
}
