// SPDX-License-Identifier: Apache-2.0

/// A policy file that comes with the product; the files stand beside this one.
public struct PolicyPreset: Sendable {
    /// The name of the file without its ending.
    public let name: String
    /// The effect of the preset, in one phrase.
    public let summary: String
    /// The text of the file.
    public let source: [UInt8]

    /// Asks about everything, and explains how to write rules.
    public static let askEverything = PolicyPreset(
        name: "ask-everything", summary: "asks a person about every request",
        source: PackageResources.ask_everything_toml)

    /// All of them.
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
