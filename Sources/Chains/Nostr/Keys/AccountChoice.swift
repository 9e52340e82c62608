// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The account of a request, and the other accounts that a person may choose.
package struct AccountChoice: Hashable, Sendable {
    /// The chosen account.
    package let account: Account
    /// The accounts that a person may choose instead.
    let others: [Account]
    /// The reason for the choice.
    let ground: Ground

    /// The reasons for a choice of account.
    enum Ground: Hashable, Sendable {
        /// The client or the author in its payload names it.
        case named
        /// The client has used it before, or there is no other account.
        case known
        /// A person chose it for this request.
        case chosen
        /// The account is the first of several.
        case order
    }

    /// The maximum number of other accounts that are offered.
    static let othersMax = 16

    /// Chooses the account of a request.
    ///
    /// The order is: the account that the client names, the author in the payload, the account that
    /// a person chose, the account of the client's last use, the first account that the owner
    /// allows. A client may name only accounts that it knows; an unknown author in the payload is
    /// ignored.
    package init(
        named wanted: [UInt8]?, author: [UInt8]?, client: Client?, in context: DecodingContext,
        by clients: ClientAccounts = ClientAccounts()
    ) throws(NostrRefusal) {
        // Only keys of this algorithm sign events.
        let held = context.accounts.filter { $0.algorithm == NostrChain.algorithm }
        guard !held.isEmpty else { throw .noAccount }
        let accounts = clients.accounts(of: client, among: held)
        guard let first = accounts.first else { throw .notHeld }
        let named = (wanted ?? author).flatMap { key in
            Self.known(to: client, among: accounts, in: context).first { $0.publicKey == key }
        }
        if let named {
            self.init(named, .named, among: [])
        } else if wanted != nil {
            throw context.nameable(client) == nil ? .notHeld : .notConnected
        } else if let account = accounts.first(where: { $0.id == context.chosen }) {
            self.init(account, .chosen, among: accounts)
        } else if accounts.count == 1 {
            self.init(first, .known, among: [])
        } else if let client, let account = Self.noted(for: client, among: accounts, in: context) {
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

    /// True if a client may know that an account is held.
    package static func isKnown(
        _ account: Account, to client: Client?, in context: DecodingContext
    ) -> Bool {
        known(to: client, among: [account], in: context).contains(account)
    }

    /// Returns the accounts that a client may know: those it may name, and the one it used last.
    private static func known(
        to client: Client?, among accounts: [Account], in context: DecodingContext
    ) -> [Account] {
        guard let nameable = context.nameable(client) else { return accounts }
        let last = client.flatMap { noted(for: $0, among: accounts, in: context) }
        return accounts.filter { nameable.contains($0) || $0 == last }
    }

    /// Returns the account whose public key the client got last.
    private static func noted(
        for client: Client, among accounts: [Account], in context: DecodingContext
    ) -> Account? {
        guard let last = context.noted(note, client.subject) else { return nil }
        return accounts.first { fingerprint($0) == last.value }
    }

    /// Returns the note that a client got an account.
    static func note(of account: Account, givenTo client: Client) -> Note {
        Note(client.subject, note, fingerprint(account))
    }

    /// The name of the note about the account that a client got.
    private static let note = "account"

    /// Returns the first eight bytes of the public key, which distinguish the accounts of one home.
    private static func fingerprint(_ account: Account) -> Int64 {
        account.publicKey.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}
