// SPDX-License-Identifier: Apache-2.0

internal import CWebSockets
internal import Dispatch
internal import Synchronization

/// Why there is no loop.
package enum WebSocketError: Error, Hashable, Sendable {
    /// The library is not installed.
    case missingLibrary
    /// It does not start.
    case unavailable
}

/// Sockets that exchange messages of text with servers, all on one thread.
///
/// Unencrypted ones are the caller's to refuse. Names are looked up on threads of their own.
@safe package final class WebSocketLoop: @unchecked Sendable {
    // SAFETY: The library's loop belongs to the one thread that runs it; others only wake it,
    // which it allows, and under the lock that tells whether it is still there.
    private struct State {
        var loop: Place?
        var sockets: [UInt: WebSocket] = [:]
        var lastNumber: UInt = 0
        var opening: [UInt] = []
        var asking: Set<UInt> = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let lookups = DispatchQueue(label: "websocket names", attributes: .concurrent)

    /// Starts a loop; it runs until it is stopped.
    ///
    /// Servers prove their names by the system's certificates, or by those of a file of PEM alone.
    ///
    /// A server has so many seconds for each step until a socket is open.
    package init(certificates: String? = nil, patience: UInt32 = 20) throws(WebSocketError) {
        guard cws_is_ready() else { throw .missingLibrary }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        guard let loop = unsafe cws_make(context, Self.receiver, certificates, patience) else {
            throw .unavailable
        }
        let place = unsafe Place(loop)
        state.withLock { $0.loop = place }
        // The thread keeps this alive until it ends.
        DispatchQueue(label: "websockets").async { self.run(place) }
    }

    /// A pointer on its way to the thread that it belongs to.
    @safe private struct Place: @unchecked Sendable {
        // SAFETY: Handed over once, before anybody else has it.
        let loop: OpaquePointer
        init(_ loop: OpaquePointer) { unsafe self.loop = loop }
    }

    /// Begins to open a socket; `receive` is told how it goes, and that it ended exactly once.
    package func open(
        _ address: WebSocketAddress,
        _ receive: @escaping @Sendable (WebSocket, WebSocket.Event) -> Void
    ) {
        let socket = WebSocket(address, receive)
        let number: UInt? = state.withLock { state in
            guard !state.isStopped else { return nil }
            state.lastNumber += 1
            state.sockets[state.lastNumber] = socket
            return state.lastNumber
        }
        guard let number else { return socket.tell(.closed(Self.end)) }
        // A resolver that does not answer holds up nobody else.
        lookups.async { [weak self] in
            socket.keep(places: HostPlaces.found(for: address.host))
            self?.goOn(opening: number)
        }
    }

    private func goOn(opening number: UInt) {
        state.withLock { state in
            guard state.sockets[number] != nil else { return }
            state.opening.append(number)
            Self.wake(state.loop)
        }
    }

    /// Sends a message; false where too much waits already, or the socket ends.
    package func send(_ message: [UInt8], over socket: WebSocket) -> Bool {
        guard socket.put(message) else { return false }
        ask(socket)
        return true
    }

    /// Ends a socket.
    package func close(_ socket: WebSocket) {
        socket.markClosing()
        ask(socket)
    }

    /// Ends all of them.
    package func stop() {
        state.withLock { state in
            state.isStopped = true
            Self.wake(state.loop)
        }
    }

    private func ask(_ socket: WebSocket) {
        state.withLock { state in
            guard let number = state.sockets.first(where: { $0.value === socket })?.key else {
                return
            }
            state.asking.insert(number)
            Self.wake(state.loop)
        }
    }

    private static func wake(_ place: Place?) {
        if let place { unsafe cws_wake(place.loop) }
    }

    private func run(_ place: Place) {
        while !state.withLock({ $0.isStopped }), unsafe cws_run(place.loop) {}
        state.withLock { state in
            state.isStopped = true
            state.loop = nil
        }
        unsafe cws_free(place.loop)
        let left = state.withLock { state in
            defer { state.sockets = [:] }
            return Array(state.sockets.values)
        }
        for socket in left { socket.tell(.closed(Self.end)) }
    }

    private static let end = "the program ends"

    private static var receiver: cws_receiver {
        { context, number, event, bytes, count, isLast in
            guard let context = unsafe context else { return false }
            let own = unsafe Unmanaged<WebSocketLoop>.fromOpaque(context).takeUnretainedValue()
            let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
            return unsafe own.take(event, number, piece, isLast: isLast)
        }
    }

    /// On the loop's thread; false ends the socket.
    private func take(
        _ event: cws_event, _ number: UInt, _ bytes: UnsafeRawBufferPointer, isLast: Bool
    ) -> Bool {
        guard event != CWS_WOKEN else {
            carryOut()
            return true
        }
        guard let socket = state.withLock({ $0.sockets[number] }) else { return false }
        switch event {
        case CWS_OPENED:
            socket.markOpen()
            socket.tell(.opened)
            if socket.hasOutgoing { ask(socket) }
        case CWS_PIECE:
            if let whole = unsafe socket.take(bytes, isLast: isLast) { socket.tell(whole) }
        case CWS_WRITABLE:
            if let message = socket.takeOutgoing(), !send(message) { return false }
            if socket.hasOutgoing { ask(socket) }
        default:
            fail(number, unsafe String(decoding: bytes, as: UTF8.self).visible)
            return true
        }
        return !socket.isClosing
    }

    private func send(_ message: [UInt8]) -> Bool {
        guard let place = state.withLock({ $0.loop }) else { return false }
        return unsafe message.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe cws_send(place.loop, start, bytes.count)
        }
    }

    /// Where a host has several places, one that refuses is not the last word; the library may tell
    /// of one failure twice.
    private func fail(_ number: UInt, _ reason: String) {
        let (socket, isWaiting) = state.withLock {
            ($0.sockets[number], $0.opening.contains(number))
        }
        guard let socket, !isWaiting else { return }
        if socket.hasPlace { goOn(opening: number) } else { forget(number, reason) }
    }

    private func forget(_ number: UInt, _ reason: String) {
        let socket = state.withLock { $0.sockets.removeValue(forKey: number) }
        socket?.tell(.closed(reason))
    }

    /// Does what other threads asked for meanwhile.
    private func carryOut() {
        let (place, opening, asking) = state.withLock { state in
            defer {
                state.opening = []
                state.asking = []
            }
            return (state.loop, state.opening, state.asking)
        }
        guard let place else { return }
        for number in opening {
            guard let socket = state.withLock({ $0.sockets[number] }) else { continue }
            guard let host = socket.takePlace() else {
                forget(number, socket.isClosing ? Self.end : "its name leads nowhere")
                continue
            }
            let address = socket.address
            let shown = address.host.contains(":") ? "[\(address.host)]" : address.host
            let isOpening = unsafe cws_open(
                place.loop, number, host, CInt(address.port), address.path,
                "\(shown):\(address.port)", address.headers, address.isEncrypted)
            if !isOpening { fail(number, "it cannot be opened") }
        }
        for number in asking where state.withLock({ $0.sockets[number]?.isOpen }) == true {
            unsafe cws_ask(place.loop, number)
        }
    }
}
