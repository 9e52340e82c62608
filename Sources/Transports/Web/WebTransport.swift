// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCore
package import Socket

/// The inbox as a page on a port of 127.0.0.1, for the owner's browser.
///
/// It takes no requests for signatures: it shows what waits, and hands over the owner's answers.
package final class WebTransport: Transport {
    /// What rules would call it.
    package let door: Door = "web"
    /// How much it takes in at one time.
    package let limits = TransportLimits(
        connectionsMax: 64, framesMax: 1, framesPerPeerMax: 1, drainSecondsMax: 1)
    private let place: WebPlace
    private let pairing: WebPairing
    private let resources: [any SocketResource]
    private let threads: (any TaskExecutor)?

    /// Serves the page to whoever `pairing` knows, with `resources` as its data, on `threads`.
    package init(
        port: UInt16, for pairing: WebPairing, resources: [any SocketResource],
        on threads: (any TaskExecutor)? = nil
    ) {
        place = WebPlace(port: port)
        self.pairing = pairing
        self.resources = resources
        self.threads = threads
    }

    /// How the page of a port is addressed, without a slash at the end.
    package static func origin(port: UInt16) -> String { WebPlace(port: port).origin }

    /// The largest body, in bytes; nothing large is ever sent here.
    private static let bodyBytesMax = 64 << 10

    /// Serves until the task is cancelled.
    package func run(
        _: some Signer, _ report: @escaping @Sendable (TransportState) -> Void
    ) async throws(TransportError) {
        let pages = WebPages(pairing: pairing, place: place, resources: resources)
        let clients = Connections(limits)
        let server = try HTTPServer(
            HTTPEntrance(listen: place.listen) { [place, door] socket in
                place.userID(of: socket) == geteuid()
                    ? HTTPVisitor(peer: Peer(door: door, provedUserID: geteuid())) : nil
            }, clients: clients, connectionsMax: limits.connectionsMax, tally: Tally(wires: []),
            bodyBytesMax: Self.bodyBytesMax, on: threads,
            respond: { WebGuard.sealed(await pages.respond(to: $0)) })
        let isAsked = await server.serve { report(.open(place.origin)) }
        clients.stop()
        server.stopListening()
        report(.draining)
        await server.end()
        report(.closed)
        if !isAsked {
            throw TransportError("the page cannot be served any more", hint: "start it again")
        }
    }
}

/// Who may use the page.
package struct WebPairing: Sendable {
    /// Makes a token of a code that was told to the owner; nil where it is none, or was used.
    let pair: @Sendable (_ code: String) -> String?
    /// Whether a token is one that was made so.
    let isKnown: @Sendable (_ token: String) -> Bool

    /// Puts both together.
    package init(
        pair: @escaping @Sendable (_ code: String) -> String?,
        isKnown: @escaping @Sendable (_ token: String) -> Bool
    ) {
        self.pair = pair
        self.isKnown = isKnown
    }
}
