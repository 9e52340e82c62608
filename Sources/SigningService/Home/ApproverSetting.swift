// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
package import SigningStorage

/// The program that answers in its owner's place, as the vault keeps it.
package struct ApproverSetting: Hashable, Sendable {
    /// Where it stands.
    package let path: String
    /// The SHA-256 of it, in hexadecimal: what was named, and nothing else, may run.
    package let digest: String

    /// Names it.
    package init(path: String, digest: String) {
        self.path = path
        self.digest = digest
    }

    private static let setting = "approver"

    /// As a vault says; nil where none is named.
    package init?(in vault: Vault) throws(ServiceError) {
        let text = try ServiceError.wrapping { () throws(VaultError) in
            try vault.setting(Self.setting)
        }
        guard let text else { return nil }
        guard let json = try? JSON.parse(Array(text.utf8).span), let path = json["path"]?.text,
            let digest = json["sha256"]?.text
        else {
            throw ServiceError(
                "the setting of the approver cannot be read",
                hint: "countersign agent approver --forget")
        }
        self.init(path: path, digest: digest)
    }

    /// Writes it into a vault that is unlocked; nil takes it away.
    package static func put(_ setting: ApproverSetting?, in vault: Vault) throws(VaultError) {
        let text = setting.map { setting in
            let json: JSON = ["path": .string(setting.path), "sha256": .string(setting.digest)]
            return String(decoding: json.write(), as: UTF8.self)
        }
        try vault.setSetting(Self.setting, to: text)
    }
}
