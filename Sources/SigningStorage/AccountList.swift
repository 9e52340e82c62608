// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import Synchronization

/// The public halves of all keys, with the state of the file they were read from.
struct AccountList: Sendable {
    /// Changes whenever this or another process changes the file.
    struct Version: Hashable {
        let byOthers: Int64
        let byThisConnection: Int64
    }

    let version: Version
    /// In the order of their names.
    let accounts: [Account]
    let byID: [KeyID: Account]
    /// What the vault key made of them; nil where the file holds none.
    private let seal: [UInt8]?

    init(in access: borrowing Access<VaultError>) throws(VaultError) {
        version = try access.version()
        accounts = try access.all(
            """
            SELECT id, name, protocol, algorithm, public_key, address, network, tags, members
            FROM keys ORDER BY name
            """
        ) { row throws(VaultError) in try row.account() }
        byID = Dictionary(accounts.map { ($0.id, $0) }) { first, _ in first }
        seal = try access.first("SELECT seal FROM account_list") { row throws(VaultError) in
            try row.bytes(0)
        }
    }

    /// Refuses a list that is not what the owner of this key sealed.
    func check(with vaultKey: VaultKey) throws(VaultError) {
        let expected = vaultKey.authenticationCode(of: accounts)
        guard let seal, ConstantTime.isEqual(seal.span, expected.span) else {
            throw .corruptedRecord("account list")
        }
    }

    /// Seals the list that is in the file.
    static func writeSeal(
        with vaultKey: VaultKey, in access: borrowing Access<VaultError>
    ) throws(VaultError) {
        let seal = vaultKey.authenticationCode(of: try AccountList(in: access).accounts)
        try access.run(
            "INSERT OR REPLACE INTO account_list (id, seal) VALUES (1, ?)", .bytes(seal))
    }
}

extension Vault {
    /// All accounts; read again only if the file has changed.
    ///
    /// While the vault is unlocked they are what was sealed, or an error. While it is locked
    /// they are what the file says.
    func accountList() throws(VaultError) -> AccountList {
        let (known, vaultKey) = state.withLock { ($0.accounts, $0.vaultKey) }
        let list = try database.read { access throws(VaultError) in
            if let known, try known.version == access.version() { return known }
            let list = try AccountList(in: access)
            if let vaultKey { try list.check(with: vaultKey) }
            return list
        }
        state.withLock { $0.keep(list, checkedWith: vaultKey) }
        return list
    }

    /// Makes a change to the list of accounts and seals it anew, both or neither.
    ///
    /// The list must be what was sealed before: nobody else's change is blessed with ours.
    func changeAccounts(
        with vaultKey: VaultKey,
        _ change: (borrowing Access<VaultError>) throws(VaultError) -> Void
    ) throws(VaultError) {
        try database.write { access throws(VaultError) in
            try AccountList(in: access).check(with: vaultKey)
            try change(access)
            try AccountList.writeSeal(with: vaultKey, in: access)
        }
        state.withLock { $0.checked = nil }
    }

    /// The account of this name.
    func account(named name: String) throws(VaultError) -> Account {
        guard let account = try accountList().accounts.first(where: { $0.name == name }) else {
            throw .unknownKey(name: name)
        }
        return account
    }
}

extension Vault.State {
    /// Keeps a list, unless the vault was locked or unlocked meanwhile.
    fileprivate mutating func keep(_ list: AccountList, checkedWith key: VaultKey?) {
        guard vaultKey === key else { return }
        accounts = list
        checked = .now
    }
}

extension Access<VaultError> {
    fileprivate func version() throws(VaultError) -> AccountList.Version {
        let byOthers = try first("PRAGMA data_version") { row throws(VaultError) in
            try row.integer(0)
        }
        let byThisConnection = try first("SELECT total_changes()") { row throws(VaultError) in
            try row.integer(0)
        }
        return AccountList.Version(
            byOthers: byOthers ?? 0, byThisConnection: byThisConnection ?? 0)
    }
}

extension Row<VaultError> {
    /// The account in the first nine columns.
    fileprivate func account() throws(VaultError) -> Account {
        let name = try text(1)
        guard let algorithm = KeyAlgorithm(rawValue: try text(3)) else {
            throw .corruptedRecord(name)
        }
        // An account has a key or members, and never both.
        let record = try optionalBytes(8)
        let multisig = record.flatMap { MultisigMembers(record: $0) }
        guard (record != nil) == (multisig != nil),
            (record != nil) == (algorithm == .multisig)
        else {
            throw .corruptedRecord(name)
        }
        return Account(
            id: KeyID(try text(0)), name: name, protocolID: ProtocolID(try text(2)),
            algorithm: algorithm, publicKey: try bytes(4), address: try text(5),
            network: try optionalText(6), tags: try text(7).split(separator: " ").map(String.init),
            multisig: multisig)
    }
}
