// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LoopbackServer
import Synchronization
import Testing

@testable import SigningNetwork

/// A SOCKS5 proxy that resolves every name to one port of this machine, or answers as a test says.
private final class SmallProxy: Sendable {
    /// The behaviour after the connection of a client.
    enum Manner: Sendable {
        /// Connects to this port.
        case reaches(UInt16)
        /// Sends these bytes after each message of the client, then closes.
        case answers([[UInt8]])
        /// Stays silent.
        case silent
    }

    let port: UInt16
    private let listener: Int32
    private let log = Log()

    private final class Log: Sendable {
        let seen = Mutex<[[UInt8]]>([])
    }

    /// The messages of the clients.
    var messages: [[UInt8]] { log.seen.withLock { $0 } }
    var address: SOCKSProxy { SOCKSProxy(host: "127.0.0.1", port: port) }

    init(_ manner: Manner) throws {
        let (listener, port) = try LoopbackSocket.bound()
        try #require(listen(listener, 16) == 0)
        self.listener = listener
        self.port = port
        let log = log
        Thread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                Thread {
                    Self.serve(client, manner) { message in
                        log.seen.withLock { $0.append(message) }
                    }
                }.start()
            }
            close(listener)
        }.start()
    }

    deinit { _ = shutdown(listener, Int32(SHUT_RDWR)) }

    private static func serve(
        _ client: Int32, _ manner: Manner, _ take: @Sendable ([UInt8]) -> Void
    ) {
        defer { close(client) }
        switch manner {
        case .silent: while let message = read(client) { take(message) }
        case .answers(let replies):
            for reply in replies {
                guard let message = read(client) else { return }
                take(message)
                LoopbackSocket.write(reply, to: client)
            }
        case .reaches(let port):
            for reply: [UInt8] in [[5, 0], [5, 0, 0, 3, 1, 0x61, 0, 80]] {
                guard let message = read(client) else { return }
                take(message)
                LoopbackSocket.write(reply, to: client)
            }
            guard let server = connected(to: port) else { return }
            defer { close(server) }
            Thread {
                while let piece = read(server), LoopbackSocket.write(piece, to: client) {}
                _ = shutdown(client, Int32(SHUT_RDWR))
            }.start()
            while let piece = read(client), LoopbackSocket.write(piece, to: server) {}
            _ = shutdown(server, Int32(SHUT_RDWR))
        }
    }

    private static func read(_ socket: Int32) -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe recv(socket, &piece, piece.count, 0)
        return count > 0 ? Array(piece[..<count]) : nil
    }

    private static func connected(to port: UInt16) -> Int32? {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(server, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return code == 0 ? server : nil
    }
}

@Suite("Relays behind a SOCKS5 proxy")
struct ProxyTests {
    private static let onion = String(repeating: "a", count: 55) + "d.onion"

    /// The events of a socket until the first message or its end.
    private func events(
        _ host: String = onion, through proxy: SOCKSProxy?, saying text: String? = nil
    ) async throws -> [String] {
        let loop = try WebSocketLoop(patience: 5)
        defer { loop.stop() }
        let address = WebSocketAddress(host: host, port: 80, path: "/", isEncrypted: false)
        let events = Mutex<[String]>([])
        return await withCheckedContinuation { continuation in
            let isDone = Mutex(false)
            loop.open(address, through: proxy) { socket, event in
                let (word, isLast) =
                    switch event {
                    case .opened: ("opened", text == nil)
                    case .message(let bytes): (String(decoding: bytes, as: UTF8.self), true)
                    case .skipped: ("skipped", false)
                    case .closed(let reason): (reason, true)
                    }
                if word == "opened", let text { _ = loop.send(Array(text.utf8), over: socket) }
                let all = events.withLock { all in
                    all.append(word)
                    return all
                }
                guard isLast,
                    !isDone.withLock({ done in
                        defer { done = true }; return done
                    })
                else { return }
                continuation.resume(returning: all)
            }
        }
    }

