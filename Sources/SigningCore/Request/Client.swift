// SPDX-License-Identifier: Apache-2.0

/// Who asks, as rules and people see it.
public struct Client: Hashable, Sendable {
    /// What backs the identity.
    public enum Proof: Hashable, Sendable {
        /// The answer can only reach this identity (the callback of a URL request).
        case callback
        /// A key that the owner connected signed what was sent; `id` is its public half.
        case key
        /// The caller said so and nothing proves it.
        case claimed
        /// The caller sent the access token that its owner made under this name.
        case token
        /// A browser says that the page is of this origin; its profile sent the access token of
        /// this name.
        case browser(profile: String)
        /// A browser that nobody paired says that a page of this origin opened a window of ours.
        case page
        /// Our own transport met a server of this origin, which proved its name by a certificate.
        case server
    }

    /// The identity a rule names in `client`.
    public let id: String
    /// The client's own name for itself, if it sent one.
    public let name: String?
    /// What backs `id`.
    public let proof: Proof
    /// What budgets and pace count it by: the registrable domain of a web origin, else `id`.
    public let party: String
    /// The place that the answer is written for, if the wire names one, whoever gets it.
    public let callback: String?

    /// Makes a client identity; without a `party` it counts by itself.
    public init(
        id: String, name: String?, proof: Proof, party: String? = nil, callback: String? = nil
    ) {
        self.id = id
        self.name = name
        self.proof = proof
        self.party = party ?? id
        self.callback = callback
    }
}

extension Client.Proof: RawRepresentable {
    /// The words that rules know in `client.proof`.
    public static let words = ["callback", "key", "claimed", "token", "browser", "page", "server"]

    /// Its word.
    public var word: String {
        switch self {
        case .callback: "callback"
        case .key: "key"
        case .claimed: "claimed"
        case .token: "token"
        case .browser: "browser"
        case .page: "page"
        case .server: "server"
        }
    }

    /// Whether the identity is one that its owner let in; others make up as many as they like.
    public var isProved: Bool {
        switch self {
        case .key, .token, .browser: true
        case .callback, .claimed, .page, .server: false
        }
    }

    /// The profile of the browser that vouches; nil for all else.
    public var profile: String? {
        if case .browser(let profile) = self { profile } else { nil }
    }

    /// Makes it of its word and, for a page, of the profile.
    public init?(word: String, profile: String?) {
        switch (word, profile) {
        case ("callback", nil): self = .callback
        case ("key", nil): self = .key
        case ("claimed", nil): self = .claimed
        case ("token", nil): self = .token
        case ("page", nil): self = .page
        case ("server", nil): self = .server
        case ("browser", let profile?): self = .browser(profile: profile)
        default: return nil
        }
    }

    /// As records keep it: the word, and the profile behind a space.
    public var rawValue: String { profile.map { "\(word) \($0)" } ?? word }

    /// Reads what was kept.
    public init?(rawValue: String) {
        let parts = rawValue.split(separator: " ", maxSplits: 1).map(String.init)
        self.init(word: parts.first ?? "", profile: parts.count > 1 ? parts[1] : nil)
    }

    /// By what a client is known, in a word or two, for lists; a claim is told from a proof.
    public var known: String { profile.map { "\(word) \($0)" } ?? word }

    /// What it is, for people, to stand behind the identity.
    public var sentence: String {
        switch self {
        case .callback: "the answer goes there"
        case .key: "its key signed it"
        case .claimed: "claimed"
        case .token: "by its access token"
        case .browser(let profile): "a page, says the browser \(profile)"
        case .page: "a page, says a browser that is not paired"
        case .server: "a server that proved its name"
        }
    }
}
