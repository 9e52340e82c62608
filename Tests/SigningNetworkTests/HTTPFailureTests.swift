// SPDX-License-Identifier: Apache-2.0

import Glibc
import LoopbackServer
import SigningNetwork
import Testing

/// Each failure says whether the request may have reached the server.
@Suite("HTTP failures")
struct HTTPFailureTests {
    static func error(
        _ url: String, milliseconds: Int = HTTPClient.Settings.totalMilliseconds
    ) async -> HTTPError? {
        var settings = HTTPClient.Settings()
        settings.totalMillisecondsMax = milliseconds
        let client = HTTPClient(settings: settings)
        do throws(HTTPError) {
            _ = try await client.post([1, 2, 3], to: url, contentType: "text/plain")
        } catch { return error }
        return nil
    }

    /// Tries longer time limits until the request was sent before the limit.
    static func errorAfterSending(_ url: String) async -> HTTPError? {
        var error: HTTPError?
        for milliseconds in [500, 2_000, 8_000, 32_000] {
            error = await Self.error(url, milliseconds: milliseconds)
            if error != .timedOut(afterSending: false) { break }
        }
        return error
    }

    @Test("no answer in time, after the request was out")
    func silent() async throws {
        let server = try LoopbackServer { _ in .stall([]) }
        #expect(await Self.errorAfterSending(server.url) == .timedOut(afterSending: true))
        let half = try LoopbackServer { _ in .stall(LoopbackServer.head(200, [], 10)) }
        #expect(await Self.errorAfterSending(half.url) == .timedOut(afterSending: true))
    }

    @Test("an answer that comes byte by byte has an end, in its head and in its body")
    func drip() async throws {
        let long = [UInt8](repeating: 0x20, count: 4_000)
        for start in [[UInt8]("HTTP/1.1 200 OK\r\nX: ".utf8), LoopbackServer.head(200, [], 4_000)] {
            let server = try LoopbackServer { _ in .drip(start + long) }
            #expect(await Self.errorAfterSending(server.url) == .timedOut(afterSending: true))
        }
    }

    @Test("no encrypted connection in time: nothing was sent")
    func silentHandshake() async throws {
        // The kernel completes connections without an accept, and the server never answers.
        let (socket, port) = try LoopbackSocket.bound()
        defer { close(socket) }
        try #require(listen(socket, 4) == 0)
        let error = await Self.error("https://127.0.0.1:\(port)/", milliseconds: 300)
        #expect(error == .timedOut(afterSending: false))
    }

    @Test("a closed port: nothing was sent")
    func refused() async throws {
        let (socket, port) = try LoopbackSocket.bound()
        defer { close(socket) }
        let error = await Self.error("http://127.0.0.1:\(port)/")
        guard case .connectionFailed(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!text.isEmpty)
        #expect(error?.mayHaveBeenSent == false)
    }

    @Test(
        "the connection ends without a whole answer",
        arguments: [
            LoopbackServer.Reply.close, .reset, .raw([UInt8]("HTTP/1.1 200 OK\r\nContent-".utf8)),
            .raw(LoopbackServer.head(200, [], 100) + [1, 2, 3]),
            .raw([UInt8]("not HTTP\r\n\r\n".utf8)), .raw([UInt8]("HTTP/1.1 100 A\r\n\r\n".utf8)),
            .raw([UInt8]("HTTP/1.1 100 A\r\n\r\nHTTP/1.1 200 OK\r\n".utf8)),
            .raw([UInt8]("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n".utf8)),
        ])
    func lost(reply: LoopbackServer.Reply) async throws {
        let server = try LoopbackServer { _ in reply }
        let error = await Self.error(server.url)
        guard case .lostConnection = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.mayHaveBeenSent == true)
        // The client sent the request only once.
        #expect(server.connectionCount == 1)
    }

    @Test("an address that asks for encryption is not spoken to without")
    func noDowngrade() async throws {
        let server = try LoopbackServer { _ in .answer(status: 200, body: []) }
        let error = await Self.error("https://127.0.0.1:\(server.port)/")
        #expect(error?.mayHaveBeenSent == false)
        switch error {
        case .tls, .connectionFailed: break
        default: Issue.record("\(String(describing: error))")
        }
        #expect(server.requests.isEmpty)
    }
}
