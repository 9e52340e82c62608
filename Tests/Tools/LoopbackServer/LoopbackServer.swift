// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A server on a free local port with a separate thread, for one test.
package final class LoopbackServer: Sendable {
    package struct Request: Sendable {
        package let head: String
        package let body: [UInt8]
        /// The method and the path of the request.
        package var line: String { String(head.prefix { $0 != "\r\n" }) }
    }

    package enum Reply: Sendable {
        case answer(status: Int, headers: [String] = [], body: [UInt8])
        /// Sends exactly these bytes, then closes the connection.
        case raw([UInt8])
        /// Sends these bytes, then nothing until the end of the test.
        case stall([UInt8])
        /// Sends these bytes one by one with pauses, until the other side closes.
        case drip([UInt8])
        /// Closes the connection.
        case close
        /// Resets the connection, which the other side sees as an error.
        case reset
    }

    package struct Failure: Error {}

    package let port: UInt16
    private let listener: Int32
    private let log: Log

    private final class Log: Sendable {
        let requests = Mutex<[Request]>([])
        let connections = Mutex(0)
    }

    package var requests: [Request] { log.requests.withLock { $0 } }
    package var connectionCount: Int { log.connections.withLock { $0 } }
    package var url: String { "http://127.0.0.1:\(port)/" }

    package init(_ reply: @escaping @Sendable (Request) -> Reply) throws {
        let (listener, port) = try LoopbackSocket.bound()
        guard listen(listener, 16) == 0 else { throw Failure() }
        self.listener = listener
        self.port = port
        let log = Log()
        self.log = log
        // The thread must not retain the server, or it would never be released.
        Thread { Self.serve(listener, log, reply) }.start()
    }

    // Ends the blocking accept of the thread, which then closes everything.
    deinit { _ = shutdown(listener, Int32(SHUT_RDWR)) }

    private static func serve(
        _ listener: Int32, _ log: Log, _ reply: @Sendable (Request) -> Reply
    ) {
        var stalled: [Int32] = []
        while true {
            let connection = accept(listener, nil, nil)
            if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
            guard connection >= 0 else { break }
            log.connections.withLock { $0 += 1 }
            guard let request = LoopbackSocket.readRequest(connection) else {
                close(connection)
                continue
            }
            log.requests.withLock { $0.append(request) }
            switch reply(request) {
            case .answer(let status, let headers, let body):
                LoopbackSocket.write(head(status, headers, body.count) + body, to: connection)
            case .raw(let bytes): LoopbackSocket.write(bytes, to: connection)
            case .stall(let bytes):
                LoopbackSocket.write(bytes, to: connection)
                stalled.append(connection)
                continue
            case .drip(let bytes):
                Thread { drip(bytes, to: connection) }.start()
                continue
            case .close: break
            case .reset: LoopbackSocket.makeAbrupt(connection)
            }
            close(connection)
        }
        for connection in stalled { close(connection) }
        close(listener)
    }

    private static func drip(_ bytes: [UInt8], to connection: Int32) {
        for byte in bytes {
            guard LoopbackSocket.write([byte], to: connection) else { break }
            Thread.sleep(forTimeInterval: 0.05)
        }
        close(connection)
    }

    package static func head(_ status: Int, _ headers: [String], _ count: Int) -> [UInt8] {
        let lines =
            ["HTTP/1.1 \(status) Status", "Content-Length: \(count)", "Connection: close"]
            + headers
        return [UInt8]((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}
