// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import Synchronization

/// The result of a repair of the vault.
package struct VaultRepair: Hashable, Sendable {
    /// The names of the damaged parts.
    package let damaged: [String]
    /// The names of the accounts that the vault contains now.
    package let kept: [String]
    /// The names of records that were moved out of the list: they do not open, or were not
    /// authenticated.
    package let setAside: [String]
    /// The names of keys that open although their words do not.
    package let lostWords: [String]
    /// True if a policy is in force.
    package let hasPolicy: Bool

    /// The most records that are set aside; the oldest ones, which cannot be opened, are deleted
    /// beyond it.
    package static let setAsideMax: Int64 = 1_000
}

extension Vault {
    /// Seals all parts again that authenticate themselves, and sets the other records aside.
    ///
    /// Needs an unlocked vault, damaged or not. `head` is the end of the record, and `known` the
    /// newest state of the vault in it.
    ///
    /// The record of a key authenticates itself when it opens. Tags, watch-only accounts and
    /// settings have no separate seal, so they are deleted if their part is damaged.
    func repair(
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
            // The record of a passkey authenticates itself when it opens, like a key's.
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
                lostWords: lostWords, hasPolicy: after.policy != nil)
        }
        state.withLock { $0.take(vaultKey) }
        return repair
    }

    /// The log key, sealed again if an older version sealed it.
    func openLogKeyOfAnyVersion() throws(VaultError) -> Ed25519Key {
        let vaultKey = try openVaultKey()
        do throws(VaultError) {
            return try openLogKey()
        } catch {
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
    /// Moves records that do not open out of the list; returns their names.
    ///
    /// If the list is not authentic, records without a separate seal are moved too.
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

    /// Sets aside words that do not open; returns the names of their keys.
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

    /// Whether the sealed data of an account opens; true if it has none.
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
    guard let secret = try? vaultKey.open(sealed, label: RecordLabel(account)),
        let key = try? UnsealedKey(account.algorithm, secret: secret)
    else { return false }
    return key.publicKey == account.publicKey
}

private func opensWords(_ sealed: [UInt8], of account: Account, with vaultKey: VaultKey) -> Bool {
    guard let record = try? vaultKey.open(sealed, label: RecordLabel(phraseOf: account)),
        let phrase = KeyPhrase(record: record)
    else { return false }
    return phrase.entropy.count > 0
}
