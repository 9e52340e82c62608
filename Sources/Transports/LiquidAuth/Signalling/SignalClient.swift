// SPDX-License-Identifier: Apache-2.0

public import SigningCodecs
internal import SigningNetwork
internal import Synchronization

/// Exchanges signals over a Liquid Auth server, in the session of the login.
///
/// It uses Socket.IO 4 on a WebSocket, which is opened again after it ends, with growing pauses.
/// This is the side of the wallet: signals of the wallet that the server sends back are dropped.
public final class SignalClient: Signalling {
    private struct State {
        var socket: WebSocket?
        /// True if the server has accepted the connection.
        var isReady = false
        var isEnded = false
        var waiting: [[UInt8]] = []
        var failuresCount = 0
        var refusalsCount = 0
        var since = ContinuousClock.now
        var lastActivity = ContinuousClock.now
        var patience = SignalClient.patienceDefault
        var nonsenseLeft = SignalClient.nonsenseMax
        var problem: String?
        /// The task that opens the socket after a pause, or checks if the server is alive.
        var task: Task<Void, Never>?
    }

    private static let patienceDefault = Duration.seconds(30)
    private static let patienceMillisecondsMax: Int64 = 300_000
    /// The maximum number of signals that wait for a connection.
    private static let waitingMax = Signal.candidatesMax + 8
    /// The maximum number of unknown messages in one connection.
    private static let nonsenseMax = 256
    /// The number of refusals after which the client gives up.
    private static let refusalsMax = 3
    private static let pauseSecondsMax = 30.0
    /// The time after which a connection counts as successful.
    private static let goodTime = Duration.seconds(30)

    private let loop: WebSocketLoop
    private let address: WebSocketAddress
    private let link: [UInt8]?
    private let queue = SignalQueue()
    private let state = Mutex(State())

    /// Begins to connect to the server at an origin: `https`, or `http` if the caller allows it.
    ///
    /// The cookie is that of the login's session, `name=value` as received. Each new connection
    /// names the request to the server: a server version of 2026 requires this. Certificates are
    /// those of the system, or only those of a PEM file.
    public init(
        at origin: WebOrigin, for requestID: String? = nil, cookie: String, userAgent: String,
        certificates: String? = nil
    ) throws(SignallingError) {
        guard origin.isPage,
            let address = WebSocketAddress(
                host: origin.host.text.filter { $0 != "[" && $0 != "]" },
                port: origin.port ?? (origin.scheme == "https" ? 443 : 80),
                path: SignallingPacket.path, isEncrypted: origin.scheme == "https",
                headers: [("Cookie", cookie), ("User-Agent", userAgent)])
        else { throw .refused("the origin or cookie is malformed") }
        self.address = address
        link = requestID.map { SignallingPacket.event("link", ["requestId": .string($0)]) }
        do throws(WebSocketError) {
            loop = try WebSocketLoop(certificates: certificates)
        } catch {
            throw error == .missingLibrary ? .missingLibrary : .closed
        }
        open()
    }

    deinit {
        state.withLock { $0.task?.cancel() }
        loop.stop()
    }

    /// The reason that there is no connection now, if known; nil while there is one.
    public var problem: String? { state.withLock { $0.isReady ? nil : $0.problem } }

    /// Sends a signal; without a connection, it is queued for the next one.
    public func send(_ signal: Signal) async throws(SignallingError) {
        guard !signal.isTooLong else { throw .tooLong }
        let message = signal.message
        let (socket, problem) = state.withLock { state -> (WebSocket?, SignallingError?) in
            guard !state.isEnded else { return (nil, .closed) }
            if state.isReady, let socket = state.socket { return (socket, nil) }
            guard state.waiting.count < Self.waitingMax else { return (nil, .busy) }
            state.waiting.append(message)
            return (nil, nil)
        }
        if let problem { throw problem }
        if let socket, !loop.send(message, over: socket) { throw .busy }
    }

    /// Returns the next signal of the page; nil after the end.
    public func next() async throws(SignallingError) -> Signal? { try await queue.next() }

    /// Disconnects from the server and ends all waits for a signal.
    public func close() async { end(nil) }

    private func end(_ error: SignallingError?) {
        let (socket, task) = state.withLock { state in
            state.isEnded = true
            state.isReady = false
            defer { state.task = nil }
            return (state.socket, state.task)
        }
        task?.cancel()
        queue.end(error)
        guard let socket else { return loop.stop() }
        // The end of the socket, which follows soon, stops the loop.
        _ = loop.send(SignallingPacket.disconnect, over: socket)
        loop.close(socket)
    }

    private func open() {
        loop.open(address) { [weak self] socket, event in self?.take(event, of: socket) }
    }

