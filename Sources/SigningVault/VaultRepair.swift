// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningCrypto
package import SigningFiles
internal import Synchronization

/// The result of a repair of the vault.
package struct VaultRepair: Hashable, Sendable {
    /// The names of the damaged parts.
    package let damaged: [String]
    /// The names of the accounts that the vault contains now.
    package let kept: [String]
    /// The names of accounts that were moved out of the list, because their secrets cannot be
    /// decrypted or their data could not be authenticated.
    package let setAside: [String]
    /// The names of keys that are intact, but whose words cannot be decrypted.
    package let lostWords: [String]
    /// The settings that were removed, by name; another program may have written them.
    package let lostSettings: [String: String]
    /// True if a policy is in force.
    package let hasPolicy: Bool

    /// The maximum number of records that are set aside; if there are more, the oldest are deleted.
    package static let setAsideMax: Int64 = 1_000
}

extension Vault {
    /// Seals the vault again with all records that can be authenticated, and moves other accounts
    /// out of the list.
    ///
    /// The vault must be unlocked and may be damaged. `head` is the last entry of the record, and
    /// `known` the number of the newest vault state that the ledger contains.
    ///
    /// The record of a key is authentic if its secret can be decrypted. Tags, watch-only accounts,
    /// settings and transport keys are removed if the part that contains them is damaged.
    package func repair(
        to head: AuditHead, at time: Timestamp, revoked: [[UInt8]: Timestamp],
        above known: Int64
    ) throws(VaultError) -> VaultRepair {
        let vaultKey = try openVaultKey()
        let logKey = try openLogKeyOfAnyVersion()
        let checkpoint = try logKey.signCheckpoint(head, at: time)
        let repair = try database.write { access throws(VaultError) in
            let before = try VaultContent(in: access)
            let damaged = before.damage(with: vaultKey)
            let isUnsealed = damaged.contains(VaultState.name)
            func holds(_ part: VaultPart) -> Bool {
                !isUnsealed && !damaged.contains(part.rawValue)
            }
            let setAside = try access.setAsideUnsound(
                before.accounts,
                isVouchedFor: holds(.accounts)
                    || (try? before.accounts.check(with: vaultKey)) != nil, with: vaultKey)
            let lostWords = try access.setAsideWords(
                of: AccountList(in: access).accounts, with: vaultKey)
            if (try? before.policy?.check(with: vaultKey)) == nil {
                try access.run("DELETE FROM policy")
            }
            if !holds(.settings) { try access.run("DELETE FROM settings") }
            if !holds(.transports) { try access.run("DELETE FROM transport_keys") }
            // The record of a passkey is authentic if its secret can be decrypted.
            for record in before.passkeys where (try? record.open(with: vaultKey)) == nil {
                try access.run(
                    "DELETE FROM passkeys WHERE credential = ?", .bytes(record.passkey.credential))
            }
            try access.list(revoked: revoked)
            try access.write(checkpoint)
            try AccountList.writeSeal(with: vaultKey, in: access)
            let after = try VaultContent(in: access)
            try after.state(generation: max(before.state?.generation ?? 0, known) + 1)
                .write(with: vaultKey, in: access)
            return VaultRepair(
                damaged: damaged, kept: after.accounts.accounts.map(\.name), setAside: setAside,
                lostWords: lostWords,
                lostSettings: holds(.settings) ? [:] : before.settings,
                hasPolicy: after.policy != nil)
        }
        state.withLock { $0.take(vaultKey) }
        return repair
    }

    /// Decrypts the log key; if an older version sealed it, seals it again in the current form.
    package func openLogKeyOfAnyVersion() throws(VaultError) -> Ed25519Key {
        let vaultKey = try openVaultKey()
        do throws(VaultError) { return try openLogKey() } catch {
            let sealed = try database.read { access throws(VaultError) in
                try SealedLogKey(in: access)
            }
            guard let key = sealed.openOld(with: vaultKey) else { throw error }
            try database.write { access throws(VaultError) in
                try sealed.resealed(with: vaultKey).write(in: access)
            }
            return key
        }
    }
}

extension Access<VaultError> {
    /// Moves accounts out of the list whose secrets cannot be decrypted; returns their names.
    ///
    /// Unless `isVouchedFor`, the list is not authentic: then also moves watch-only accounts, which
    /// have no secret, and deletes all tags.
    fileprivate func setAsideUnsound(
        _ list: AccountList, isVouchedFor: Bool, with vaultKey: VaultKey
    ) throws(VaultError) -> [String] {
        var sound: Set<String> = []
        for account in list.accounts {
            let isKept =
                account.isWatchOnly
                ? isVouchedFor
                : try holds("SELECT sealed FROM keys WHERE id = ?", account) {
                    opensKey($0, of: account, with: vaultKey)
                }
            if isKept { sound.insert(account.id.text) }
        }
        let rows = try all("SELECT id, name FROM keys ORDER BY name") {
            row throws(VaultError) in (id: try row.text(0), name: try row.text(1))
        }
        let unsound = rows.filter { !sound.contains($0.id) }
        for row in unsound {
            try run(
                """
                INSERT INTO set_aside SELECT id, name, protocol, algorithm, public_key, address,
                    network, sealed, tags, members FROM keys WHERE id = ?
                """, .text(row.id))
            try run("DELETE FROM keys WHERE id = ?", .text(row.id))
        }
        try run(
            """
            DELETE FROM set_aside WHERE rowid NOT IN
                (SELECT rowid FROM set_aside ORDER BY rowid DESC LIMIT ?)
            """, .integer(VaultRepair.setAsideMax))
        if !isVouchedFor { try run("UPDATE keys SET tags = ''") }
        return unsound.map(\.name)
    }

    /// Sets words aside that cannot be decrypted; returns the names of their keys.
    fileprivate func setAsideWords(
        of accounts: [Account], with vaultKey: VaultKey
    ) throws(VaultError) -> [String] {
        var names: [String] = []
        for account in accounts {
            let areSound = try holds("SELECT sealed FROM phrases WHERE key_id = ?", account) {
                opensWords($0, of: account, with: vaultKey)
            }
            guard !areSound else { continue }
            try run(
                "UPDATE phrases SET key_id = ? WHERE key_id = ?",
                .text("set aside \(account.id.text)"), .text(account.id.text))
            names.append(account.name)
        }
        return names
    }

    /// Whether the sealed data that the query finds for an account opens; true if there is none.
    private func holds(
        _ query: String, _ account: Account, _ opens: ([UInt8]) -> Bool
    ) throws(VaultError) -> Bool {
        let sealed = try first(query, .text(account.id.text)) { row throws(VaultError) in
            try row.bytes(0)
        }
        return sealed.map(opens) ?? true
    }
}

private func opensKey(_ sealed: [UInt8], of account: Account, with vaultKey: VaultKey) -> Bool {
    // The label contains the public key, which was derived when the key was added.
    return (try? vaultKey.open(sealed, label: RecordLabel(account))) != nil
}

private func opensWords(_ sealed: [UInt8], of account: Account, with vaultKey: VaultKey) -> Bool {
    guard let record = try? vaultKey.open(sealed, label: RecordLabel(phraseOf: account)),
        let phrase = KeyPhrase(record: record)
    else { return false }
    return phrase.entropy.count > 0
}
