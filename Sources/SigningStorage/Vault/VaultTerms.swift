// SPDX-License-Identifier: Apache-2.0

/// The settings and the policy of the vault at one moment.
package struct VaultTerms: Hashable, Sendable {
    /// The settings, by name.
    package let settings: [String: String]
    /// The policy in force; nil if none was ever attested.
    package let policy: AttestedPolicy?
}

extension Vault {
    /// The current settings and policy; the file is read again only if it has changed.
    ///
    /// While the vault is locked, they are not authenticated. While it is unlocked, throws if they
    /// do not match the seal, or if the file was rolled back since it was unlocked.
    package func terms() throws(VaultError) -> VaultTerms {
        let (content, damage) = try content()
        if let damage {
            try Self.check(.settings, against: damage)
            try Self.check(.policy, against: damage)
        }
        return VaultTerms(settings: content.settings, policy: content.policy)
    }
}
