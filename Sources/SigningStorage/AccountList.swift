// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
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

    init(in access: borrowing Access<VaultError>, version: Version) throws(VaultError) {
        self.version = version
        accounts = try access.all(
            """
            SELECT id, name, protocol, algorithm, public_key, address, network FROM keys
            ORDER BY name
            """
        ) { row throws(VaultError) in try row.account() }
        byID = Dictionary(uniqueKeysWithValues: accounts.map { ($0.id, $0) })
    }
}

extension Vault {
    /// All accounts; read again only if the file has changed.
    func accountList() throws(VaultError) -> AccountList {
        let known = state.withLock { $0.accounts }
        let list = try database.read { access throws(VaultError) in
            let version = try access.version()
            if let known, known.version == version { return known }
            return try AccountList(in: access, version: version)
        }
        state.withLock { $0.accounts = list }
        return list
    }

    /// The account of this name.
    func account(named name: String) throws(VaultError) -> Account {
        guard let account = try accountList().accounts.first(where: { $0.name == name }) else {
            throw .unknownKey(name: name)
        }
        return account
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
    /// The account in the first seven columns.
    fileprivate func account() throws(VaultError) -> Account {
        let name = try text(1)
        guard let algorithm = KeyAlgorithm(rawValue: try text(3)) else {
            throw .corruptedRecord(name)
        }
        return Account(
            id: KeyID(try text(0)), name: name, protocolID: ProtocolID(try text(2)),
            algorithm: algorithm, publicKey: try bytes(4), address: try text(5),
            network: try optionalText(6))
    }
}
