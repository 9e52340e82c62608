// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The address of a WebSocket.
package struct WebSocketAddress: Hashable, Sendable {
    /// A host name, or an IP address without brackets.
    package let host: String
    package let port: Int
    /// The path and the query, beginning with a slash.
    package let path: String
    /// True if the server must prove its name with a certificate.
    package let isEncrypted: Bool
    /// Additional headers of the request, as lines of HTTP with their ends.
    let headers: String

    /// Creates an address.
    ///
    /// A header has a name and a value without control characters, at most `headerBytesMax` in
    /// total.
    package init?(
        host: String, port: Int, path: String, isEncrypted: Bool,
        headers: [(name: String, value: String)]
    ) {
        let isPlain = headers.allSatisfy { header in
            !header.name.isEmpty && header.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
                && header.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
        let lines = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        guard isPlain, lines.utf8.count <= Self.headerBytesMax else { return nil }
        self.host = host
        self.port = port
        self.path = path
        self.isEncrypted = isEncrypted
        self.headers = lines
    }

    package init(host: String, port: Int, path: String, isEncrypted: Bool) {
        self.host = host
        self.port = port
        self.path = path
        self.isEncrypted = isEncrypted
        headers = ""
    }

    /// The most bytes of headers; the library has 4 KiB for a request.
    private static let headerBytesMax = 2 << 10
}

/// One connection to a server, from the attempt to open it to its end; it cannot be opened again.
package final class WebSocket: Sendable {
    /// An event of the connection, reported on the thread of its loop.
    package enum Event: Sendable {
        case opened
        /// A complete message arrived.
        case message([UInt8])
        /// A message exceeded the limit and was discarded.
        case skipped
        /// The connection could not be opened, or has ended; with the reason, if it is known.
        case closed(String)
    }

    private struct State {
        var outgoing: [[UInt8]] = []
        var outgoingBytes = 0
        var incoming: [UInt8] = []
        var isSkipping = false
        var isOpen = false
        var isClosing = false
        /// The addresses of its host that were not tried yet.
        var places: [String] = []
        /// The port at these addresses; nil for that of the server.
        var port: UInt16?
    }

    /// The longest received message, in bytes.
    package static let messageBytesMax = 2 << 20
    /// The most bytes that wait to be sent: more than one message, but bounded.
    package static let outgoingBytesMax = 8 << 20
    package static let outgoingMax = 1_024

    let address: WebSocketAddress
    private let receiver: @Sendable (WebSocket, Event) -> Void
    private let state = Mutex(State())

    init(
        _ address: WebSocketAddress, _ receiver: @escaping @Sendable (WebSocket, Event) -> Void
    ) {
        self.address = address
        self.receiver = receiver
    }

    func deliver(_ event: Event) { receiver(self, event) }

    /// Sets the addresses to try, and their port if it is not that of the server.
    func keep(places: [String], port: UInt16? = nil) {
        state.withLock { state in
            state.places = places
            state.port = port
        }
    }

    /// The port to connect to.
    var port: Int { state.withLock { $0.port.map(Int.init) } ?? address.port }

    /// The next address to try; nil if all were tried, or if the connection was open.
    func takePlace() -> String? {
        state.withLock { state in
            guard !state.isOpen, !state.isClosing, !state.places.isEmpty else { return nil }
            return state.places.removeFirst()
        }
    }

    var hasPlace: Bool {
        state.withLock { !$0.isOpen && !$0.isClosing && !$0.places.isEmpty }
    }

    var isClosing: Bool { state.withLock { $0.isClosing } }
    var hasOutgoing: Bool { state.withLock { !$0.outgoing.isEmpty } }

    /// Queues a message to send; false if too much waits already.
    func put(_ message: [UInt8]) -> Bool {
        state.withLock { state in
            guard !state.isClosing, state.outgoing.count < Self.outgoingMax,
                state.outgoingBytes + message.count <= Self.outgoingBytesMax
            else { return false }
            state.outgoing.append(message)
            state.outgoingBytes += message.count
            return true
        }
    }

    func takeOutgoing() -> [UInt8]? {
        state.withLock { state in
            guard !state.outgoing.isEmpty else { return nil }
            let message = state.outgoing.removeFirst()
            state.outgoingBytes -= message.count
            return message
        }
    }

    /// True if the connection is open, so that messages can be written.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    func markOpen() { state.withLock { $0.isOpen = true } }
    func markClosing() { state.withLock { $0.isClosing = true } }

    /// Adds a piece of a message; a message that is too long is skipped to its end.
    func take(_ piece: UnsafeRawBufferPointer, isLast: Bool) -> Event? {
        state.withLock { state in
            if !state.isSkipping {
                if state.incoming.count + piece.count > Self.messageBytesMax {
                    state.isSkipping = true
                    state.incoming = []
                } else {
                    unsafe state.incoming.append(contentsOf: piece)
                }
            }
            guard isLast else { return nil }
            defer {
                state.incoming = []
                state.isSkipping = false
            }
            return state.isSkipping ? .skipped : .message(state.incoming)
        }
    }
}
