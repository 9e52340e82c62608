// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore

/// HTTP/1.1 over a Unix socket, for programs of the same user.
package final class SocketTransport: Transport {
    /// What rules call it.
    package let door: Door = "socket"
    /// How much it takes in at one time.
    package let limits: TransportLimits
    private let place: SocketPlace
    private let wires: [String]
    private let frameBytesMax: Int
    private let readiness: @Sendable () async -> String?
    private let resources: [any SocketResource]
    private let threads: (any TaskExecutor)?

    /// Takes the place of a socket, which no other process may have.
    ///
    /// `wires` are the names of those that are spoken, `frameBytesMax` is the largest frame of any
    /// of them, `readiness` tells why nothing can be signed, or nil where all is well, and
    /// `resources` are what else is served. Requests are worked on by `threads`.
    package init(
        at place: SocketAddress, limits: TransportLimits = TransportLimits(), wires: [String],
        frameBytesMax: Int, readiness: @escaping @Sendable () async -> String? = { nil },
        resources: [any SocketResource] = [], on threads: (any TaskExecutor)? = nil
    ) throws(TransportError) {
        self.place = try SocketPlace(place)
        self.limits = limits
        self.wires = wires
        self.frameBytesMax = frameBytesMax
        self.readiness = readiness
        self.resources = resources
        self.threads = threads
    }

    /// Serves clients until the task is cancelled.
    package func run(
        _ signer: some Signer, _ report: @escaping @Sendable (TransportState) -> Void
    ) async throws(TransportError) {
        let tally = Tally(wires: wires)
        let book = RequestBook(signer, limits, tally, on: threads)
        let endpoints = Endpoints(
            book: book, tally: tally, wires: wires, frameBytesMax: frameBytesMax,
            readiness: readiness, resources: resources)
        let clients = Connections(limits)
        let over = Gate()
        let server = try HTTPServer(
            at: place, door: door, clients: clients, connectionsMax: limits.connectionsMax,
            tally: tally, bodyBytesMax: endpoints.bodyBytesMax, on: threads,
            respond: { await endpoints.respond(to: $0) })
        server.start { over.open() }
        report(.open(place.path))
        let isAsked = await withTaskCancellationHandler {
            await over.wait()
            return Task.isCancelled
        } onCancel: {
            over.open()
        }
        clients.stop()
        book.stop()
        server.stopListening()
        report(.draining)
        await book.drain()
        await server.end()
        place.remove()
        report(.closed)
        if !isAsked {
            throw TransportError("the socket cannot be served any more", hint: "start it again")
        }
    }
}
