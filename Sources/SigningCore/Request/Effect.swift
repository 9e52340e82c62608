// SPDX-License-Identifier: Apache-2.0

/// An effect that a request has if it is carried out, in terms that all protocols share.
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

/// A danger of a request; an allow rule covers the request only if it acknowledges the danger.
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
    /// A text that a person reads contains control characters or marks of direction.
    public static let controlCharacters = Danger("control_characters")
    /// The request is larger than usual traffic of its kind.
    public static let oversize = Danger("oversize")

    /// No request of the client was carried out yet, and the owner has not connected the client.
    ///
    /// A rule that names its clients need not acknowledge this danger.
    public static let newClient = Danger("new_client")

    /// The page that sends the request is inside a page of another origin, which may hide it.
    public static let framed = Danger("framed")

    /// The request came by a link, which any page can write in the name of another client.
    public static let byLink = Danger("by_link")

    /// An account of the request looks like the account of a contact and is another one.
    public static let lookalike = Danger("lookalike")

    /// The dangers that requests of every adapter may have.
    public static let common: [Danger] = [
        opaque, unknownNetwork, controlCharacters, oversize, newClient, framed, byLink,
        lookalike,
    ]
}

/// The degree to which an adapter decoded a request.
public enum Decoding: String, Hashable, Sendable {
    /// The adapter knows the meaning of every byte that will be signed.
    case full
    /// The adapter knows the meaning of the frame, but not of the whole payload.
    case partial
    /// The adapter does not know the meaning of the payload.
    case opaque
}
