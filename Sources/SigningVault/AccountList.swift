// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// The accounts of a vault: the public data of all keys.
struct AccountList: Sendable {
    /// The accounts, in the order of their names.
    let accounts: [Account]
    let byID: [KeyID: Account]
    /// The names of accounts whose records cannot be parsed.
    let unreadable: [String]
    /// The authentication code of the list in the file; nil if the file has none.
    let seal: [UInt8]?

    init(in access: borrowing Access<VaultError>) throws(VaultError) {
        let rows = try access.all(
            """
            SELECT id, name, protocol, algorithm, public_key, address, network, tags, members
            FROM keys ORDER BY name
            """
        ) { row throws(VaultError) -> (account: Account?, name: String) in
            // An unreadable record must not hide the others.
            do throws(VaultError) { return (try row.account(), "") } catch .corruptedRecord(
                let name)
            {
                return (nil, name)
            }
        }
        accounts = rows.compactMap(\.account)
        unreadable = rows.filter { $0.account == nil }.map(\.name)
        byID = Dictionary(accounts.map { ($0.id, $0) }) { first, _ in first }
        seal = try access.first("SELECT seal FROM account_list") { row throws(VaultError) in
            try row.bytes(0)
        }
    }

    /// Throws unless the list was sealed with this vault key and every record can be parsed.
    func check(with vaultKey: VaultKey) throws(VaultError) {
        let expected = vaultKey.authenticationCode(of: accounts)
        guard let seal, unreadable.isEmpty,
            ConstantTime.isEqual(seal.span, expected.span)
        else {
            throw .corruptedRecord(VaultPart.accounts.rawValue)
        }
    }

    /// Writes the authentication code of the list in the file.
    static func writeSeal(
        with vaultKey: VaultKey, in access: borrowing Access<VaultError>
    ) throws(VaultError) {
        let seal = vaultKey.authenticationCode(of: try AccountList(in: access).accounts)
        try access.run(
            "INSERT OR REPLACE INTO account_list (id, seal) VALUES (1, ?)", .bytes(seal))
    }
}

extension Vault {
    /// All accounts; the file is read again only if it has changed.
    ///
    /// While the vault is unlocked, throws if the list is not authentic. While the vault is locked,
    /// the list is not authenticated.
    func accountList() throws(VaultError) -> AccountList {
        let (content, damage) = try content()
        if let damage { try Self.check(.accounts, against: damage) }
        return content.accounts
    }

    /// Throws if a part of the vault is among the damaged ones.
    static func check(
        _ part: VaultPart, against damage: [String]
    ) throws(VaultError) {
        for name in damage where [part.rawValue, VaultState.name].contains(name) {
            throw .corruptedRecord(name)
        }
    }

    /// Changes the list of accounts and seals it again, in one transaction.
    func changeAccounts(
        with vaultKey: VaultKey,
        _ change: (borrowing Access<VaultError>) throws(VaultError) -> Void
    ) throws(VaultError) {
        try self.change(.accounts, with: vaultKey) { access throws(VaultError) in
            try change(access)
            try AccountList.writeSeal(with: vaultKey, in: access)
        }
    }

    /// The account with this name; throws if there is none.
    func account(named name: String) throws(VaultError) -> Account {
        guard let account = try accountList().accounts.first(where: { $0.name == name }) else {
            throw .unknownKey(name: name)
        }
        return account
    }
}

extension Row<VaultError> {
    /// Parses the account in the first nine columns of the row.
    fileprivate func account() throws(VaultError) -> Account {
        let name = try text(1)
        let algorithm = KeyAlgorithm(try text(3))
        // An account has a key, members, or an account that signs for it: exactly one of them.
        let record = try optionalBytes(8)
        var multisig: MultisigMembers?
        var signedBy: [UInt8]?
        switch algorithm {
        case .multisig: multisig = record.flatMap { MultisigMembers(record: $0) }
        case .rekeyed: signedBy = record?.count == MultisigMembers.keyBytes ? record : nil
        default: break
        }
        guard (record != nil) == (multisig != nil || signedBy != nil),
            (record != nil) == (algorithm == .multisig || algorithm == .rekeyed)
        else {
            throw .corruptedRecord(name)
        }
        return Account(
            id: KeyID(try text(0)), name: name, protocolID: ProtocolID(try text(2)),
            algorithm: algorithm, publicKey: try bytes(4), address: try text(5),
            network: try optionalText(6), tags: try text(7).split(separator: " ").map(String.init),
            multisig: multisig, signedBy: signedBy)
    }
}
