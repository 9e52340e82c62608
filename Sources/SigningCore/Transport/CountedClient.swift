// SPDX-License-Identifier: Apache-2.0

/// The name under which a peer's places are counted.
///
/// It is proved or comes from the kernel, never from the peer's own claim.
package struct CountedClient: Hashable, Sendable {
    /// A kind of clients that share places; different kinds do not take places from each other.
    enum Kind: Hashable, Sendable {
        /// The pages of a browser with the extension, by profile.
        case browser(String)
        /// Access tokens and clients of a bunker: the owner admits each of them.
        case known
        /// Servers that the owner logged in at.
        case server
        /// Processes without an access token; a program can start any number.
        case process
        /// Pages without the extension.
        case page
        /// Links, and peers that neither the kernel nor a transport identifies.
        case other
    }

    let kind: Kind
    /// The unique name of the client.
    package let name: String

    /// Returns the client for all pages in tabs of a site in a browser profile.
    package static func page(of profile: String, inTabOf party: String) -> CountedClient {
        CountedClient(kind: .browser(profile), name: "browser \(profile) \(party)")
    }

    /// True for a site in a browser with the extension.
    var isPage: Bool { if case .browser = kind { true } else { false } }

    /// True if the owner admitted it, so that it cannot be made up.
    var isProved: Bool {
        switch kind {
        case .browser, .known: true
        case .server, .process, .page, .other: false
        }
    }

    /// True if the kind has a share, because its number of clients is unlimited.
    package var isOfMany: Bool {
        switch kind {
        case .browser, .process, .page: true
        case .known, .server, .other: false
        }
    }
}

extension Peer {
    /// The client under which the peer is counted.
    ///
    /// A process keeps its number and start time even if it runs another program. Pages are counted
    /// by the page that fills the tab, because that page chooses its frames.
    package var countedClient: CountedClient {
        if let page = credential?.page {
            return .page(of: page.profile, inTabOf: page.tabParty)
        }
        if let credential {
            return CountedClient(kind: .known, name: "token \(credential.tokenName)")
        }
        if let provedKey {
            return CountedClient(
                kind: .known, name: "key \(provedKey.connection) \(provedKey.publicKey)")
        }
        if case .message(_, let party, let isFramed)? = visit {
            // A window does not know the tab of the page that opened it.
            return CountedClient(kind: .page, name: isFramed ? "framed page" : "page \(party)")
        }
        if let processMark { return CountedClient(kind: .process, name: "process \(processMark)") }
        if let provedServer {
            return CountedClient(kind: .server, name: "server \(provedServer.origin)")
        }
        if visit == .link { return CountedClient(kind: .other, name: "link") }
        // Without identification by the kernel, only transports of this hub name their peers.
        return CountedClient(
            kind: .other, name: "\(channel.name) \(provedUserID.map { "\($0)" } ?? claim ?? "")")
    }

    /// The client under which refusals are counted; nil if they are not counted.
    ///
    /// Commands run briefly and record requests without an agent as well. If they were counted
    /// together, any program could cause the owner's commands to be refused.
    var countedAs: CountedClient? {
        channel == .commandLine && credential == nil && provedKey == nil ? nil : countedClient
    }
}
