// SPDX-License-Identifier: Apache-2.0

import LoopbackServer
import SigningCodecs
import Synchronization
import Testing

@testable import LiquidAuth

/// The messages that a server received, in order.
private final class Heard: Sendable {
    private let lines = Mutex<[String]>([])

    func note(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }

    func wait(for line: String, count: Int = 1) async throws {
        while all.count(where: { $0 == line }) < count {
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

@Suite("Signalling by a server", .timeLimit(.minutes(10)))
struct SignalClientTests {
    private static let hello = #"0{"sid":"a","pingInterval":25000,"pingTimeout":20000}"#
    private let heard = Heard()

    /// A server that accepts connections and runs a script.
    private func server(
        _ script: @escaping @Sendable (LoopbackWebSocket.Connection, Heard) -> Void
    ) throws -> LoopbackWebSocket {
        let heard = heard
        return try LoopbackWebSocket { connection in
            connection.send(Self.hello)
            guard connection.receive() == "40" else { return heard.note("no 40") }
            script(connection, heard)
        }
    }

    private static func listen(_ connection: LoopbackWebSocket.Connection, _ heard: Heard) {
        while let line = connection.receive() { heard.note(line) }
        heard.note("end")
    }

    private func client(of server: LoopbackWebSocket) throws -> SignalClient {
        try SignalClient(
            at: try WebOrigin("http://127.0.0.1:\(server.port)"),
            cookie: "connect.sid=s%3Aabc.d%2Fe%2Bf", userAgent: "Test (X11; Linux x86_64)")
    }

    @Test("the session's cookie is sent back unchanged, and early packets go out in order")
    func opens() async throws {
        let server = try server { connection, heard in
            for line in connection.head.split(separator: "\r\n") { heard.note(String(line)) }
            connection.send("40{\"sid\":\"b\"}")
            Self.listen(connection, heard)
        }
        let client = try client(of: server)
        try await client.send(.offer("v=0"))
        try await client.send(
            .offerCandidate(ICECandidate(candidate: "c", sdpMid: nil, sdpMLineIndex: 1)))
        let last = #"42["offer-candidate",{"candidate":"c","sdpMid":null,"sdpMLineIndex":1}]"#
        try await heard.wait(for: last)
        #expect(
            heard.all.contains("GET /socket.io/?EIO=4&transport=websocket HTTP/1.1"))
        #expect(heard.all.contains("Cookie: connect.sid=s%3Aabc.d%2Fe%2Bf"))
        #expect(heard.all.contains("User-Agent: Test (X11; Linux x86_64)"))
        #expect(heard.all.suffix(2) == [#"42["offer-description","v=0"]"#, last])
        #expect(client.problem == nil)
        await client.close()
        try await heard.wait(for: "41")
        try await heard.wait(for: "end")
        #expect(try await client.next() == nil)
        await #expect(throws: SignallingError.closed) { try await client.send(.offer("v=1")) }
    }

    @Test("answers arrive in their order, own signals do not, pings and acks are answered")
    func hears() async throws {
        let server = try server { connection, heard in
            connection.send("40")
            for line in [
                #"42["offer-description","v=0"]"#, #"42["presence",{"online":true}]"#, "2",
                #"4212["answer-candidate",{"candidate":"early"}]"#, "nonsense",
                #"42["offer-candidate",{"candidate":"own"}]"#, #"42["answer-description","v=1"]"#,
            ] {
                connection.send(line)
            }
            Self.listen(connection, heard)
        }
        let client = try client(of: server)
        let early = ICECandidate(candidate: "early", sdpMid: nil, sdpMLineIndex: nil)
        #expect(try await client.next() == .answerCandidate(early))
        #expect(try await client.next() == .answer("v=1"))
        try await heard.wait(for: "3")
        try await heard.wait(for: "4312[]")
        let waiting = Task { try await client.next() }
        waiting.cancel()
        await #expect(throws: SignallingError.cancelled) { try await waiting.value }
        let other = Task { try await client.next() }
        await client.close()
        #expect(try await other.value == nil)
    }

    @Test("a server that ends the connection, either way, is connected to again")
    func again() async throws {
        let server = try server { connection, heard in
            connection.send("40")
            heard.note("connection \(connection.number)")
            if connection.number == 0 { return }
            if connection.number == 1 { connection.send("41") }
            Self.listen(connection, heard)
        }
        let client = try client(of: server)
        try await heard.wait(for: "connection 2")
        try await client.send(.offer("v=0"))
        try await heard.wait(for: #"42["offer-description","v=0"]"#)
        await client.close()
    }

    @Test("one that refuses three times in a row is believed, and its word is made visible")
    func refused() async throws {
        let server = try server { connection, heard in
            connection.send("44{\"message\":\"not \\u0007 you\"}")
            Self.listen(connection, heard)
        }
        let client = try client(of: server)
        await #expect(throws: SignallingError.refused("not ? you")) { try await client.next() }
        await #expect(throws: SignallingError.closed) { try await client.send(.offer("v=0")) }
    }

    @Test("one that sends nothing but nonsense, and one that falls silent, is left and tried again")
    func nonsense() async throws {
        let server = try server { connection, heard in
            heard.note("connection \(connection.number)")
            switch connection.number {
            case 0: for _ in 0..<300 { connection.send("nonsense") }
            // This interval would make the server ping twice a second.
            case 1: connection.send(#"0{"sid":"a","pingInterval":500,"pingTimeout":500}"#)
            default: connection.send("40")
            }
            Self.listen(connection, heard)
        }
        let client = try client(of: server)
        try await heard.wait(for: "connection 2")
        try await heard.wait(for: "end", count: 2)
        await client.close()
    }

    @Test("signals are bounded: waiting candidates, and packets to send")
    func bounds() async throws {
        let server = try server { connection, heard in
            connection.send("40")
            for number in 0..<1_000 {
                connection.send(#"42["answer-candidate",{"candidate":"\#(number)"}]"#)
            }
            for number in 0..<20 { connection.send(#"42["answer-description","\#(number)"]"#) }
            connection.send("2")
            Self.listen(connection, heard)
        }
        let client = try client(of: server)
        try await heard.wait(for: "3")
        await client.close()
        var count = 0
        while let signal = try await client.next() {
            count += 1
            if case .answer(let text) = signal { #expect(Int(text) ?? 20 < 8) }
        }
        #expect(count == Signal.candidatesMax + 8)

        let nobody = try SignalClient(
            at: try WebOrigin("http://127.0.0.1:9"), cookie: "a=b", userAgent: "x")
        for _ in 0..<Signal.candidatesMax + 8 { try await nobody.send(.offer("v=0")) }
        await #expect(throws: SignallingError.busy) { try await nobody.send(.offer("v=0")) }
        let long = String(repeating: "x", count: Signal.descriptionBytesMax + 1)
        await #expect(throws: SignallingError.tooLong) { try await nobody.send(.offer(long)) }
        while nobody.problem == nil { try await Task.sleep(for: .milliseconds(10)) }
        await nobody.close()
        #expect(try await nobody.next() == nil)
    }

    @Test(
        "a cookie cannot inject headers", arguments: ["a=b\r\nX: y", "a=\u{7F}", "a=\0"])
    func headers(cookie: String) throws {
        let origin = try WebOrigin("https://liquid.example")
        #expect(throws: SignallingError.self) {
            try SignalClient(at: origin, cookie: cookie, userAgent: "x")
        }
    }
}
