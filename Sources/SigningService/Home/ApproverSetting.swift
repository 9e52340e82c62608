// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
package import SigningVault

/// The approver program that answers in the owner's place, as the vault stores it.
package struct ApproverSetting: Hashable, Sendable {
    /// The path of the program.
    package let path: String
    /// The SHA-256 of the program, in hexadecimal; a changed program does not run.
    package let digest: String

    /// Makes the setting.
    package init(path: String, digest: String) {
        self.path = path
        self.digest = digest
    }

    private static let setting = "approver"

    /// Reads it from a vault; nil if there is no program.
    package init?(in vault: Vault) throws {
        let text = try vault.setting(Self.setting)
        guard let text else { return nil }
        guard let json = try? JSON.parse(Array(text.utf8).span), let path = json["path"]?.text,
            let digest = json["sha256"]?.text
        else {
            throw ServiceError(
                "the setting of the approver program cannot be read",
                hint: "countersign agent approver --forget")
        }
        self.init(path: path, digest: digest)
    }

    /// Writes it into an unlocked vault; nil removes it.
    package static func put(_ setting: ApproverSetting?, in vault: Vault) throws(VaultError) {
        let text = setting.map { setting in
            let json: JSON = ["path": .string(setting.path), "sha256": .string(setting.digest)]
            return String(decoding: json.write(), as: UTF8.self)
        }
        try vault.setSetting(Self.setting, to: text)
    }
}
