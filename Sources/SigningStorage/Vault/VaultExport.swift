// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto

extension Vault {
    /// Lends the secret of a key to its owner, who proves to be one by the passphrase, again.
    ///
    /// The caller puts it on record first; no request of a client leads here. The key is found by
    /// its id: what it is called may have been given to another one meanwhile.
    package func exportSecret(
        of account: Account, passphrase: borrowing SecretBytes
    ) throws(VaultError) -> SecretBytes {
        let (account, vaultKey) = try proveOwner(of: account, passphrase)
        return try vaultKey.open(try sealedSecret(of: account), label: RecordLabel(account))
    }

    /// The words a key was made from; nil where it was not made from words.
    package func exportPhrase(
        of account: Account, passphrase: borrowing SecretBytes
    ) throws(VaultError) -> KeyPhrase? {
        let (account, vaultKey) = try proveOwner(of: account, passphrase)
        return try phrase(of: account, with: vaultKey)
    }

    /// The words of a key that was made from words.
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

    /// Opens the vault key anew, whether or not the vault is unlocked.
    private func proveOwner(
        of wanted: Account, _ passphrase: borrowing SecretBytes
    ) throws(VaultError) -> (Account, VaultKey) {
        let vaultKey = try openVaultKey(with: passphrase)
        // The record opens by what it says of itself, whatever became of the others.
        let list = try database.read { access throws(VaultError) in try AccountList(in: access) }
        guard let account = list.accounts.first(where: { $0.id == wanted.id }),
            account.publicKey == wanted.publicKey
        else { throw .unknownKey(name: wanted.name) }
        guard !account.isWatchOnly else { throw .noSecret(name: wanted.name) }
        return (account, vaultKey)
    }
}
