// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import SigningCodecs
internal import SigningCore
internal import SigningNetwork
internal import Synchronization

/// What a link tells its transport, on the thread of the sockets.
protocol RelayListener: Sendable {
    /// A relay has sent an event for one of the keys that it was asked for.
    func take(_ event: JSONObject, from relay: RelayAddress) -> LetterBox.Ending
    /// A relay has taken an event, or has not.
    func take(ok id: String, isAccepted: Bool, _ text: String, from relay: RelayAddress)
    /// A relay is there, and takes events.
    func isOpen(_ relay: RelayAddress)
    /// A login to the relay for each of some keys, as the id and the JSON of an event.
    func logins(_ keys: [String], to relay: RelayAddress, challenge: String) -> [(String, String)]
}

/// The one connection to a relay, which all clients share: opened again when it ends, with pauses
/// that grow, and subscribed to the keys of their connections.
final class RelayLink: Sendable {
    private struct State {
        /// The socket, while it is open.
        var socket: WebSocket?
        /// Whether it is open, or opens.
        var isBusy = false
        var since = ContinuousClock.now
        var next = ContinuousClock.now
        var failuresCount = 0
        /// Why we close it.
        var complaint: String?
        var problem: String?
        var isEnded = false
        /// The keys that letters are wanted for, in a fixed order.
        var wanted: [String] = []
        /// What was asked for, by the name of the subscription.
        var asked: [String: [String]] = [:]
        /// The subscriptions of which the relay has said that they stand.
        var standing: Set<String> = []
        var challenge: String?
        var loginsLeft = RelayLink.loginsMax
        /// The logins that the relay has not answered.
        var logins: Set<String> = []
        var report: RelayReport
    }

    let relay: RelayAddress
    private let loop: WebSocketLoop
    private let listener: any RelayListener
    private let now: @Sendable () -> Timestamp
    private let state: Mutex<State>

    private static let keysPerSubscription = 100
    private static let pauseSecondsMax = 300.0
    /// An opening that lasted so long was a good one.
    private static let goodSeconds: Int64 = 30
    /// The most logins signed while a connection lasts: a relay could ask without end.
    private static let loginsMax = 200

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

    var isOpen: Bool { state.withLock { $0.socket != nil } }
    var report: RelayReport {
        state.withLock { state in
            var report = state.report
            report.state = state.socket != nil ? .open : state.isBusy ? .opening : .waiting
            report.problem = state.socket == nil ? state.problem : nil
            return report
        }
    }

    /// Whether the relay has said that it sends what comes for a key.
    func isSubscribed(to key: String) -> Bool {
        state.withLock { state in
            state.standing.contains { state.asked[$0]?.contains(key) ?? false }
        }
    }

    /// Changes which keys letters are wanted for, and opens the connection where it is time to.
    func tend(wanting keys: [String]) {
        let (isChanged, isDue) = state.withLock { state -> (Bool, Bool) in
            let isChanged = state.wanted != keys
            state.wanted = keys
            guard !state.isBusy, !state.isEnded, .now >= state.next else {
                return (isChanged && state.socket != nil, false)
            }
            state.isBusy = true
            return (false, true)
        }
        if isDue { open() }
        if isChanged { subscribe() }
    }

    /// Sends a message, if the relay is there; false where it is not, or is too slow.
    @discardableResult
    func send(_ message: [UInt8]) -> Bool {
        guard let socket = state.withLock({ $0.socket }) else { return false }
        return loop.send(message, over: socket)
    }

