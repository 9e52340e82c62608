// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension Vault {
    /// The longest value of a setting, in bytes.
    package static let settingBytesMax = 4_096

    /// A small public value that belongs to this vault; nil where none was set.
    ///
    /// While the vault is locked nothing vouches for it; what was told then must be what is
    /// sealed once it is unlocked.
    package func setting(_ name: String) throws(VaultError) -> String? {
        let (content, damage) = try content()
        if let damage { try Self.check(.settings, against: damage) }
        return content.settings[name]
    }

    /// Sets a small public value, or removes it where `value` is nil; needs an unlocked vault.
    package func setSetting(_ name: String, to value: String?) throws(VaultError) {
        try VaultName.check(name)
        guard (value ?? "").utf8.count <= Self.settingBytesMax else {
            throw .storage("a setting is longer than \(Self.settingBytesMax) bytes")
        }
        try change(.settings, with: try openVaultKey()) { access throws(VaultError) in
            guard let value else {
                return try access.run("DELETE FROM settings WHERE name = ?", .text(name))
            }
            try access.run(
                "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)",
                .text(name), .text(value))
        }
    }

    /// Whether the record of the home is shared with other hubs, whatever its file says.
    package func sharesRecord() throws(VaultError) -> Bool {
        try setting(Self.sharedRecordSetting) != nil
    }

    /// Remembers it, or forgets it; needs an unlocked vault.
    package func noteSharing(_ isShared: Bool) throws(VaultError) {
        try setSetting(Self.sharedRecordSetting, to: isShared ? "yes" : nil)
    }

    private static let sharedRecordSetting = "record.shared"
}
