// SPDX-License-Identifier: Apache-2.0

/// The identity of a client in rules and counts, made from its callback address or its claimed
/// name.
public struct ClientIdentity: Hashable, Sendable {
    /// The origin in its normal form; for a name that is not a web address, the unchanged text.
    public let id: String
    /// The name for limits: the registrable domain, whose owner can make any number of names, or
    /// the name itself.
    public let party: String

    /// Makes the identity of a web client.
    public init(_ origin: WebOrigin) {
        id = origin.text
        party = origin.host.registrableDomain
    }

    /// Makes the identity of a client by its claimed name, which may be a web address.
    public init(claim: String) {
        let origin = (try? WebOrigin(claim)).flatMap { $0.isPage ? $0 : nil }
        id = origin?.text ?? claim
        party = origin?.host.registrableDomain ?? claim
    }
}

extension ClientIdentity {
    /// Returns whether people would take a name for a web address, although parsers may disagree.
    public static func looksLikeAddress(_ name: String) -> Bool {
        let start = name.drop { $0.isWhitespace }.prefix(6).lowercased()
        return start.hasPrefix("http:") || start.hasPrefix("https:")
    }
}
