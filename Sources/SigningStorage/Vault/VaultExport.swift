// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto

extension Vault {
    /// Passes the secret of a key to the owner, who must give the passphrase again.
    ///
    /// The caller records it first; requests of clients cannot reach this function. The key is
    /// found by its id, as its name may have been given to another key meanwhile.
    package func exportSecret(
        of account: Account, passphrase: borrowing SecretBytes
    ) throws(VaultError) -> SecretBytes {
        let (account, vaultKey) = try proveOwner(of: account, passphrase)
        return try vaultKey.open(try sealedSecret(of: account), label: RecordLabel(account))
    }

    /// The words from which a key was made; nil if it was not made from words.
    package func exportPhrase(
        of account: Account, passphrase: borrowing SecretBytes
    ) throws(VaultError) -> KeyPhrase? {
        let (account, vaultKey) = try proveOwner(of: account, passphrase)
        return try phrase(of: account, with: vaultKey)
    }

    /// Reads the words from which a key was made.
    func phrase(
        of account: Account, with vaultKey: VaultKey
    ) throws(VaultError) -> KeyPhrase? {
        let sealed = try database.read { access throws(VaultError) in
            try access.first(
                "SELECT sealed FROM phrases WHERE key_id = ?", .text(account.id.text)
            ) { row throws(VaultError) in try row.bytes(0) }
        }
        guard let sealed else { return nil }
        let record = try vaultKey.open(sealed, label: RecordLabel(phraseOf: account))
        guard let phrase = KeyPhrase(record: record) else { throw .corruptedRecord(account.name) }
        return phrase
    }

    /// Opens the vault key with the passphrase, even if the vault is unlocked already.
    private func proveOwner(
        of wanted: Account, _ passphrase: borrowing SecretBytes
    ) throws(VaultError) -> (Account, VaultKey) {
        let vaultKey = try openVaultKey(with: passphrase)
        // A record authenticates itself when it opens; other records may be damaged.
        let list = try database.read { access throws(VaultError) in try AccountList(in: access) }
        guard let account = list.accounts.first(where: { $0.id == wanted.id }),
            account.publicKey == wanted.publicKey
        else { throw .unknownKey(name: wanted.name) }
        guard !account.isWatchOnly else { throw .noSecret(name: wanted.name) }
        return (account, vaultKey)
    }
}
