// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// Which account a request is for, and which others a person may choose instead.
package struct AccountChoice: Hashable, Sendable {
    /// The account.
    package let account: Account
    /// The accounts that a person may choose instead.
    let others: [Account]
    /// How the account was chosen.
    let ground: Ground

    /// Why it is this account.
    enum Ground: Hashable, Sendable {
        /// The client names it, or the author in its payload does.
        case named
        /// The client was told of it before, or there is no other one.
        case known
        /// A person chose it for this request.
        case chosen
        /// Nothing but the order of the accounts.
        case order
    }

    /// The most other accounts that are offered.
    static let othersMax = 16

    /// The account the client names, else the one its payload names, else the one a person chose,
    /// else the one the client was last told of, else the first one that the owner lets it have.
    ///
    /// A client names those alone that it may know; its payload's author is passed over otherwise.
    package init(
        named wanted: [UInt8]?, author: [UInt8]?, client: Client?, in context: DecodingContext,
        by clients: ClientAccounts = ClientAccounts()
    ) throws(NostrRefusal) {
        // Only these keys sign events.
        let held = context.accounts.filter { $0.algorithm == NostrChain.algorithm }
        guard !held.isEmpty else { throw .noAccount }
        let accounts = clients.accounts(of: client, among: held)
        guard let first = accounts.first else { throw .notHeld }
        let nameable = Self.known(to: client, among: accounts, in: context)
        if let wanted {
            guard let account = nameable.first(where: { $0.publicKey == wanted }) else {
                throw context.nameable(client) == nil ? .notHeld : .notConnected
            }
            self.init(account, .named, among: [])
        } else if let account = nameable.first(where: { $0.publicKey == author }) {
            self.init(account, .named, among: [])
        } else if let account = accounts.first(where: { $0.id == context.chosen }) {
            self.init(account, .chosen, among: accounts)
        } else if accounts.count == 1 {
            self.init(first, .known, among: [])
        } else if let client, let account = Self.told(to: client, among: accounts, in: context) {
            self.init(account, .known, among: accounts)
        } else {
            self.init(first, .order, among: accounts)
        }
    }

    private init(_ account: Account, _ ground: Ground, among accounts: [Account]) {
        self.account = account
        self.ground = ground
        others = Array(accounts.filter { $0 != account }.prefix(Self.othersMax))
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