    /// Ends it for good.
    func end() {
        let socket = state.withLock { state in
            state.isEnded = true
            return state.socket
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
                state.socket = socket
                state.since = .now
                state.asked = [:]
                state.standing = []
                state.challenge = nil
                state.loginsLeft = Self.loginsMax
                state.logins = []
                state.report.openedCount += 1
                return state.isEnded
            }
            guard !isEnded else { return loop.close(socket) }
            subscribe()
            listener.isOpen(relay)
        case .message(let bytes): if let message = RelayMessage(bytes) { take(message) }
        case .skipped: count(.excess)
        case .closed(let reason): close(because: reason)
        }
    }

    private func take(_ message: RelayMessage) {
        switch message {
        case .event(let subscription, let event):
            guard state.withLock({ $0.asked[subscription] != nil }) else {
                return count(.excess)
            }
            count(listener.take(event, from: relay))
        case .ok(let id, let isAccepted, let text): take(ok: id, isAccepted, text)
        case .endOfStored(let subscription):
            state.withLock { state in
                if state.asked[subscription] != nil { state.standing.insert(subscription) }
            }
        case .closed(let subscription, let text):
            let ended = state.withLock { state -> WebSocket? in
                state.standing.remove(subscription)
                return state.asked[subscription] == nil ? nil : state.socket
            }
            if RelayMessage.wantsLogin(text) { return logIn() }
            // It sends nothing more: a new connection asks again.
            guard let ended else { return }
            state.withLock { $0.complaint = "the relay ended a subscription" }
            loop.close(ended)
        case .challenge(let challenge): state.withLock { $0.challenge = challenge }
        }
    }

    private func take(ok id: String, _ isAccepted: Bool, _ text: String) {
        let wasLastLogin = state.withLock { state -> Bool? in
            guard state.logins.remove(id) != nil else { return nil }
            return state.logins.isEmpty
        }
        switch wasLastLogin {
        case true?:
            // What was refused before is asked for again.
            state.withLock { $0.asked = [:] }
            subscribe()
            listener.isOpen(relay)
        case false?: break
        case nil:
            if !isAccepted, RelayMessage.wantsLogin(text) { logIn() }
            listener.take(ok: id, isAccepted: isAccepted, text, from: relay)
        }
    }

    /// Logs in with the keys of the connections, as far as the relay may ask for it.
    private func logIn() {
        let due = state.withLock { state -> (String, [String])? in
            guard let challenge = state.challenge, state.logins.isEmpty else { return nil }
            let keys = Array(state.wanted.prefix(state.loginsLeft))
            state.loginsLeft -= keys.count
            return keys.isEmpty ? nil : (challenge, keys)
        }
        guard let (challenge, keys) = due else { return }
        let events = listener.logins(keys, to: relay, challenge: challenge)
        state.withLock { $0.logins.formUnion(events.map(\.0)) }
        for (_, event) in events { send(RelayMessage.logIn(event)) }
    }

    /// Asks for what is wanted and was not asked for.
    private func subscribe() {
        let since = now().seconds - LetterBox.ageSecondsMax
        // Sent under the lock: two that ask at once must not overtake each other.
        state.withLock { state in
            var asked: [String: [String]] = [:]
            let size = Self.keysPerSubscription
            for start in stride(from: 0, to: state.wanted.count, by: size) {
                let keys = Array(state.wanted[start..<min(start + size, state.wanted.count)])
                asked["letters\(start / size)"] = keys
            }
            var messages: [[UInt8]] = []
            for (name, keys) in asked where state.asked[name] != keys {
                messages.append(RelayMessage.subscribe(name, to: keys, since: since))
                state.standing.remove(name)
            }
            for name in state.asked.keys where asked[name] == nil {
                messages.append(RelayMessage.unsubscribe(name))
                state.standing.remove(name)
            }
            state.asked = asked
            guard let socket = state.socket else { return }
            for message in messages { _ = loop.send(message, over: socket) }
        }
    }

    private func close(because reason: String) {
        state.withLock { state in
            let wasGood = state.socket != nil && .now - state.since >= .seconds(Self.goodSeconds)
            state.failuresCount = wasGood ? 0 : min(state.failuresCount + 1, 16)
            state.problem = state.complaint ?? reason
            state.complaint = nil
            state.socket = nil
            state.isBusy = false
            state.asked = [:]
            state.standing = []
            // Half a second at first; not all signers come back in the same moment.
            let pause = min(Self.pauseSecondsMax, 0.5 * Double(1 << state.failuresCount) / 2)
            state.next = .now + .seconds(pause * Double.random(in: 0.75...1.25))
        }
    }

    private func count(_ ending: LetterBox.Ending) {
        state.withLock { $0.report.events[ending, default: 0] += 1 }
    }
}