    /// Handles an event on the thread of the loop.
    private func take(_ event: WebSocket.Event, of socket: WebSocket) {
        switch event {
        case .opened:
            let isEnded = state.withLock { state in
                state.socket = socket
                state.isReady = false
                state.since = .now
                state.lastActivity = .now
                state.patience = Self.patienceDefault
                state.nonsenseLeft = Self.nonsenseMax
                return state.isEnded
            }
            if isEnded { loop.close(socket) } else { watch(socket) }
        case .message(let bytes):
            state.withLock { $0.lastActivity = .now }
            if let packet = SignallingPacket(bytes) {
                take(packet, of: socket)
            } else {
                pass(over: socket)
            }
        case .skipped: pass(over: socket)
        case .closed(let reason): closed(reason)
        }
    }

    private func take(_ packet: SignallingPacket, of socket: WebSocket) {
        switch packet {
        case .opened(let ping, let patience):
            let most = Self.patienceMillisecondsMax
            let sum = min(ping, most) + min(patience, most)
            state.withLock { $0.patience = .milliseconds(min(sum, most)) }
            watch(socket)
            _ = loop.send(SignallingPacket.connect, over: socket)
        case .ping(let text): _ = loop.send(SignallingPacket.pong(text), over: socket)
        case .connected: connected(socket)
        case .closing, .disconnected: drop(socket, because: "the server ended the connection")
        case .refused(let text):
            let reason = text.isEmpty ? "the server gave no reason" : text.visible
            let isLast = state.withLock { state in
                state.refusalsCount += 1
                return state.refusalsCount >= Self.refusalsMax
            }
            if isLast { end(.refused(reason)) } else { drop(socket, because: reason) }
        case .event(let name, let argument, let ack):
            if let ack { _ = loop.send(SignallingPacket.taken(ack), over: socket) }
            if name == "exception", argument["event"]?.text == "link-error" {
                return end(.refused((argument["reason"]?.text ?? "no reason").visible))
            }
            guard let signal = Signal(event: name, argument) else { return pass(over: socket) }
            if !signal.isOffering { queue.put(signal) }
        case .other: break
        }
    }

    /// Sends the queued signals in order, before any new ones.
    private func connected(_ socket: WebSocket) {
        state.withLock { state in
            guard !state.isEnded else { return }
            state.refusalsCount = 0
            state.problem = nil
            state.isReady = true
            if let link { _ = loop.send(link, over: socket) }
            for message in state.waiting { _ = loop.send(message, over: socket) }
            state.waiting = []
        }
    }

    /// Ignores an unknown message; closes the socket after too many.
    private func pass(over socket: WebSocket) {
        let isEnough = state.withLock { state in
            state.nonsenseLeft -= 1
            return state.nonsenseLeft < 0
        }
        if isEnough { drop(socket, because: "the server sent a message of an unknown form") }
    }

    private func drop(_ socket: WebSocket, because reason: String) {
        state.withLock { state in
            state.isReady = false
            state.problem = reason
        }
        loop.close(socket)
    }

    private func closed(_ reason: String) {
        let pause = state.withLock { state -> Double? in
            let wasGood = state.socket != nil && .now - state.since >= Self.goodTime
            state.failuresCount = wasGood ? 1 : min(state.failuresCount + 1, 16)
            // A reason that this side set is more specific than that of the socket.
            if state.socket == nil || state.isReady || state.problem == nil {
                state.problem = reason
            }
            state.socket = nil
            state.isReady = false
            state.task?.cancel()
            state.task = nil
            guard !state.isEnded else { return nil }
            let pause = min(Self.pauseSecondsMax, 0.25 * Double(1 << state.failuresCount))
            return pause * Double.random(in: 0.75...1.25)
        }
        guard let pause else { return loop.stop() }
        keep(
            Task { [weak self] in
                guard (try? await Task.sleep(for: .seconds(pause))) != nil else { return }
                self?.open()
            })
    }

    /// Closes the socket if the server sends no more pings.
    private func watch(_ socket: WebSocket) {
        keep(
            Task { [weak self] in
                while let rest = self?.patienceLeft {
                    guard rest > .zero else {
                        self?.drop(socket, because: "the server no longer answers")
                        return
                    }
                    guard (try? await Task.sleep(for: rest)) != nil else { return }
                }
            })
    }

    private var patienceLeft: Duration {
        state.withLock { $0.patience - (.now - $0.lastActivity) }
    }

    private func keep(_ task: Task<Void, Never>) {
        let isEnded = state.withLock { state in
            guard !state.isEnded else { return true }
            state.task?.cancel()
            state.task = task
            return false
        }
        if isEnded { task.cancel() }
    }
}
