// SPDX-License-Identifier: Apache-2.0

package import NIP46
package import SigningCore
internal import SigningNetwork
internal import Synchronization

/// Answers the clients that are connected over relays (NIP-46).
///
/// It decrypts calls and encrypts answers with keys that sign only its events. The bunker decides
/// which client may connect, and the signer decides about all calls.
package final class RelayTransport: Transport {
    private struct State {
        var links: [RelayAddress: RelayLink] = [:]
        /// The peer connections of clients, by the signer's key.
        var peerConnections: [String: Connection] = [:]
        /// The signer keys of clients whose URI is being answered or was refused.
        var invited: Set<String> = []
        /// True if there was a network at the last check.
        var hadNetwork = true
    }

    /// The channel name, `relay`.
    package let channel = ChannelName.relay
    package let limits: TransportLimits
    let bunker: any Bunker
    let envelopes = EnvelopeReader()
    let outbox = AnswerOutbox()
    let environment: any HubEnvironment
    /// The threads for calls that may wait for a disk.
    let threads: (any TaskExecutor)?
    private let hasNetwork: @Sendable () -> Bool
    private let state = Mutex(State())

    /// The interval of checks of links, if there are any.
    private static let pause = Duration.milliseconds(500)

    /// Serves the connections of a bunker.
    package init(
        of bunker: any Bunker, environment: any HubEnvironment,
        limits: TransportLimits = TransportLimits(
            connectionsMax: 2_000, framesMax: 512, framesPerPeerMax: 32, drainSecondsMax: 5,
            framesWaitingPerPeerMax: 1_024),
        on threads: (any TaskExecutor)? = nil,
        hasNetwork: (@Sendable () -> Bool)? = nil
    ) {
        self.hasNetwork = hasNetwork ?? { NetworkRoute.isThere }
        self.bunker = bunker
        self.environment = environment
        self.limits = limits
        self.threads = threads
    }

    /// The states of the relays, sorted by address.
    package var reports: [RelayReport] {
        state.withLock { Array($0.links.values) }.sorted { $0.relay.text < $1.relay.text }
            .map { link in
                var report = link.report
                report.unsentCount = outbox.count(for: link.relay)
                return report
            }
    }

    /// The number of connections that get no answer until the vault is unlocked.
    package var unansweredCount: Int { bunker.unansweredCount }

    /// Serves until the task is cancelled.
    package func run(
        _ signer: some Signer, _ report: @escaping @Sendable (TransportState) -> Void
    ) async throws(TransportError) {
        let connections = Connections(limits, on: threads)
        let service = RelayService(of: self, asking: connections, signer)
        var loop: WebSocketLoop?
        defer {
            for link in state.withLock({ Array($0.links.values) }) { link.end() }
            loop?.stop()
            state.withLock { $0 = State() }
            report(.closed)
        }
        report(.open("relays"))
        while !Task.isCancelled {
            let seen = bunker.revision
            let open = try await refresh()
            // Also after the last connection has ended, so that its links and questions end.
            if !open.isEmpty || loop != nil {
                let sockets: WebSocketLoop
                if let loop { sockets = loop } else { sockets = try Self.sockets() }
                loop = sockets
                tend(open, on: sockets, service)
                for connection in takeInvited(open) {
                    Task(executorPreference: threads) { await service.invite(connection) }
                }
            }
            await bunker.wait(after: seen, until: open.isEmpty ? nil : .now + Self.pause)
        }
        report(.draining)
        await connections.drain()
        await service.drain()
        await outbox.drain()
    }

    private static func sockets() throws(TransportError) -> WebSocketLoop {
        do throws(WebSocketError) { return try WebSocketLoop() } catch {
            throw TransportError(
                "clients over relays are not answered: \(RuntimeLibrary.webSockets.name) "
                    + "is missing",
                hint: RuntimeLibrary.webSockets.hint)
        }
    }

    /// Returns the current connections by the signer's key; the bunker may have to wait for its
    /// disk.
    private func refresh() async throws(TransportError) -> [String: ServedConnection] {
        let bunker = bunker
        let found: Result<[ServedConnection], TransportError> =
            await withTaskExecutorPreference(threads) {
                Result { () throws(TransportError) in try bunker.refresh() }
            }
        return Dictionary(try found.get().map { ($0.signer, $0) }, uniquingKeysWith: { $1 })
    }

    /// Opens, subscribes and closes links for the current connections.
    private func tend(
        _ open: [String: ServedConnection], on loop: WebSocketLoop,
        _ service: RelayService<some Signer>
    ) {
        let now = environment.now()
        var wanted: [RelayAddress: [String]] = [:]
        for signer in open.keys.sorted() {
            for relay in open[signer]?.meetings.at(now) ?? [] {
                wanted[relay, default: []].append(signer)
            }
        }
        let (links, ended, peerConnections) = state.withLock { state in
            for relay in wanted.keys where state.links[relay] == nil {
                state.links[relay] = RelayLink(
                    to: relay, on: loop, reportingTo: service,
                    now: { [environment] in environment.now() })
            }
            let ended = state.links.filter { wanted[$0.key] == nil }
            for relay in ended.keys { state.links[relay] = nil }
            let gone = state.peerConnections.filter { open[$0.key] == nil }
            for signer in gone.keys { state.peerConnections[signer] = nil }
            return (state.links, Array(ended.values), Array(gone.values))
        }
        for link in ended { link.end() }
        // The questions of a client end with its connection.
        for peerConnection in peerConnections { peerConnection.close() }
        if hasNetworkCome() { for link in links.values { link.retryNow() } }
        let proxy = bunker.proxy
        for (relay, link) in links {
            link.tend(
                wanting: wanted[relay] ?? [],
                through: proxy.flatMap { $0.serves(relay) ? $0.socks : nil })
        }
        outbox.forgetExpired(at: now)
        for (relay, message) in outbox.due(at: Set(links.filter { $0.value.isConnected }.keys)) {
            links[relay]?.send(message)
        }
    }

    /// Returns true if there is a network again after a time without one.
    private func hasNetworkCome() -> Bool {
        let isThere = hasNetwork()
        return state.withLock { state in
            defer { state.hadNetwork = isThere }
            return isThere && !state.hadNetwork
        }
    }

    /// Returns the connections whose client showed a URI that can be answered now.
    ///
    /// A relay must already deliver the client's next events.
    private func takeInvited(_ open: [String: ServedConnection]) -> [ServedConnection] {
        state.withLock { state in
            state.invited.formIntersection(open.keys)
            let due = open.values.filter { connection in
                connection.isInvited && !state.invited.contains(connection.signer)
                    && connection.meetings.current.contains {
                        state.links[$0]?.serves(connection.signer) ?? false
                    }
            }
            for connection in due { state.invited.insert(connection.signer) }
            return due
        }
    }

    func links(of relays: [RelayAddress]) -> [RelayLink] {
        state.withLock { state in relays.compactMap { state.links[$0] } }
    }

    /// Returns the peer connection of a client, which lasts as long as its connection.
    func peerConnection(
        of peer: Peer, among all: Connections
    ) throws(Connections.Refusal) -> Connection {
        let signer = peer.provedKey?.connection ?? ""
        if let old = state.withLock({ $0.peerConnections[signer] }), old.peer == peer {
            return old
        }
        let new = try all.open(peer)
        // Two calls may arrive at the same time.
        let (peerConnection, spare) = state.withLock { state in
            let old = state.peerConnections[signer]
            if let old, old.peer == peer { return (old, Optional(new)) }
            state.peerConnections[signer] = new
            return (new, old)
        }
        spare?.close()
        return peerConnection
    }

    /// Closes the peer connection of a client, whose questions end.
    func leave(_ signer: String) {
        state.withLock { $0.peerConnections.removeValue(forKey: signer) }?.close()
    }
}

extension RelayProxy {
    /// The address that sockets use.
    fileprivate var socks: SOCKSProxy { SOCKSProxy(host: host, port: port) }
}
