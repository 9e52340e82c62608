// SPDX-License-Identifier: Apache-2.0

internal import CWebSockets
internal import Dispatch
internal import SigningCodecs
internal import Synchronization

/// An error in starting a loop.
package enum WebSocketError: Error, Hashable, Sendable {
    /// The library libwebsockets is not installed.
    case missingLibrary
    /// libwebsockets could not start, for example because memory ran out.
    case unavailable
}

/// WebSockets that exchange text messages with servers, all on one thread.
///
/// The caller must refuse unencrypted addresses. Names are looked up on separate threads.
@safe package final class WebSocketLoop: @unchecked Sendable {
    // SAFETY: the library's loop is used only on the thread that runs it. Other threads only wake
    // the loop, which the library allows. They hold the lock of `state` meanwhile, so that the loop
    // still exists.
    private struct State {
        var loop: Place?
        var sockets: [UInt: WebSocket] = [:]
        var lastNumber: UInt = 0
        var opening: [UInt] = []
        var asking: Set<UInt> = []
        var isStopped = false
        var tunnelCount = 0
    }

    private let state = Mutex(State())
    private let lookups = DispatchQueue(label: "websocket names", attributes: .concurrent)

    /// Starts a loop, which runs until it is stopped.
    ///
    /// Servers prove their names with the system's certificates, or only with those of a PEM file.
    /// `patience` is the time in seconds for each step of opening a socket.
    package init(certificates: String? = nil, patience: UInt32 = 20) throws(WebSocketError) {
        guard cws_is_ready() else { throw .missingLibrary }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        guard let loop = unsafe cws_make(context, Self.receiver, certificates, patience) else {
            throw .unavailable
        }
        let place = unsafe Place(loop)
        state.withLock { $0.loop = place }
        // The thread retains this object until it ends.
        DispatchQueue(label: "websockets").async { self.run(place) }
    }

    /// A pointer that is passed to the thread of the loop.
    @safe private struct Place: @unchecked Sendable {
        // SAFETY: the pointer is passed to the loop's thread once, before any other use.
        let loop: OpaquePointer
        init(_ loop: OpaquePointer) { unsafe self.loop = loop }
    }

    /// Starts to open a socket; `receive` gets its events, and its end exactly once.
    ///
    /// The name of a server behind a proxy is resolved by the proxy alone. Without a proxy, a
    /// `.onion` name ends the socket.
    package func open(
        _ address: WebSocketAddress, through proxy: SOCKSProxy? = nil,
        _ receive: @escaping @Sendable (WebSocket, WebSocket.Event) -> Void
    ) {
        let socket = WebSocket(address, receive)
        let number: UInt? = state.withLock { state in
            guard !state.isStopped else { return nil }
            state.lastNumber += 1
            state.sockets[state.lastNumber] = socket
            return state.lastNumber
        }
        guard let number else { return socket.deliver(.closed(Self.end)) }
        if let proxy { return openTunnel(for: socket, number, through: proxy) }
        guard !HostName.isOnion(address.host) else { return forget(number, Self.needsProxy) }
        // A slow resolver must not delay other sockets.
        lookups.async { [weak self] in
            socket.keep(places: HostPlaces.found(for: address.host))
            self?.goOn(opening: number)
        }
    }

    /// Opens a tunnel, and then the socket at the tunnel's local port.
    private func openTunnel(for socket: WebSocket, _ number: UInt, through proxy: SOCKSProxy) {
        let hasPlace = state.withLock { state in
            guard state.tunnelCount < Self.tunnelsMax else { return false }
            state.tunnelCount += 1
            return true
        }
        guard hasPlace else { return forget(number, "too many relays use the proxy") }
        // A serial queue has a thread of its own, which the tunnel uses until its end.
        DispatchQueue(label: "websocket tunnel").async { [self] in
            defer { state.withLock { $0.tunnelCount -= 1 } }
            do throws(TunnelError) {
                let tunnel = try ProxyTunnel(
                    to: socket.address.host, socket.address.port, through: proxy)
                socket.keep(places: [ProxyTunnel.place], port: tunnel.port)
                goOn(opening: number)
                tunnel.run()
            } catch {
                forget(number, error.text)
            }
        }
    }

    private func goOn(opening number: UInt) {
        state.withLock { state in
            guard state.sockets[number] != nil else { return }
            state.opening.append(number)
            Self.wake(state.loop)
        }
    }

    /// Sends a message; false if too much waits already, or the socket is ending.
    package func send(_ message: [UInt8], over socket: WebSocket) -> Bool {
        guard socket.put(message) else { return false }
        ask(socket)
        return true
    }

    /// Closes a socket.
    package func close(_ socket: WebSocket) {
        socket.markClosing()
        ask(socket)
    }

    /// Closes all sockets.
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
        for socket in left { socket.deliver(.closed(Self.end)) }
    }

    private static let end = "the program is ending"
    private static let needsProxy = "only a proxy of Tor reaches .onion relays, and none is set"
    /// The maximum number of sockets behind a proxy, each of which has a thread.
    private static let tunnelsMax = 64

    private static var receiver: cws_receiver {
        { context, number, event, bytes, count, isLast in
            guard let context = unsafe context else { return false }
            let own = unsafe Unmanaged<WebSocketLoop>.fromOpaque(context).takeUnretainedValue()
            let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
            return unsafe own.take(event, number, piece, isLast: isLast)
        }
    }

    /// Handles data on the loop's thread; false ends the socket.
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
            socket.deliver(.opened)
            if socket.hasOutgoing { ask(socket) }
        case CWS_PIECE:
            if let whole = unsafe socket.take(bytes, isLast: isLast) { socket.deliver(whole) }
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

    /// Tries the next address of the host after a failure, or ends the socket.
    ///
    /// The library may report one failure twice.
    private func fail(_ number: UInt, _ reason: String) {
        let (socket, isWaiting) = state.withLock {
            ($0.sockets[number], $0.opening.contains(number))
        }
        guard let socket, !isWaiting else { return }
        if socket.hasPlace { goOn(opening: number) } else { forget(number, reason) }
    }

    private func forget(_ number: UInt, _ reason: String) {
        let socket = state.withLock { $0.sockets.removeValue(forKey: number) }
        socket?.deliver(.closed(reason))
    }

    /// Performs the requests of other threads.
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
                forget(number, socket.isClosing ? Self.end : "its host name has no address")
                continue
            }
            let address = socket.address
            let shown = address.host.contains(":") ? "[\(address.host)]" : address.host
            let isOpening = unsafe cws_open(
                place.loop, number, host, CInt(socket.port), address.path,
                "\(shown):\(address.port)", address.headers, address.isEncrypted)
            if !isOpening { fail(number, "it cannot be opened") }
        }
        for number in asking where state.withLock({ $0.sockets[number]?.isOpen }) == true {
            unsafe cws_ask(place.loop, number)
        }
    }
}
