// SPDX-License-Identifier: Apache-2.0

/// By whom all that a peer holds at one time is counted: what is proved of it or told by the
/// kernel, and no name that it gives itself.
package struct CountedClient: Hashable, Sendable {
    /// What callers of one kind share; callers of two kinds take nothing from each other where
    /// something has shares.
    enum Kind: Hashable, Sendable {
        /// Pages of a browser with the extension, by its profile.
        case browser(String)
        /// Access tokens and clients of a bunker: as many as the owner lets in.
        case known
        /// Servers that the owner met.
        case server
        /// Processes without an access token: a program starts as many as it likes.
        case process
        /// Pages without the extension.
        case page
        /// Links, and peers of which neither the kernel nor a transport tells more.
        case other
    }

    let kind: Kind
    /// What tells it from all other callers.
    package let name: String

    /// The pages of a site in a browser profile: all that stand in tabs that a page of it fills.
    package static func page(of profile: String, inTabOf party: String) -> CountedClient {
        CountedClient(kind: .browser(profile), name: "browser \(profile) \(party)")
    }

    /// Whether it is a site in a browser with the extension.
    var isPage: Bool { if case .browser = kind { true } else { false } }

    /// Whether the owner let it in, so that it cannot be made up.
    var isProved: Bool {
        switch kind {
        case .browser, .known: true
        case .server, .process, .page, .other: false
        }
    }

    /// Whether all callers of its kind together have a share: nobody bounds how many there are.
    package var isOfMany: Bool {
        switch kind {
        case .browser, .process, .page: true
        case .known, .server, .other: false
        }
    }
}

extension Peer {
    /// By whom it is counted.
    ///
    /// A process keeps its number and its start whatever program it becomes. Pages are counted by
    /// the page that fills the tab: what stands in its frames is its choice.
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
            // A window is not told in which tab the page stands that opened it.
            return CountedClient(kind: .page, name: isFramed ? "framed page" : "page \(party)")
        }
        if let processMark { return CountedClient(kind: .process, name: "process \(processMark)") }
        if let provedServer {
            return CountedClient(kind: .server, name: "server \(provedServer.origin)")
        }
        if visit == .link { return CountedClient(kind: .other, name: "link") }
        // Without a kernel that tells who is there, only a transport of ours gives names.
        return CountedClient(
            kind: .other, name: "\(channel.name) \(provedUserID.map { "\($0)" } ?? claim ?? "")")
    }

    /// By whom a caller's refusals are counted; nil where they are not.
    ///
    /// A command is a program for a moment, and puts what it asks for on record without an agent as
    /// well: were commands counted together, any program could have its owner's turned away.
    var countedAs: CountedClient? {
        channel == .commandLine && credential == nil && provedKey == nil ? nil : countedClient
    }
}
