// SPDX-License-Identifier: Apache-2.0

/// A policy file that comes with the product, in the same folder as this file.
public struct PolicyPreset: Sendable {
    /// The file name without its extension.
    public let name: String
    /// The effect of the preset, in one phrase.
    public let summary: String
    /// The text of the file.
    public let source: [UInt8]

    /// Asks about every request, and explains how to write rules.
    public static let askEverything = PolicyPreset(
        name: "ask-everything", summary: "asks a person about every request",
        source: PackageResources.ask_everything_toml)

    /// All presets.
    public static let all = [
        askEverything,
        PolicyPreset(
            name: "social-basics",
            summary: "signs notes, reactions and encryptions of Nostr clients, asks about all else",
            source: PackageResources.social_basics_toml),
        PolicyPreset(
            name: "login-only", summary: "asks about logins, denies all else",
            source: PackageResources.login_only_toml),
    ]
}
