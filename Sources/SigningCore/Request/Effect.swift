// SPDX-License-Identifier: Apache-2.0

/// An effect in the world of answering a request, in terms that all protocols share.
public enum Effect: String, Hashable, Sendable, CaseIterable {
    /// Content becomes public under the account's name.
    case publishes
    /// Value leaves the account.
    case spends
    /// Another party gains power over the account.
    case grantsAuthority = "grants_authority"
    /// The signature shows who the owner is.
    case provesIdentity = "proves_identity"
    /// Text is encrypted for a peer.
    case encrypts
    /// Encrypted text becomes readable to the client.
    case decrypts
    /// The client learns an account.
    case revealsKey = "reveals_key"
    /// Published content is withdrawn, or something owned ends.
    case deletes

    /// The effect in words for the person who decides.
    public var sentence: String {
        switch self {
        case .publishes: "it can be shown to everyone, for ever, as yours"
        case .spends: "value leaves the account"
        case .grantsAuthority: "another person or program gains power over the account"
        case .provesIdentity: "anyone who gets the signature can log in as you with it"
        case .encrypts: "a text is encrypted for the key of the other side"
        case .decrypts: "the client gets to read the text"
        case .revealsKey: "the client learns which account is yours"
        case .deletes: "something that you published or own is deleted or ends"
        }
    }
}

/// A danger that an allow rule must acknowledge to cover the request.
public struct Danger: Hashable, Sendable, CustomStringConvertible {
    /// The name as written in `acknowledge`.
    public let name: String

    /// Makes a danger from its policy name.
    public init(_ name: String) { self.name = name }

    /// The name itself.
    public var description: String { name }

    /// The request was not decoded in full.
    public static let opaque = Danger("opaque")
    /// The hub does not know the network.
    public static let unknownNetwork = Danger("unknown_network")
    /// Text that a person reads holds control or bidirectional characters.
    public static let controlCharacters = Danger("control_characters")
    /// The request is larger than usual traffic of its kind.
    public static let oversize = Danger("oversize")

    /// A first request of a client that only its own claim identifies.
    ///
    /// A rule that lists its clients covers this without an acknowledgement.
    public static let newClient = Danger("new_client")

    /// The page that asks is inside a page of another origin, which may cover or hide it.
    public static let framed = Danger("framed")

    /// A link led a browser here; any page can write one in the name of another client.
    public static let byLink = Danger("by_link")

    /// The dangers that any request may have.
    public static let common: [Danger] = [
        opaque, unknownNetwork, controlCharacters, oversize, newClient, framed, byLink,
    ]
}

/// The degree to which an adapter decoded a request.
public enum Decoding: String, Hashable, Sendable {
    /// Every byte that will be signed has a meaning the adapter knows.
    case full
    /// The frame is known, but not the whole payload.
    case partial
    /// The payload has no known meaning.
    case opaque
}
