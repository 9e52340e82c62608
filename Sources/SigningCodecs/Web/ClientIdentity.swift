// SPDX-License-Identifier: Apache-2.0

/// What a client is called in rules and counted by, made from where its answer goes or from what
/// it says of itself.
public struct ClientIdentity: Hashable, Sendable {
    /// An origin in its normal form; of what is no address of the web, the text as it came.
    public let id: String
    /// Whoever can make any number of such names: the registrable domain, or the name itself.
    public let party: String

    /// A client of the web.
    public init(_ origin: WebOrigin) {
        id = origin.text
        party = origin.host.registrableDomain
    }

    /// A client by the name it gives, which may be an address of the web.
    public init(claim: String) {
        let origin = (try? WebOrigin(claim)).flatMap { $0.isPage ? $0 : nil }
        id = origin?.text ?? claim
        party = origin?.host.registrableDomain ?? claim
    }
}
