// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import Synchronization

/// What a repair of the vault came to.
public struct VaultRepair: Hashable, Sendable {
    /// The parts that were not what was sealed, by name.
    public let damaged: [String]
    /// The names of the accounts that the vault holds now.
    public let kept: [String]
    /// The names of records that were taken out of the list: nothing vouched for them.
    public let setAside: [String]
    /// Whether there is a policy in force.
    public let hasPolicy: Bool
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
        to head: AuditHead, at time: Timestamp, revoked: [[UInt8]], above known: Int64
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
            var setAside: [String] = []
            if !holds(.accounts), (try? before.accounts.check(with: vaultKey)) == nil {
                setAside = try access.keepSoundAccounts(before.accounts, with: vaultKey)
            }
            if (try? before.policy?.check(with: vaultKey)) == nil {
                try access.run("DELETE FROM policy")
            }
            if !holds(.settings) { try access.run("DELETE FROM settings") }
            for id in revoked {
                try access.run("INSERT OR IGNORE INTO revoked (id) VALUES (?)", .bytes(id))
            }
            try access.write(checkpoint)
            try AccountList.writeSeal(with: vaultKey, in: access)
            let after = try VaultContent(in: access)
            try after.state(generation: max(before.state?.generation ?? 0, known) + 1)
                .write(with: vaultKey, in: access)
            return VaultRepair(
                damaged: damaged, kept: after.accounts.accounts.map(\.name), setAside: setAside,
                hasPolicy: after.policy != nil)
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
    fileprivate func keepSoundAccounts(
        _ list: AccountList, with vaultKey: VaultKey
    ) throws(VaultError) -> [String] {
        var sound: [Account] = []
        for account in list.accounts where !account.isWatchOnly {
            let sealed = try first(
                "SELECT sealed FROM keys WHERE id = ?", .text(account.id.text)
            ) { row throws(VaultError) in try row.bytes(0) }
            guard let sealed,
                let secret = try? vaultKey.open(sealed, label: RecordLabel(account)),
                let key = try? UnsealedKey(account.algorithm, secret: secret),
                key.publicKey == account.publicKey
            else { continue }
            sound.append(account)
        }
        let names = try all("SELECT id, name FROM keys ORDER BY name") {
            row throws(VaultError) in (id: try row.text(0), name: try row.text(1))
        }
        let kept = Set(sound.map(\.id.text))
        for row in names where !kept.contains(row.id) {
            try run(
                """
                INSERT INTO set_aside SELECT id, name, protocol, algorithm, public_key, address,
                    network, sealed, tags, members FROM keys WHERE id = ?
                """, .text(row.id))
            try run("DELETE FROM keys WHERE id = ?", .text(row.id))
        }
        try run("UPDATE keys SET tags = ''")
        return names.filter { !kept.contains($0.id) }.map(\.name)
    }
}
