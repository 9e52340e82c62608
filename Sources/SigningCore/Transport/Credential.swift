// SPDX-License-Identifier: Apache-2.0

/// An identity that is proved by an access token, a secret that the owner gave to the client.
public enum Credential: Hashable, Sendable {
    /// A program that sent the access token of this name.
    case program(String)
    /// A page, as a browser reports it.
    case page(BrowserPage)

    /// The name of the access token.
    public var tokenName: String {
        switch self {
        case .program(let name): name
        case .page(let page): page.profile
        }
    }

    /// The page; nil for a program.
    public var page: BrowserPage? { if case .page(let page) = self { page } else { nil } }

    /// Returns the client with this identity; `name` is the client's own name on the wire.
    func client(named name: String?, callback: String?) -> Client {
        switch self {
        case .program(let token):
            Client(
                id: Client.tokenPrefix + token, name: name, proof: .token, callback: callback)
        case .page(let page):
            Client(
                id: page.origin, name: name, proof: .browser(profile: page.profile),
                party: page.party, callback: callback)
        }
    }
}

/// A document in a browser, as reported by the browser; only the profile is proved.
public struct BrowserPage: Hashable, Sendable {
    /// The name of the access token of the browser profile.
    public let profile: String
    /// The origin of the document, in the normal form.
    public let origin: String
    /// The registrable domain of the origin.
    public let party: String
    /// The origin of the page that contains it; equal to `origin` if it is not in a frame.
    public let topOrigin: String
    /// The registrable domain of the page that fills the tab, used for counting places.
    ///
    /// It may differ from the domain of `topOrigin`, which people see.
    public let tabParty: String
    /// The browser's name for the document, if it gives one.
    public let document: String?

    /// Makes the credential of a page that fills its tab, or is framed by a page of `tabParty`;
    /// transports call this.
    public init(
        profile: String, origin: String, party: String, topOrigin: String, document: String?,
        tabParty: String? = nil
    ) {
        self.profile = profile
        self.origin = origin
        self.party = party
        self.topOrigin = topOrigin
        self.tabParty = tabParty ?? party
        self.document = document
    }

    /// True if the document is inside a page of another origin, which may cover or hide it.
    public var isFramed: Bool { topOrigin != origin }
}

extension Client {
    /// The prefix of the client ids of programs with an access token; no other client id has it.
    public static let tokenPrefix = "token:"

    /// Returns whether a name begins with `tokenPrefix` in upper or lower case; clients that claim
    /// such a name are treated as having none.
    public static func isReserved(_ claim: String) -> Bool {
        claim.lowercased().hasPrefix(tokenPrefix)
    }

    /// Returns whether an access token may have this name: 1 to 32 characters of `a`-`z`, `0`-`9`,
    /// `.`, `_` and `-`.
    public static func isTokenName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                    || "._-".utf8.contains(byte)
            }
    }
}
