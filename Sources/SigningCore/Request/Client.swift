// SPDX-License-Identifier: Apache-2.0

/// A client, as rules and people see it.
public struct Client: Hashable, Sendable {
    /// The proof of the identity.
    public enum Proof: Hashable, Sendable {
        /// `id` is the callback of a URL request: only that address receives the answer.
        case callback
        /// A key that the owner connected signed the request; `id` is the public key.
        case key
        /// The client claims `id` without proof.
        case claimed
        /// The client sent the access token that the owner made under this name.
        case token
        /// A browser profile, which sent its access token, reports a page of this origin.
        case browser(profile: String)
        /// A browser that is not paired reports that a page of this origin opened a window of the
        /// agent.
        case page
        /// A transport of this hub connected to a server of this origin, which proved its name by a
        /// certificate.
        case server
    }

    /// The identity of the client, which rules name as `client`.
    public let id: String
    /// The client's own name for itself, if it sent one.
    public let name: String?
    /// The proof of `id`.
    public let proof: Proof
    /// The identity for budgets and pace: the registrable domain of a web origin, else `id`.
    public let party: String
    /// The callback address in the request, if there is one; the transport may deliver the answer
    /// to another address.
    public let callback: String?

    /// Creates a client; `party` is `id` if not given.
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
    /// The values of `client.proof` in rules.
    public static let words = ["callback", "key", "claimed", "token", "browser", "page", "server"]

    /// The value in rules.
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

    /// True if the owner admitted the client; other clients can invent any number of names.
    public var isProved: Bool {
        switch self {
        case .key, .token, .browser: true
        case .callback, .claimed, .page, .server: false
        }
    }

    /// The browser profile that reports a page; nil for other proofs.
    public var profile: String? { if case .browser(let profile) = self { profile } else { nil } }

    /// Makes a proof from its value in rules and, for a page, the profile.
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

    /// The form in records: the value, and the profile after a space.
    public var rawValue: String { profile.map { "\(word) \($0)" } ?? word }

    /// Reads the form in records.
    public init?(rawValue: String) {
        let parts = rawValue.split(separator: " ", maxSplits: 1).map(String.init)
        self.init(word: parts.first ?? "", profile: parts.count > 1 ? parts[1] : nil)
    }

    /// The proof in a word or two, for lists.
    public var known: String { profile.map { "\(word) \($0)" } ?? word }

    /// The proof in words that follow the identity.
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
