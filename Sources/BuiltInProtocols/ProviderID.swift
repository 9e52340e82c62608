// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCrypto
package import SigningService
internal import SigningVault

/// The ARC-27 provider id of a home, a UUID that its vault keeps.
package enum ProviderID {
    /// The name of the setting in the vault.
    package static let setting = "arc27.provider_id"

    /// Returns a new provider id.
    package static func make() -> String {
        UUIDText.version4(Randomness.bytes(UUIDText.byteCount))
    }

    /// Returns the id of a home; empty if the vault has none.
    package static func of(_ home: OpenHome) throws -> String {
        try home.vault.setting(setting) ?? ""
    }
}
