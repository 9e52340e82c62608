// SPDX-License-Identifier: Apache-2.0

internal import SigningCrypto

extension Vault {
    /// Throws if the passphrase is not the owner's; slow by design, and needs an unlocked vault.
    ///
    /// The check uses the authentic header only. So an old passphrase is not accepted after another
    /// program put an old header back into the file.
    package func check(passphrase: borrowing SecretBytes) throws(VaultError) {
        _ = try sealedContent().header.open(passphrase: passphrase)
    }
}
