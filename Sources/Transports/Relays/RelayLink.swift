// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import SigningCodecs
internal import SigningCore
internal import SigningNetwork
internal import Synchronization

/// The events that a link reports to its transport, on the thread of the sockets.
protocol RelayListener: Sendable {
    /// Handles an event that a relay sent for one of the subscribed keys.
    func take(_ event: JSONObject, from relay: RelayAddress) -> EnvelopeReader.Outcome
    /// Handles the answer of a relay to an event: accepted or not.
    func take(ok id: String, isAccepted: Bool, _ text: String, from relay: RelayAddress)
    /// Handles that a relay is connected or has accepted logins, so that it may accept events now.
    func isOpen(_ relay: RelayAddress)
    /// Returns a login to the relay for each of some keys.
    func logins(_ keys: [String], to relay: RelayAddress, challenge: String) -> [RelayLogin]
}

/// The only connection to a relay, which all clients share.
///
/// It is opened again after it ends, with growing pauses, and subscribed to the keys of the
/// clients' connections.
final class RelayLink: Sendable {
    private struct State {
        /// The open socket and its session; nil without a socket.
        var open: (socket: WebSocket, session: RelaySession)?
        /// True if it is open or being opened.
        var isBusy = false
        var since = ContinuousClock.now
        var next = ContinuousClock.now
        var failuresCount = 0
        /// The reason that this side closes it.
        var complaint: String?
        var problem: String?
        /// The message of the relay that refused the previous socket.
        var refusal: String?
        var isEnded = false
        /// The proxy to use, and that of the socket that is open or being opened.
        var proxy: SOCKSProxy?
        var openProxy: SOCKSProxy?
        /// The keys to subscribe to, in a fixed order.
        var wanted: [String] = []
        var report: RelayReport

        /// The open socket, to be closed, if its route is no longer the wanted one.
        mutating func closingRerouted() -> WebSocket? {
            guard let socket = open?.socket, proxy != openProxy else { return nil }
            complaint = "the proxy was changed"
            return socket
        }
    }

    let relay: RelayAddress
    private let loop: WebSocketLoop
    private let listener: any RelayListener
    private let now: @Sendable () -> Timestamp
    private let state: Mutex<State>

    /// The maximum pause before the next try, in seconds.
    static let pauseSecondsMax = 60.0
    /// The time after which a connection counts as successful, in seconds.
    private static let goodSeconds: Int64 = 30

    init(
        to relay: RelayAddress, on loop: WebSocketLoop, reportingTo listener: any RelayListener,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.relay = relay
        self.loop = loop
        self.listener = listener
        self.now = now
        state = Mutex(State(report: RelayReport(relay: relay.text)))
    }

    /// True if there is an open socket.
    var isConnected: Bool { state.withLock { $0.open != nil } }
    /// True if it waits for the next try.
    var isWaiting: Bool { state.withLock { !$0.isBusy && $0.failuresCount > 0 } }

    var report: RelayReport {
        state.withLock { state in
            var report = state.report
            if let session = state.open?.session {
                (report.state, report.problem) = session.status
            } else if let refusal = state.refusal, !state.isBusy {
                (report.state, report.problem) = (.refused, refusal)
            } else {
                report.state = state.isBusy ? .connecting : .waiting
                report.problem = state.problem
            }
            return report
        }
    }

    /// Returns true if events for a key arrive from the relay.
    func serves(_ key: String) -> Bool {
        state.withLock { $0.open?.session.serves(key, at: .now) ?? false }
    }

    /// Changes the keys to subscribe to and the route, and opens the connection if it is time to.
    func tend(wanting keys: [String], through proxy: SOCKSProxy?) {
        let (isDue, rerouted) = state.withLock { state -> (Bool, WebSocket?) in
            state.wanted = keys
            if state.proxy != proxy {
                state.proxy = proxy
                state.next = .now
            }
            guard !state.isBusy, !state.isEnded, .now >= state.next else {
                return (false, state.closingRerouted())
            }
            state.isBusy = true
            state.openProxy = proxy
            return (true, nil)
        }
        if isDue { return open(through: proxy) }
        if let rerouted { return loop.close(rerouted) }
        change { session, since in
            session.want(keys, since: since, at: .now) + session.tick(since: since, at: .now)
        }
    }

    /// Ends the pause before the next try.
    func retryNow() { state.withLock { if !$0.isBusy { $0.next = .now } } }

