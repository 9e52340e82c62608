// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
internal import SigningFiles

extension Vault {
    /// Returns the secret of a key, for the owner, who must give the passphrase again.
    ///
    /// The caller must record the export first. No request of a client leads to this method. The
    /// key is found by the account's id, as another key may have got its name in the meantime.
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

    /// Decrypts the words from which a key was made; nil if it was not made from words.
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

    /// Throws if the passphrase is not the owner's; slow by design, and needs an unlocked vault.
    ///
    /// The check uses the authentic header only. So an old passphrase is not accepted after another
    /// program put an old header back into the file.
    package func check(passphrase: borrowing SecretBytes) throws(VaultError) {
        _ = try sealedContent().header.open(passphrase: passphrase)
    }

    /// Decrypts the vault key with the passphrase, even if the vault is unlocked, and finds the
    /// stored account.
    private func proveOwner(
        of wanted: Account, _ passphrase: borrowing SecretBytes
    ) throws(VaultError) -> (Account, VaultKey) {
        let vaultKey = try openVaultKey(with: passphrase)
        // The list is not authenticated, so that damage of other records does not matter. The
        // record of this key is authenticated when its secret is decrypted.
        let list = try database.read { access throws(VaultError) in try AccountList(in: access) }
        guard let account = list.accounts.first(where: { $0.id == wanted.id }),
            account.publicKey == wanted.publicKey
        else { throw .unknownKey(name: wanted.name) }
        guard !account.isWatchOnly else { throw .noSecret(name: wanted.name) }
        return (account, vaultKey)
    }
}
