// SPDX-License-Identifier: Apache-2.0

import LoopbackServer
import SigningNetwork
import Synchronization
import Testing

@Suite("WebSockets")
struct WebSocketTests {
    /// The outcome of an attempt to open a socket.
    private func ending(
        _ host: String = "127.0.0.1", port: Int, isEncrypted: Bool = false, patience: UInt32 = 20
    ) async throws -> String {
        let loop = try WebSocketLoop(patience: patience)
        defer { loop.stop() }
        let address = WebSocketAddress(
            host: host, port: port, path: "/", isEncrypted: isEncrypted)
        return await withCheckedContinuation { continuation in
            loop.open(address) { _, event in
                switch event {
                case .opened, .message, .skipped: break
                case .closed(let text): continuation.resume(returning: text)
                }
            }
        }
    }

    @Test("a closed port is reported once")
    func nobody() async throws {
        #expect(try await ending(port: 9).isEmpty == false)
        #expect(try await ending(port: 9, isEncrypted: true).isEmpty == false)
    }

    @Test(
        "a name that leads nowhere ends it, and one that leads to several places after all of them")
    func names() async throws {
        #expect(try await ending("nowhere.invalid", port: 9) == "its host name has no address")
        #expect(try await ending("localhost", port: 9).isEmpty == false)
    }

    @Test("it goes to the given address and nowhere else", arguments: [301, 302, 303, 307, 308])
    func redirected(status: Int) async throws {
        let target = try LoopbackServer { _ in .close }
        let place = "ws://127.0.0.1:\(target.port)/"
        let server = try LoopbackServer { _ in
            .answer(status: status, headers: ["Location: \(place)"], body: [])
        }
        #expect(try await ending(port: Int(server.port)).isEmpty == false)
        #expect(server.connectionCount == 1 && target.connectionCount == 0)
    }

    @Test("a server that accepts the connection and stays silent is reported as such")
    func silent() async throws {
        let server = try LoopbackServer { _ in .stall([]) }
        let port = Int(server.port)
        #expect(try await ending(port: port, patience: 1) == "the server does not answer")
        #expect(try await ending(port: port, isEncrypted: true, patience: 1).isEmpty == false)
        #expect(server.connectionCount == 2)
    }

    @Test("after the end of its loop nothing opens")
    func stopped() async throws {
        let loop = try WebSocketLoop()
        loop.stop()
        let reasons = Mutex<[String]>([])
        let address = WebSocketAddress(host: "127.0.0.1", port: 9, path: "/", isEncrypted: false)
        for _ in 0..<3 {
            loop.open(address) { _, event in
                if case .closed(let text) = event { reasons.withLock { $0.append(text) } }
            }
        }
        #expect(reasons.withLock { $0 } == [String](repeating: "the program is ending", count: 3))
    }
}
