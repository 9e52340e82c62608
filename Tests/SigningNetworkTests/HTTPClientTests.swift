// SPDX-License-Identifier: Apache-2.0

import LoopbackServer
import SigningNetwork
import Testing

@Suite("HTTP")
struct HTTPClientTests {
    static func client(_ change: (inout HTTPClient.Settings) -> Void = { _ in }) -> HTTPClient {
        var settings = HTTPClient.Settings()
        change(&settings)
        return HTTPClient(settings: settings)
    }

    static func error(_ body: () async throws(HTTPError) -> HTTPClient.Response) async -> HTTPError?
    {
        do throws(HTTPError) { _ = try await body() } catch { return error }
        return nil
    }

    @Test("posts bytes with its headers and returns status and body")
    func post() async throws {
        let server = try LoopbackServer { request in
            .answer(status: 418, body: [0, 255] + request.body)
        }
        let client = Self.client {
            $0.headers = [("X-Algo-API-Token", "abc"), ("X-Empty", "")]
        }
        let sent = [UInt8](repeating: 0xfe, count: 3 << 20)
        let response = try await client.post(
            sent, to: server.url + "v2?x=1", contentType: "application/x-binary")
        #expect(response.status == 418)
        #expect(response.body == [0, 255] + sent)
        let head = try #require(server.requests.first).head
        for line in [
            "POST /v2?x=1 HTTP/1.1", "User-Agent: countersign/0.1", "X-Algo-API-Token: abc",
            "X-Empty:", "Content-Type: application/x-binary", "Content-Length: \(sent.count)",
        ] { #expect(head.contains("\(line)\r\n")) }
        #expect(!head.contains("Expect"))
    }

    @Test("posts nothing, and gets")
    func emptyAndGet() async throws {
        let server = try LoopbackServer { .answer(status: 200, body: [UInt8]($0.line.utf8)) }
        let client = HTTPClient()
        let posted = try await client.post([], to: server.url, contentType: "text/plain")
        #expect(posted.body == [UInt8]("POST / HTTP/1.1".utf8))
        let got = try await client.get("http://localhost:\(server.port)/a")
        #expect(got.body == [UInt8]("GET /a HTTP/1.1".utf8))
    }

    @Test("blocks no task while servers are silent")
    func many() async throws {
        let server = try LoopbackServer { .answer(status: 200, body: $0.body) }
        let client = HTTPClient()
        await withTaskGroup(of: Bool.self) { group in
            for number in UInt8(0)..<12 {
                group.addTask {
                    let response = try? await client.post(
                        [number], to: server.url, contentType: "text/plain")
                    return response?.body == [number]
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test("follows no redirect")
    func redirect() async throws {
        let other = try LoopbackServer { _ in .answer(status: 200, body: []) }
        let target = "Location: \(other.url)"
        let server = try LoopbackServer { _ in
            .answer(status: 307, headers: [target], body: [])
        }
        let response = try await HTTPClient().get(server.url)
        #expect(response.status == 307)
        #expect(other.connectionCount == 0)
    }

    @Test("takes a body up to the limit, and no byte more")
    func bodyLimit() async throws {
        let client = Self.client { $0.bodyCountMax = 1_000 }
        let whole = try LoopbackServer { _ in
            .answer(status: 200, body: [UInt8](repeating: 1, count: 1_000))
        }
        #expect(try await client.get(whole.url).body.count == 1_000)
        let more = try LoopbackServer { _ in
            .answer(status: 200, body: [UInt8](repeating: 1, count: 1_001))
        }
        #expect(
            await Self.error { () async throws(HTTPError) in try await client.get(more.url) }
                == .tooLarge(limit: 1_000))
        let endless = try LoopbackServer { _ in
            .raw([UInt8](("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 5_000)).utf8))
        }
        #expect(
            await Self.error { () async throws(HTTPError) in try await client.get(endless.url) }
                == .tooLarge(limit: 1_000))
    }

    @Test(
        "reads all that HTTP/1.1 allows before and after a body",
        arguments: [
            "HTTP/1.1 100 A\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.0 200 OK\n\nok",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n",
        ])
    func forms(answer: String) async throws {
        let server = try LoopbackServer { _ in .raw([UInt8](answer.utf8)) }
        let response = try await HTTPClient().get(server.url)
        #expect(response.status == 200)
        #expect(response.body == [UInt8]("ok".utf8))
    }

    @Test("takes headers up to a limit")
    func headersLimit() async throws {
        let lines = [String](repeating: "X: " + String(repeating: "x", count: 1_000), count: 100)
        let server = try LoopbackServer { _ in .answer(status: 200, headers: lines, body: []) }
        let error = await Self.error { () async throws(HTTPError) in
            try await HTTPClient().get(server.url)
        }
        guard case .tooLarge = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "sends no header that would end its line",
        arguments: [
            ("X", "a\r\nY: b"), ("X\r\nY", "b"), ("", "a"), ("X Y", "a"), ("X:", "a"),
            ("X", "\u{e4}"),
            ("X", String(repeating: "a", count: 5_000)),
        ])
    func headers(name: String, value: String) async throws {
        let server = try LoopbackServer { _ in .answer(status: 200, body: []) }
        let client = Self.client { $0.headers = [(name, value)] }
        let error = await Self.error { () async throws(HTTPError) in
            try await client.get(server.url)
        }
        guard case .invalidHeader = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(server.connectionCount == 0)
    }

    @Test(
        "opens only addresses that keep the request private",
        arguments: [
            "http://example.com/", "http://127.0.0.2/", "http://127.0.0.1.example.com/",
            "http://localhost.example.com/", "http://[::2]/", "http://0.0.0.0/", "http://10.0.0.1/",
            "http://user:password@127.0.0.1/", "https://user@example.com/",
            "https://:@example.com/",
            "https://user:password@example.com/", "http://127.0.0.1@example.com/",
            "http://example.com#@127.0.0.1/", "http://example.com\\@127.0.0.1/",
            "ftp://127.0.0.1/", "file:///etc/hosts", "gopher://127.0.0.1/", "127.0.0.1", "",
            "https://",
            "http://127.0.0.1 /", "http://127.0.0.1/\u{0}", "http://127.0.0.1/\r\nX: y",
            "http://127.0.0.1:99999/", "javascript:alert(1)", "//127.0.0.1/",
            "https://\u{e4}.example/",
        ])
    func refused(url: String) async {
        let client = Self.client { $0.totalMillisecondsMax = 2_000 }
        let error = await Self.error { () async throws(HTTPError) in try await client.get(url) }
        guard case .invalidURL(let reason) = error else {
            Issue.record("\(url): \(String(describing: error))")
            return
        }
        #expect(!reason.contains("password@"))
        #expect(error?.mayHaveBeenSent == false)
    }
}