    /// Sends a message; false without a socket, or if the relay is too slow.
    @discardableResult
    func send(_ message: [UInt8]) -> Bool {
        guard let socket = state.withLock({ $0.open?.socket }) else { return false }
        return loop.send(message, over: socket)
    }

    /// Closes the connection permanently.
    func end() {
        let socket = state.withLock { state in
            state.isEnded = true
            return state.open?.socket
        }
        if let socket { loop.close(socket) }
    }

    private func open(through proxy: SOCKSProxy?) {
        let host = relay.origin.host.text.filter { $0 != "[" && $0 != "]" }
        let address = WebSocketAddress(
            host: host, port: relay.port, path: relay.path, isEncrypted: relay.isEncrypted)
        loop.open(address, through: proxy) { [weak self] socket, event in
            self?.take(event, of: socket)
        }
    }

    private func take(_ event: WebSocket.Event, of socket: WebSocket) {
        switch event {
        case .opened:
            let isStale = state.withLock { state in
                state.open = (socket, RelaySession(at: .now))
                state.since = .now
                state.report.openedCount += 1
                return state.isEnded || state.closingRerouted() != nil
            }
            guard !isStale else { return loop.close(socket) }
            let wanted = state.withLock { $0.wanted }
            change { session, since in session.want(wanted, since: since, at: .now) }
            listener.isOpen(relay)
        case .message(let bytes): if let message = RelayMessage(bytes) { take(message) }
        case .skipped: count(.excess)
        case .closed(let reason): close(because: reason)
        }
    }

    private func take(_ message: RelayMessage) {
        if case .event(let subscription, _) = message,
            !state.withLock({ $0.open?.session.isAsked(for: subscription) ?? false })
        {
            return count(.excess)
        }
        change { session, since in session.take(message, since: since, at: .now) }
        switch message {
        case .event(_, let event): count(listener.take(event, from: relay))
        case .ok(let id, let isAccepted, let text):
            listener.take(ok: id, isAccepted: isAccepted, text, from: relay)
        case .endOfStored, .closed, .challenge, .notice: break
        }
    }

    /// Notes that the relay refused an answer.
    func note(refusal text: String) {
        state.withLock { state in
            state.report.refusedCount += 1
            state.report.lastRefusal = RelayReport.words(text)
        }
    }

    /// Changes the session, and carries out the steps that it returns.
    private func change(_ body: (inout RelaySession, Int64) -> [RelaySession.Step]) {
        let since = now().seconds - EnvelopeReader.ageSecondsMax
        let later = state.withLock { state -> [RelaySession.Step] in
            guard var open = state.open else { return [] }
            let steps = body(&open.session, since)
            state.open = open
            // Sent under the lock, so that two concurrent changes keep their order.
            return steps.filter { step in
                guard case .send(let message) = step else { return true }
                _ = loop.send(message, over: open.socket)
                return false
            }
        }
        for step in later { carryOut(step) }
    }

    private func carryOut(_ step: RelaySession.Step) {
        switch step {
        case .send(let message): send(message)
        case .logIn(let keys, let challenge):
            let signed = listener.logins(keys, to: relay, challenge: challenge)
            change { session, _ in session.send(logins: signed, for: challenge, at: .now) }
        case .offerAnswers: listener.isOpen(relay)
        case .close(let complaint):
            let socket = state.withLock { state in
                state.complaint = complaint
                return state.open?.socket
            }
            if let socket { loop.close(socket) }
        }
    }

    private func close(because reason: String) {
        state.withLock { state in
            let wasGood = state.open != nil && .now - state.since >= .seconds(Self.goodSeconds)
            state.failuresCount = wasGood ? 0 : min(state.failuresCount + 1, 16)
            state.problem = state.complaint ?? reason
            let status = state.open?.session.status
            state.refusal = status?.state == .refused ? status?.problem : nil
            state.complaint = nil
            state.open = nil
            state.isBusy = false
            // At first half a second; the random part prevents all signers from returning at the
            // same time.
            let pause = min(Self.pauseSecondsMax, 0.5 * Double(1 << state.failuresCount) / 2)
            state.next = .now + .seconds(pause * Double.random(in: 0.75...1))
        }
    }

    private func count(_ outcome: EnvelopeReader.Outcome) {
        state.withLock { $0.report.events[outcome, default: 0] += 1 }
    }
}
