// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import Synchronization

/// What a repair of the vault came to.
package struct VaultRepair: Hashable, Sendable {
    /// The parts that were not what was sealed, by name.
    package let damaged: [String]
    /// The names of the accounts that the vault holds now.
    package let kept: [String]
    /// The names of records that were taken out of the list: they do not open, or nothing
    /// vouched for them.
    package let setAside: [String]
    /// The names of keys that open, but not the words they were made from.
    package let lostWords: [String]
    /// Whether there is a policy in force.
    package let hasPolicy: Bool

    /// The most records that are kept aside; beyond it those go that were put aside first, of
    /// which none opens.
    package static let setAsideMax: Int64 = 1_000
}

extension Vault {
    /// Seals anew what vouches for itself, and puts aside what does not.
    ///
    /// Needs a vault that was unlocked despite damage. The record is at `head` and knows a state
    /// of the vault.
    ///
    /// A key's record opens only together with what it says. Tags, watch-only accounts and
    /// settings have no seal of their own: where theirs does not hold they are not kept.
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
            // As a key's, its record opens only together with what it says.
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

    /// The log key, sealed anew where an older version sealed it.
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
    /// Takes out of the list what does not open together with what it says; returns the names.
    ///
    /// Where nothing vouches for the list, what has no seal of its own is not kept either.
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

    /// Puts words aside that do not open any more; returns the names of their keys.
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

    /// Whether what is sealed for an account opens, where anything is.
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
