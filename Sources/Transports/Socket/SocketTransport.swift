// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore

/// HTTP/1.1 over a Unix socket, for programs of the same user.
package final class SocketTransport: Transport {
    /// The channel in rules.
    package let channel: ChannelName = "socket"
    /// The limits of requests and connections.
    package let limits: TransportLimits
    private let place: SocketPlace
    private let wires: [String]
    private let frameBytesMax: Int
    private let readiness: @Sendable () async -> String?
    private let moreMetrics: @Sendable () async -> String
    private let tally: Tally
    private let resources: [any SocketResource]
    private let authenticator: TokenAuthenticator
    private let threads: (any TaskExecutor)?

    /// Takes the place of a socket, which another process may not have.
    package convenience init(
        at address: SocketAddress, limits: TransportLimits = TransportLimits(), wires: [String],
        frameBytesMax: Int, readiness: @escaping @Sendable () async -> String? = { nil },
        moreMetrics: @escaping @Sendable () async -> String = { "" },
        resources: [any SocketResource] = [],
        authenticator: TokenAuthenticator = TokenAuthenticator(),
        on threads: (any TaskExecutor)? = nil
    ) throws(TransportError) {
        self.init(
            in: try SocketPlace(address), limits: limits, wires: wires,
            frameBytesMax: frameBytesMax, readiness: readiness, moreMetrics: moreMetrics,
            resources: resources, authenticator: authenticator, on: threads)
    }

    /// Serves in a place that was taken.
    ///
    /// `wires` are the names of the available wires, and `frameBytesMax` is the largest frame of
    /// any. `readiness` returns the reason that signing is impossible, or nil. `moreMetrics` is
    /// added to `/v1/metrics`, and `resources` are served as well. `authenticator` checks access
    /// tokens. Requests run on `threads`.
    package init(
        in place: SocketPlace, limits: TransportLimits = TransportLimits(), wires: [String],
        frameBytesMax: Int, readiness: @escaping @Sendable () async -> String? = { nil },
        moreMetrics: @escaping @Sendable () async -> String = { "" },
        resources: [any SocketResource] = [],
        authenticator: TokenAuthenticator = TokenAuthenticator(),
        on threads: (any TaskExecutor)? = nil
    ) {
        self.place = place
        self.limits = limits
        self.wires = wires
        tally = Tally(wires: wires)
        self.frameBytesMax = frameBytesMax
        self.readiness = readiness
        self.moreMetrics = moreMetrics
        self.resources = resources
        self.authenticator = authenticator
        self.threads = threads
    }

    /// The metrics in the text format of Prometheus.
    @Sendable package func metrics() async -> String { tally.text + (await moreMetrics()) }

    /// Serves clients until the task is cancelled.
    package func run(
        _ signer: some Signer, _ report: @escaping @Sendable (TransportState) -> Void
    ) async throws(TransportError) {
        let registry = RequestRegistry(signer, limits, tally, on: threads)
        let endpoints = Endpoints(
            registry: registry, tally: tally, wires: wires, frameBytesMax: frameBytesMax,
            readiness: readiness, metrics: metrics, resources: resources,
            authenticator: authenticator)
        let clients = Connections(limits)
        let server = try HTTPServer(
            HTTPEntrance(listen: place.listen) { [channel] in PeerFacts.peer(of: $0, by: channel) },
            clients: clients, connectionsMax: limits.connectionsMax,
            tally: tally, bodyBytesMax: endpoints.bodyBytesMax, on: threads,
            respond: { await endpoints.respond(to: $0) })
        let isAsked = await server.serve { report(.open(place.path)) }
        clients.stop()
        registry.stop()
        server.stopListening()
        report(.draining)
        await registry.drain()
        await server.end()
        place.remove()
        report(.closed)
        if !isAsked {
            throw TransportError(
                "the socket cannot be served any more", hint: "start the agent again")
        }
    }
}
