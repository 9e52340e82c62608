// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCore
package import Socket

/// Pages on a port of 127.0.0.1.
///
/// The inbox, for the owner's browser, shows waiting requests and sends the owner's answers. Other
/// pages use the NEAR pages to ask; those decide nothing.
package final class WebTransport: Transport {
    /// The channel in rules.
    package let channel: ChannelName = "web"
    /// The limits of requests and connections.
    package let limits = TransportLimits(
        connectionsMax: 64, framesMax: 64, framesPerPeerMax: 8, drainSecondsMax: 1)
    private let port: WebPort
    private let names: WebNames
    private let pairing: WebPairing
    private let resources: [any SocketResource]
    private let acts: [PageAct]
    private let threads: (any TaskExecutor)?

    /// Serves pages under `names`.
    ///
    /// The inbox is for browsers that `pairing` knows, with `resources` as its data and `acts` as
    /// the acts of its owner. Requests run on `threads`.
    package init(
        at port: WebPort, as names: WebNames, for pairing: WebPairing,
        resources: [any SocketResource], acts: [PageAct], on threads: (any TaskExecutor)? = nil
    ) {
        self.port = port
        self.names = names
        self.pairing = pairing
        self.resources = resources
        self.acts = acts
        self.threads = threads
    }

    /// Serves until the task is cancelled.
    package func run(
        _ signer: some Signer, _ report: @escaping @Sendable (TransportState) -> Void
    ) async throws(TransportError) {
        let place = port.place
        let tally = Tally(wires: [])
        let registry = RequestRegistry(signer, limits, tally, on: threads)
        let requests = PageRequests(registry, channel: channel)
        let pages = WebPages(
            pairing: pairing, port: place.port, names: names, resources: resources, acts: acts,
            requests: requests)
        let clients = Connections(limits)
        let server = try HTTPServer(
            place.entrance(by: channel, listen: port.listen), clients: clients,
            connectionsMax: limits.connectionsMax, tally: tally,
            bodyBytesMax: PageAsk.bodyBytesMax, on: threads,
            respond: { await pages.respond(to: $0) })
        let isAsked = await server.serve { report(.open("port \(place.port), for browsers")) }
        clients.stop()
        registry.stop()
        server.stopListening()
        report(.draining)
        await registry.drain()
        await server.end()
        report(.closed)
        if !isAsked {
            throw TransportError(
                "the page cannot be served any more", hint: "start the agent again")
        }
    }
}

/// The browsers that may use the inbox.
package struct WebPairing: Sendable {
    /// Returns a token for a code that the owner received; nil if it is invalid or was used.
    let pair: @Sendable (_ code: String) -> String?
    /// Returns whether a token was made in this way.
    let isKnown: @Sendable (_ token: String) -> Bool

    /// Makes a pairing.
    package init(
        pair: @escaping @Sendable (_ code: String) -> String?,
        isKnown: @escaping @Sendable (_ token: String) -> Bool
    ) {
        self.pair = pair
        self.isKnown = isKnown
    }
}
