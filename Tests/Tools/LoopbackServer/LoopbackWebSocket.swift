// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A WebSocket server on a free local port, for one test; a script of the test runs on a thread per
/// connection.
package final class LoopbackWebSocket: Sendable {
    /// An accepted connection.
    package struct Connection: Sendable {
        fileprivate let socket: Int32
        /// The opening request with its headers.
        package let head: String
        /// The index of the connection at the server, from 0.
        package let number: Int

        /// The next message; nil at the end of the connection.
        package func receive() -> String? {
            WebSocketFrames.message(from: socket).map { String(decoding: $0, as: UTF8.self) }
        }

        package func send(_ text: String) {
            LoopbackSocket.write(WebSocketFrames.frame(Array(text.utf8)), to: socket)
        }
    }

    package let port: Int
    private let listener: Int32

    /// Creates the server; a connection ends with its script.
    package init(_ script: @escaping @Sendable (Connection) -> Void) throws {
        let (listener, port) = try LoopbackSocket.bound()
        guard listen(listener, 16) == 0 else { throw LoopbackServer.Failure() }
        self.listener = listener
        self.port = Int(port)
        Thread {
            var count = 0
            while true {
                let socket = accept(listener, nil, nil)
                if socket < 0, errno == EINTR || errno == ECONNABORTED { continue }
                guard socket >= 0 else { break }
                let number = count
                count += 1
                Thread {
                    if let head = Self.open(socket) {
                        script(Connection(socket: socket, head: head, number: number))
                    }
                    LoopbackSocket.write(WebSocketFrames.frame([], opcode: 8), to: socket)
                    _ = shutdown(socket, Int32(SHUT_RDWR))
                    close(socket)
                }.start()
            }
            close(listener)
        }.start()
    }

    // Ends the blocking accept of the thread.
    deinit { _ = shutdown(listener, Int32(SHUT_RDWR)) }

    /// Answers an opening request for a WebSocket; nil if it is another request.
    static func open(_ socket: Int32) -> String? {
        guard let request = LoopbackSocket.readRequest(socket),
            let key = request.head.split(separator: "\r\n").first(where: {
                $0.lowercased().hasPrefix("sec-websocket-key:")
            })?.split(separator: " ").last
        else { return nil }
        let answer = WebSocketFrames.acceptance(of: String(key))
        LoopbackSocket.write(
            Array(
                ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                    + "Connection: Upgrade\r\nSec-WebSocket-Accept: \(answer)\r\n\r\n").utf8),
            to: socket)
        return request.head
    }
}
