// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import SigningCodecs
internal import SigningCore
internal import SigningNetwork
internal import Synchronization

/// What a link tells its transport, on the thread of the sockets.
protocol RelayListener: Sendable {
    /// A relay has sent an event for one of the keys that it was asked for.
    func take(_ event: JSONObject, from relay: RelayAddress) -> EnvelopeReader.Outcome
    /// A relay has taken an event, or has not.
    func take(ok id: String, isAccepted: Bool, _ text: String, from relay: RelayAddress)
    /// A relay is there, or has let the connections in: it may take events now.
    func isOpen(_ relay: RelayAddress)
    /// A login to the relay for each of some keys.
    func logins(_ keys: [String], to relay: RelayAddress, challenge: String) -> [RelayLogin]
}

/// The one connection to a relay, which all clients share: opened again when it ends, with pauses
/// that grow, and subscribed to the keys of their connections.
final class RelayLink: Sendable {
    private struct State {
        /// The socket and what goes on over it, while it is open.
        var open: (socket: WebSocket, session: RelaySession)?
        /// Whether it is open, or opens.
        var isBusy = false
        var since = ContinuousClock.now
        var next = ContinuousClock.now
        var failuresCount = 0
        /// Why we close it.
        var complaint: String?
        var problem: String?
        /// The words by which the relay refused us over the socket before.
        var refusal: String?
        var isEnded = false
        /// The keys that letters are wanted for, in a fixed order.
        var wanted: [String] = []
        var report: RelayReport
    }

    let relay: RelayAddress
    private let loop: WebSocketLoop
    private let listener: any RelayListener
    private let now: @Sendable () -> Timestamp
    private let state: Mutex<State>

    /// The longest pause before a relay is tried again, in seconds.
    static let pauseSecondsMax = 60.0
    /// An opening that lasted so long was a good one.
    private static let goodSeconds: Int64 = 30

    init(
        to relay: RelayAddress, on loop: WebSocketLoop, telling listener: any RelayListener,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.relay = relay
        self.loop = loop
        self.listener = listener
        self.now = now
        state = Mutex(State(report: RelayReport(relay: relay.text)))
    }

    /// Whether there is a socket to send over.
    var isConnected: Bool { state.withLock { $0.open != nil } }
    /// Whether it waits to be opened again.
    var isWaiting: Bool { state.withLock { !$0.isBusy && $0.failuresCount > 0 } }

    var report: RelayReport {
        state.withLock { state in
            var report = state.report
            if let session = state.open?.session {
                (report.state, report.problem) = session.standing
            } else if let refusal = state.refusal, !state.isBusy {
                (report.state, report.problem) = (.refused, refusal)
            } else {
                report.state = state.isBusy ? .connecting : .waiting
                report.problem = state.problem
            }
            return report
        }
    }

    /// Whether events for a key arrive from the relay.
    func serves(_ key: String) -> Bool {
        state.withLock { $0.open?.session.serves(key, at: .now) ?? false }
    }

    /// Changes which keys letters are wanted for, and opens the connection where it is time to.
    func tend(wanting keys: [String]) {
        let isDue = state.withLock { state in
            state.wanted = keys
            guard !state.isBusy, !state.isEnded, .now >= state.next else { return false }
            state.isBusy = true
            return true
        }
        if isDue { return open() }
        change { session, since in
            session.want(keys, since: since, at: .now) + session.tick(since: since, at: .now)
        }
    }

    /// Opens it at once where it waits to be opened again.
    func hurry() { state.withLock { if !$0.isBusy { $0.next = .now } } }

    /// Sends a message, if the relay is there; false where it is not, or is too slow.
    @discardableResult
    func send(_ message: [UInt8]) -> Bool {
        guard let socket = state.withLock({ $0.open?.socket }) else { return false }
        return loop.send(message, over: socket)
    }

    /// Ends it for good.
    func end() {
        let socket = state.withLock { state in
            state.isEnded = true
            return state.open?.socket
        }
        if let socket { loop.close(socket) }
    }

    private func open() {
        let host = relay.origin.host.text.filter { $0 != "[" && $0 != "]" }
        let address = WebSocketAddress(
            host: host, port: relay.port, path: relay.path, isEncrypted: relay.isEncrypted)
        loop.open(address) { [weak self] socket, event in self?.take(event, of: socket) }
    }

    private func take(_ event: WebSocket.Event, of socket: WebSocket) {
        switch event {
        case .opened:
            let isEnded = state.withLock { state in
                state.open = (socket, RelaySession(at: .now))
                state.since = .now
                state.report.openedCount += 1
                return state.isEnded
            }
            guard !isEnded else { return loop.close(socket) }
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

    /// Changes the session, and does what it says.
    private func change(_ body: (inout RelaySession, Int64) -> [RelaySession.Step]) {
        let since = now().seconds - EnvelopeReader.ageSecondsMax
        let later = state.withLock { state -> [RelaySession.Step] in
            guard var open = state.open else { return [] }
            let steps = body(&open.session, since)
            state.open = open
            // Sent under the lock: two that ask at once must not overtake each other.
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
            let standing = state.open?.session.standing
            state.refusal = standing?.state == .refused ? standing?.problem : nil
            state.complaint = nil
            state.open = nil
            state.isBusy = false
            // Half a second at first; not all signers come back in the same moment.
            let pause = min(Self.pauseSecondsMax, 0.5 * Double(1 << state.failuresCount) / 2)
            state.next = .now + .seconds(pause * Double.random(in: 0.75...1))
        }
    }

    private func count(_ ending: EnvelopeReader.Outcome) {
        state.withLock { $0.report.events[ending, default: 0] += 1 }
    }
}
