// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
internal import SigningFiles

extension Vault {
    /// Adds to each grant an authentication code of this vault; needs an unlocked vault.
    package func seal(_ grants: [Grant]) throws(KeyStoreError) -> [SealedGrant] {
        let vaultKey = try vaultKeyForGrants()
        return grants.map {
            SealedGrant($0, seal: vaultKey.authenticationCode(of: GrantRecord.body($0)))
        }
    }

    /// Throws if one of the grants is not a yes, or was not sealed by this vault.
    func check(_ grants: [SealedGrant]) throws(KeyStoreError) {
        guard !grants.isEmpty else { return }
        let vaultKey = try vaultKeyForGrants()
        for sealed in grants {
            let expected = vaultKey.authenticationCode(of: GrantRecord.body(sealed.grant))
            guard sealed.grant.answer == .yes,
                ConstantTime.isEqual(sealed.seal.span, expected.span)
            else { throw .forgedGrant(sealed.grant.idText) }
        }
    }

    private func vaultKeyForGrants() throws(KeyStoreError) -> VaultKey {
        do throws(VaultError) { return try openVaultKey() } catch { throw KeyStoreError(error) }
    }
}

extension VaultKey {
    /// The authentication code of a grant's text, which only this vault can compute.
    fileprivate func authenticationCode(of body: String) -> [UInt8] {
        let key = secret.derivedKey(for: "countersign grant v1")
        return key.withSpan { Digest.hmacSHA256(key: $0, Array(body.utf8).span) }
    }
}
