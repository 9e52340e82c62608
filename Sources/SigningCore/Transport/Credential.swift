// SPDX-License-Identifier: Apache-2.0

/// Who a caller is proved to be, by a secret that the owner gave to it alone.
public enum Credential: Hashable, Sendable {
    /// A program that holds the access token of this name.
    case program(String)
    /// A page, as a browser tells it.
    case page(BrowserPage)

    /// The name of the access token.
    public var tokenName: String {
        switch self {
        case .program(let name): name
        case .page(let page): page.profile
        }
    }

    /// The page; nil for a program.
    public var page: BrowserPage? {
        if case .page(let page) = self { page } else { nil }
    }

    /// The client that it proves, by the name that it gives itself on some wire.
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

/// A document in a browser; all but the profile is what the browser says.
public struct BrowserPage: Hashable, Sendable {
    /// The name of the access token that its profile holds.
    public let profile: String
    /// Its origin, in the normal form.
    public let origin: String
    /// The registrable domain of that.
    public let party: String
    /// The origin of the page that it stands in; its own where it stands in none.
    public let topOrigin: String
    /// The registrable domain of the page that fills the tab, by which places are counted.
    ///
    /// It is not always that of `topOrigin`, which tells people which other page may cover it.
    public let tabParty: String
    /// The browser's own name for the document, if it tells one.
    public let document: String?

    /// Makes a page, which fills its tab without a `tabParty`; transports do.
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

    /// Whether it stands in a page of another origin, which may show it as it likes.
    public var isFramed: Bool { topOrigin != origin }
}

extension Client {
    /// What the identity of every program with an access token begins with, and no other.
    public static let tokenPrefix = "token:"

    /// Whether a name looks like the identity of an access token, in whatever case: nobody claims
    /// such a one.
    public static func isReserved(_ claim: String) -> Bool {
        claim.lowercased().hasPrefix(tokenPrefix)
    }

    /// Whether an access token may be called so: 1 to 32 of `a`-`z`, `0`-`9`, `.`, `_`, `-`.
    public static func isTokenName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                    || "._-".utf8.contains(byte)
            }
    }
}
