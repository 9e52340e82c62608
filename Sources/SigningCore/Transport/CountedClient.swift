// SPDX-License-Identifier: Apache-2.0

/// A client as counted for limits of places and refusals.
///
/// Its name is proved or reported by the kernel. No peer can choose a name by a claim.
package struct CountedClient: Hashable, Sendable {
    /// A kind of clients; the places and refusals of each kind are limited separately.
    enum Kind: Hashable, Sendable {
        /// The pages of a browser with the extension, by profile.
        case browser(String)
        /// Programs with an access token, and clients of a bunker, which the owner admits.
        case known
        /// Servers at which the owner has logged in.
        case server
        /// Processes without an access token, of which a program can start any number.
        case process
        /// Pages without the extension.
        case page
        /// Links, and peers that neither the kernel nor a transport identifies.
        case other
    }

    let kind: Kind
    /// The unique name of the client.
    package let name: String

    /// Returns the client for all pages of a browser profile in tabs of one site.
    package static func page(of profile: String, inTabOf party: String) -> CountedClient {
        CountedClient(kind: .browser(profile), name: "browser \(profile) \(party)")
    }

    /// True for the pages of a browser with the extension.
    var isPage: Bool { if case .browser = kind { true } else { false } }

    /// True if the owner admitted the client; its name cannot be invented.
    var isProved: Bool {
        switch kind {
        case .browser, .known: true
        case .server, .process, .page, .other: false
        }
    }

    /// True if a kind can have any number of clients, so that all of them share a limit.
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
    /// A process is identified by number and start time, which stay if it runs another program. A
    /// page counts for the page that fills its tab, which chooses the pages inside it.
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
            // The tab of a page inside another one is not known here, so all of these share a name.
            return CountedClient(kind: .page, name: isFramed ? "framed page" : "page \(party)")
        }
        if let processMark { return CountedClient(kind: .process, name: "process \(processMark)") }
        if let provedServer {
            return CountedClient(kind: .server, name: "server \(provedServer.origin)")
        }
        if visit == .link { return CountedClient(kind: .other, name: "link") }
        // Here the claim is trusted: it was made by a transport of this hub, not by the peer.
        return CountedClient(
            kind: .other, name: "\(channel.name) \(provedUserID.map { "\($0)" } ?? claim ?? "")")
    }

    /// The client under which refusals are counted; nil if they are not counted.
    ///
    /// Commands are not counted: if all of them were counted as one client, any program could cause
    /// the refusal of the owner's commands.
    var countedAs: CountedClient? {
        channel == .commandLine && credential == nil && provedKey == nil ? nil : countedClient
    }
}
