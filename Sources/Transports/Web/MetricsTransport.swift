// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import Socket

/// The metrics of an agent on a port of 127.0.0.1, for a collector that sends an access token.
///
/// Every user of the machine can reach the port. It serves `/metrics` alone and decides nothing.
package final class MetricsTransport: Transport {
    /// The channel of its peers.
    package let channel: ChannelName = "metrics"
    /// The limits of requests and connections.
    package let limits = TransportLimits(
        connectionsMax: 16, framesMax: 16, framesPerPeerMax: 4, drainSecondsMax: 1)
    private let port: WebPort
    private let authenticator: TokenAuthenticator
    private let metrics: @Sendable () async -> String
    private let threads: (any TaskExecutor)?

    /// The scope that an access token needs.
    package static let scope = "metrics"

    /// Serves `metrics` at a port to the holders of access tokens that `authenticator` knows.
    package init(
        at port: WebPort, _ metrics: @escaping @Sendable () async -> String,
        authenticator: TokenAuthenticator, on threads: (any TaskExecutor)? = nil
    ) {
        self.port = port
        self.metrics = metrics
        self.authenticator = authenticator
        self.threads = threads
    }

    /// Serves until the task is cancelled.
    package func run(
        _ signer: some Signer, _ report: @escaping @Sendable (TransportState) -> Void
    ) async throws(TransportError) {
        let place = port.place
        let clients = Connections(limits)
        let entrance = HTTPEntrance(listen: port.listen) { [channel] socket in
            HTTPPeer(peer: Peer(channel: channel, provedUserID: place.userID(of: socket)))
        }
        let server = try HTTPServer(
            entrance, clients: clients, connectionsMax: limits.connectionsMax,
            tally: Tally(wires: []), bodyBytesMax: 0, on: threads,
            respond: { await self.response(to: $0.head) })
        let isAsked = await server.serve { report(.open("port \(place.port), for metrics")) }
        clients.stop()
        server.stopListening()
        report(.draining)
        await server.end()
        report(.closed)
        if !isAsked {
            throw TransportError(
                "the metrics cannot be served any more", hint: "start the agent again")
        }
    }

    private func response(to head: HTTPHead) async -> HTTPResponse {
        guard head.path == "/metrics" else { return .notFound }
        if let refusal = head.misdirected(methods: ["GET"]) { return refusal }
        do throws(AuthenticationRefusal) {
            guard try authenticator.holder(head, reading: Self.scope) != nil else {
                throw .token("token_needed", "an access token with the scope metrics is needed")
            }
        } catch {
            return error.response
        }
        return .metrics(await metrics())
    }
}