    @Test("the proxy gets the name of the relay, and messages go through it")
    func reached() async throws {
        let relay = try LoopbackRelay()
        let port = try #require(UInt16(relay.url.split(separator: ":").last ?? ""))
        let proxy = try SmallProxy(.reaches(port))
        let request = "[\"REQ\",\"a\",{\"#p\":[\"b\"]}]"
        #expect(
            try await events(through: proxy.address, saying: request)
                == ["opened", "[\"EOSE\",\"a\"]"])
        #expect(
            proxy.messages == [
                [5, 1, 0], [5, 1, 0, 3, 62] + Array(Self.onion.utf8) + [0, 80],
            ])
    }

    @Test("without a proxy a name of Tor goes to no resolver and to no server")
    func noProxy() async throws {
        for name in [Self.onion, Self.onion + ".", Self.onion.uppercased(), "a.onion"] {
            #expect(HostPlaces.found(for: name).isEmpty)
            #expect(
                try await events(name, through: nil)
                    == ["only a proxy of Tor reaches .onion relays, and none is set"])
        }
        #expect(throws: HTTPError.invalidURL("only relays can have .onion addresses")) {
            try HTTPClient().check("https://\(Self.onion)/")
        }
    }

    @Test(
        "refused, wrong and half replies of a proxy end the socket with the reason",
        arguments: [
            ([[5, 0xFF]], "the proxy demands a user name and a password"),
            ([[5, 2]], "the proxy does not follow SOCKS5"),
            ([[4, 0]], "the proxy does not speak SOCKS5"),
            ([Array("HTTP/1.1 400 Bad Request\r\n".utf8)], "the proxy does not speak SOCKS5"),
            ([[5]], "the proxy ended the connection"),
            ([[]], "the proxy ended the connection"),
            ([[5, 0], []], "the proxy ended the connection"),
            ([[5, 0], [5, 0, 0]], "the proxy ended the connection"),
            ([[5, 0], [5, 0, 0, 1, 127, 0, 0]], "the proxy ended the connection"),
            ([[5, 0], [5, 0, 0, 3, 200, 1, 2]], "the proxy ended the connection"),
            ([[5, 0], [5, 0, 0, 9, 1, 2]], "the proxy does not speak SOCKS5"),
            ([[5, 0], [5, 0, 1, 1, 1, 2]], "the proxy does not speak SOCKS5"),
            (
                [[5, 0], [5, 2, 0, 1, 0, 0, 0, 0, 0, 0]],
                "the proxy says: its rules forbid the connection"
            ),
            (
                [[5, 0], [5, 4, 0, 1, 0, 0, 0, 0, 0, 0]],
                "the proxy says: the relay is unknown or unreachable"
            ),
            (
                [[5, 0], [5, 0xF0, 0, 1, 0, 0, 0, 0, 0, 0]],
                "the proxy says: the connection failed (code 240)"
            ),
        ] as [([[UInt8]], String)])
    func refused(_ replies: [[UInt8]], _ reason: String) async throws {
        let proxy = try SmallProxy(.answers(replies))
        #expect(try await events(through: proxy.address) == [reason])
    }

    @Test("a proxy that is gone or silent is named")
    func gone() async throws {
        let (free, port) = try LoopbackSocket.bound()
        close(free)
        let proxy = SOCKSProxy(host: "127.0.0.1", port: port)
        #expect(try await events(through: proxy) == ["the proxy is not running"])
        let silent = try SmallProxy(.silent)
        #expect(throws: TunnelError(text: "the proxy does not answer in time")) {
            _ = try ProxyTunnel(
                to: Self.onion, 80, through: silent.address, patience: .milliseconds(200))
        }
        #expect(throws: TunnelError(text: "the proxy cannot be given this address")) {
            _ = try ProxyTunnel(
                to: String(repeating: "a", count: 256), 80, through: silent.address)
        }
        #expect(throws: TunnelError(text: "the proxy has no IP address")) {
            _ = try ProxyTunnel(
                to: Self.onion, 80, through: SOCKSProxy(host: "tor.example", port: 9_050))
        }
    }
}
