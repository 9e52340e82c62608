// SPDX-License-Identifier: Apache-2.0

extension Vault {
    /// The longest value of a setting, in bytes.
    public static let settingBytesMax = 4_096

    /// A small public value that belongs to this vault; nil where none was set.
    public func setting(_ name: String) throws(VaultError) -> String? {
        try database.read { access throws(VaultError) in
            try access.first("SELECT value FROM settings WHERE name = ?", .text(name)) {
                row throws(VaultError) in try row.text(0)
            }
        }
    }

    /// Sets a small public value, or removes it where `value` is nil.
    public func setSetting(_ name: String, to value: String?) throws(VaultError) {
        try VaultName.check(name)
        guard (value ?? "").utf8.count <= Self.settingBytesMax else {
            throw .storage("a setting is longer than \(Self.settingBytesMax) bytes")
        }
        try database.write { access throws(VaultError) in
            guard let value else {
                return try access.run("DELETE FROM settings WHERE name = ?", .text(name))
            }
            try access.run(
                "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)",
                .text(name), .text(value))
        }
    }
}
