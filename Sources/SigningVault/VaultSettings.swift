// SPDX-License-Identifier: Apache-2.0

internal import SigningFiles

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

    /// The maximum length of a setting's value, in bytes.
    package static let settingBytesMax = 32_768

    /// The value of a setting, which is public; nil if it is not set.
    ///
    /// While the vault is locked, the value is not authenticated; unlocking fails if a value that
    /// was returned is not the sealed one.
    package func setting(_ name: String) throws(VaultError) -> String? {
        let (content, damage) = try content()
        if let damage { try Self.check(.settings, against: damage) }
        return content.settings[name]
    }

    /// Changes a setting, or removes it if `value` is nil; needs an unlocked vault.
    package func setSetting(_ name: String, to value: String?) throws(VaultError) {
        try setSettings([name: value])
    }

    /// Changes several settings in one transaction; needs an unlocked vault.
    package func setSettings(_ changes: [String: String?]) throws(VaultError) {
        for (name, value) in changes {
            try VaultName.check(name)
            guard (value ?? "").utf8.count <= Self.settingBytesMax else {
                throw .storage("a setting is longer than \(Self.settingBytesMax) bytes")
            }
        }
        try change(.settings, with: try openVaultKey()) { access throws(VaultError) in
            for (name, value) in changes {
                try access.run("DELETE FROM settings WHERE name = ?", .text(name))
                guard let value else { continue }
                try access.run(
                    "INSERT INTO settings (name, value) VALUES (?, ?)", .text(name), .text(value))
            }
        }
    }

    /// Whether a setting of the vault says that the home's record is shared; does not read the
    /// ledger's file.
    package func sharesRecord() throws(VaultError) -> Bool {
        try setting(Self.sharedRecordSetting) != nil
    }

    /// Stores the setting that says whether the record is shared; needs an unlocked vault.
    package func noteSharing(_ isShared: Bool) throws(VaultError) {
        try setSetting(Self.sharedRecordSetting, to: isShared ? "yes" : nil)
    }

    private static let sharedRecordSetting = "record.shared"
}
