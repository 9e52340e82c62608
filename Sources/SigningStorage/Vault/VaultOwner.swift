// SPDX-License-Identifier: Apache-2.0

internal import SigningCrypto

extension Vault {
    /// Refuses a passphrase that is not the owner's; slow by intention, and needs an unlocked
    /// vault.
    ///
    /// It is held against what was sealed: a file that was put back to a state from before the
    /// passphrase was changed does not bring the old one back.
    package func check(passphrase: borrowing SecretBytes) throws(VaultError) {
        _ = try sealedContent().header.open(passphrase: passphrase)
    }
}
