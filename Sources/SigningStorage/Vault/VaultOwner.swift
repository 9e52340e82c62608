// SPDX-License-Identifier: Apache-2.0

internal import SigningCrypto

extension Vault {
    /// Throws if the passphrase is not the owner's; slow by design, and needs an unlocked vault.
    ///
    /// It is checked with the sealed header: a file that was rolled back to a state from before a
    /// change of the passphrase does not make the old one valid.
    package func check(passphrase: borrowing SecretBytes) throws(VaultError) {
        _ = try sealedContent().header.open(passphrase: passphrase)
    }
}
