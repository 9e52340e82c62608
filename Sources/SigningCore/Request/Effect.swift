// SPDX-License-Identifier: Apache-2.0

/// What happens in the world if a request is answered, in words all protocols share.
public enum Effect: String, Hashable, Sendable, CaseIterable {
    /// Something becomes public under the account's name.
    case publishes
    /// Value leaves the account.
    case spends
    /// Somebody else gains power over the account.
    case grantsAuthority = "grants_authority"
    /// The signature shows who the owner is.
    case provesIdentity = "proves_identity"
    /// Text is encrypted for a peer.
    case encrypts
    /// Somebody's text becomes readable to the client.
    case decrypts
    /// The client learns an account.
    case revealsKey = "reveals_key"
    /// Something published is withdrawn, or something owned ends.
    case deletes

    /// The effect in words for the person who decides.
    public var sentence: String {
        switch self {
        case .publishes: "it can be shown to everyone, for ever, as yours"
        case .spends: "value leaves the account"
        case .grantsAuthority: "somebody else gains power over the account"
        case .provesIdentity: "whoever gets the signature can log in as you with it"
        case .encrypts: "a text is encrypted for somebody"
        case .decrypts: "the client gets to read the text"
        case .revealsKey: "the client learns which account is yours"
        case .deletes: "something of yours is withdrawn or deleted"
        }
    }
}

/// A flag that an allow rule must name to cover the request.
public struct Danger: Hashable, Sendable, CustomStringConvertible {
    /// The name as written in `acknowledge`.
    public let name: String

    /// Makes a flag from its policy name.
    public init(_ name: String) { self.name = name }

    /// The name itself.
    public var description: String { name }

    /// The request was not decoded in full.
    public static let opaque = Danger("opaque")
    /// The network is not one the hub knows.
    public static let unknownNetwork = Danger("unknown_network")
    /// Text that a person reads holds control or bidirectional characters.
    public static let controlCharacters = Danger("control_characters")
    /// The request is larger than usual traffic of its kind.
    public static let oversize = Danger("oversize")

    /// The client asks for the first time and only its own word tells it from others; a rule that
    /// names its clients one by one covers this without a word.
    public static let newClient = Danger("new_client")

    /// The page that asks stands in a page of another origin, which may show it as it likes.
    public static let framed = Danger("framed")

    /// A link led a browser here, which any page can write in the name of any other.
    public static let byLink = Danger("by_link")

    /// The flags that any request may have.
    public static let common: [Danger] = [
        opaque, unknownNetwork, controlCharacters, oversize, newClient, framed, byLink,
    ]
}

/// How much of a request its adapter understood.
public enum Decoding: String, Hashable, Sendable {
    /// Every byte that will be signed has a meaning the adapter knows.
    case full
    /// The frame is known, some payload is not.
    case partial
    /// The payload is bytes without a known meaning.
    case opaque
}
