// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// Which account a request is for.
package enum AccountChoice {
    /// The account the client names, else the one its payload names, else the one the client
    /// was last told of, else the first one.
    ///
    /// A client names those alone that it may know; its payload's author is passed over otherwise.
    package static func account(
        named wanted: [UInt8]?, author: [UInt8]?, client: Client?, in context: DecodingContext
    ) throws(NostrRefusal) -> Account {
        // Only these keys sign events.
        let accounts = context.accounts.filter { $0.algorithm == NostrChain.algorithm }
        guard let first = accounts.first else { throw .noAccount }
        let nameable = known(to: client, among: accounts, in: context)
        if let wanted {
            guard let account = nameable.first(where: { $0.publicKey == wanted }) else {
                throw context.nameable(client) == nil ? .notHeld : .notConnected
            }
            return account
        }
        if let named = nameable.first(where: { $0.publicKey == author }) { return named }
        guard accounts.count > 1 else { return first }
        return client.flatMap { told(to: $0, among: accounts, in: context) } ?? first
    }

    /// Whether a client may know that an account is held.
    package static func isKnown(
        _ account: Account, to client: Client?, in context: DecodingContext
    ) -> Bool {
        known(to: client, among: [account], in: context).contains(account)
    }

    /// The accounts that a client may know: those it may name, and the one it was told last.
    private static func known(
        to client: Client?, among accounts: [Account], in context: DecodingContext
    ) -> [Account] {
        guard let nameable = context.nameable(client) else { return accounts }
        let last = client.flatMap { told(to: $0, among: accounts, in: context) }
        return accounts.filter { nameable.contains($0) || $0 == last }
    }

    /// The account whose key the client was told last.
    private static func told(
        to client: Client, among accounts: [Account], in context: DecodingContext
    ) -> Account? {
        guard let told = context.noted(note, client.subject) else { return nil }
        return accounts.first { fingerprint($0) == told.value }
    }

    /// What is kept of a client that is told of an account.
    static func note(of account: Account, toldTo client: Client) -> Note {
        Note(client.subject, note, fingerprint(account))
    }

    /// The name under which it is noted, about a client, which account it was told of.
    private static let note = "account"

    /// The first eight bytes of the public key: enough to tell the accounts of one hub apart.
    private static func fingerprint(_ account: Account) -> Int64 {
        account.publicKey.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}
