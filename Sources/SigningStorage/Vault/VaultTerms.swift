// SPDX-License-Identifier: Apache-2.0

/// What the vault says about how requests are dealt with, of one moment.
package struct VaultTerms: Hashable, Sendable {
    /// Small public values, by name.
    package let settings: [String: String]
    /// The policy in force; nil where none was ever attested.
    package let policy: AttestedPolicy?
}

extension Vault {
    /// What the file says now; it is read again only if it has changed.
    ///
    /// While the vault is locked nothing vouches for it. Once it is unlocked, what is not what
    /// was sealed, or is older than what was seen before, is refused.
    package func terms() throws(VaultError) -> VaultTerms {
        let (content, damage) = try content()
        if let damage {
            try Self.check(.settings, against: damage)
            try Self.check(.policy, against: damage)
        }
        return VaultTerms(settings: content.settings, policy: content.policy)
    }
}
