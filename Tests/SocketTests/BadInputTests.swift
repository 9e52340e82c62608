// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCore
import SigningTesting
import Testing

@testable import Socket

@Suite("Invalid requests of clients", .timeLimit(.minutes(10)))
struct BadInputTests {
    private static let frame = #"{"frame":"hello"}"#

    @Test(
        "invalid bodies",
        arguments: [
            ("", "bad_json"), ("{", "bad_json"), ("[]", "bad_json"),
            (#"{"frame":1}"#, "bad_member"),
            ("{}", "bad_member"), (#"{"frame":"a","frame":"b"}"#, "bad_json"),
            (#"{"frame":"a","frame_base64":"YQ=="}"#, "bad_member"),
            (#"{"frame":""}"#, "bad_member"), (#"{"frame":"a","extra":1}"#, "unknown_member"),
            (#"{"frame_base64":"YQ"}"#, "bad_base64"), (#"{"frame_base64":"*"}"#, "bad_base64"),
            (#"{"frame":"a","wire":"nobody"}"#, "unknown_wire"),
            (#"{"frame":"a","wait_seconds":121}"#, "bad_wait"),
            (#"{"frame":"a","wait_seconds":-1}"#, "bad_wait"),
            (#"{"frame":"a","wait_seconds":1.5}"#, "bad_wait"),
            (#"{"frame":"a","by_link":1}"#, "bad_member"),
            (#"{"frame":"a","by_link":true,"origin":"https://app.example"}"#, "bad_member"),
            (#"{"frame":"a","client":""}"#, "bad_member"),
            (#"{"frame":"a","client":"https://a b"}"#, "bad_member"),
        ])
    func bodies(body: String, code: String) async throws {
        let served = try await Served()
        served.signer.release()
        let answer = try await served.ask("POST", "/v1/requests", body)
        #expect(answer?.status == 400 && answer?.isProblem == true)
        #expect(member("code", of: answer) == code)
        // A detail never contains the name of an error in the source code.
        #expect(member("detail", of: answer)?.contains("(") == false)
    }

    @Test(
        "invalid places and methods",
        arguments: [
            ("GET", "/", 404), ("GET", "/v1/nothing", 404), ("GET", "/v1/requests/", 404),
            ("GET", "/v1/requests/00112233445566778899aabbccddeeff", 404),
            ("DELETE", "/v1/requests/x", 404), ("GET", "/v1/requests", 405),
            ("POST", "/v1/health", 405), ("PUT", "/v1/requests/x", 405),
            ("GET", "/v1/health?x=1", 400), ("GET", "/v1/requests/x/y", 404),
        ])
    func places(method: String, path: String, status: Int) async throws {
        let served = try await Served()
        let answer = try await served.ask(method, path)
        #expect(answer?.status == status && answer?.isProblem == true)
        #expect((answer?.head.contains("\r\nallow: ") == true) == (status == 405))
    }

    @Test("a length beyond all numbers does no harm, also while others send")
    func hugeLength() async throws {
        let served = try await Served()
        let head = "POST /v1/requests HTTP/1.1\r\nHost: l\r\nContent-Type: application/json\r\n"
        let other = try served.client()
        other.put(Array("\(head)Content-Length: 100\r\n\r\n".utf8))
        #expect(try await served.ask("GET", "/v1/health")?.status == 200)
        for length in [Int64.max, Int64.max - 50] {
            let huge = try served.client()
            huge.put(Array("\(head)Content-Length: \(length)\r\n\r\n".utf8))
            #expect(await huge.blocking { $0.get()?.status } == 413)
        }
        #expect(try await served.ask("GET", "/v1/health")?.status == 200)
    }

    @Test("when all connections are taken, others are served as soon as there is room again")
    func fullAndEmpty() async throws {
        var status: Int?
        // A busy machine needs longer to notice that the clients left.
        for seconds in [1, 10, 60] where status != 200 {
            status = try await Self.statusAfterLeaving(resting: seconds)
        }
        #expect(status == 200)
    }

    private static func statusAfterLeaving(resting seconds: Int) async throws -> Int? {
        let served = try await Served(TransportLimits(connectionsMax: 40))
        // More clients than the library accepts; the last ones wait in the kernel's queue.
        let get = RawClient.request("GET", "/v1/health", nil, headers: [], type: "")
        var clients = try (0..<(40 + SocketLimits.turnedAwayMax + 20)).map { _ in
            let client = try served.client()
            client.put(Array(get.utf8))
            return client
        }
        #expect(await clients[0].blocking { $0.get()?.status } == 200)
        // By then the first clients may have exceeded the time for silence.
        #expect(await [200, 503].contains(clients[40].blocking { $0.get()?.status }))
        clients = []
        // All clients have left, and no other event wakes the server.
        try await Task.sleep(for: .seconds(seconds))
        return try await served.ask("GET", "/v1/health")?.status
    }

    @Test("a refused silent client is closed before others, so that the next is answered")
    func silentAndFull() async throws {
        var isSettled = false
        // A check that runs too late finds both sockets closed, which proves nothing.
        for _ in 0..<20 where !isSettled {
            let served = try await Served(TransportLimits(connectionsMax: 40))
            let clients = try (0..<(40 + SocketLimits.turnedAwayMax + 20)).map { _ in
                try served.client()
            }
            let turnedAway = clients[40]
            async let gone = clients[0].blocking { $0.isOver(beside: turnedAway) }
            // This request waits in the kernel's queue behind all of them.
            #expect(try await served.ask("GET", "/v1/health") != nil)
            let (first, other) = await gone
            #expect(other, "who was served first went before")
            isSettled = !first
        }
        #expect(isSettled)
    }

    @Test("a body of another type is not looked at")
    func type() async throws {
        let served = try await Served()
        let answer = try await served.ask("POST", "/v1/requests", Self.frame, type: "text/plain")
        #expect(answer?.status == 415 && member("code", of: answer) == "not_json")
    }

    @Test(
        "heads that mean two things, or nothing",
        arguments: [
            ("Content-Length: 2\r\nContent-Length: 3", 400),
            ("Content-Length: 2\r\nTransfer-Encoding: chunked", 400),
            ("Transfer-Encoding : chunked", 400), ("X-\u{FC}: a", 400),
            ("X: a\u{1}b", 400), ("Content-Length: 2\r\nX(y): 1", 400),
            ("Transfer-Encoding: chunked", 411), ("Content-Length: 100000000", 413),
        ])
    func heads(lines: String, status: Int) async throws {
        let served = try await Served()
        let head = "POST /v1/requests HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        let answer = try await served.client().ask(head + lines + "\r\n\r\n{}")
        #expect(answer?.status == status)
        #expect(answer?.head.contains("connection: close") == true)
    }

    @Test("a request without Host is refused, and one of a hundred kilobytes of head")
    func strict() async throws {
        let served = try await Served()
        let hostless = try await served.client().ask("GET /v1/health HTTP/1.1\r\n\r\n")
        #expect(hostless?.status == 400)
        let filler = String(repeating: "x", count: 100_000)
        let long = try await served.client().ask(
            RawClient.request("GET", "/v1/health", headers: ["X-Filler: \(filler)"]))
        #expect(long == nil || long?.status == 431)
    }

    /// One by one, 1,000 bytes already take minutes.
    private static let bytesMax = 1_000

    @Test("a client that does not finish is cut, byte by byte or not, and others go on")
    func slow() async throws {
        let served = try await Served()
        served.signer.release()
        let (half, dribble) = (try served.client(), try served.client())
        let body = try served.client()
        half.put(Array("GET /v1/health HTTP/1.1\r\nHost".utf8))
        body.put(Array(RawClient.request("POST", "/v1/requests", Self.frame).utf8.dropLast(3)))
        async let halfEnd = half.blocking { $0.get() }
        async let bodyEnd = body.blocking { $0.get() }
        async let bytesCount = dribble.blocking { client in
            var count = 0
            while client.put(Array("G".utf8)), count < Self.bytesMax {
                count += 1
                usleep(200_000)
            }
            return count
        }
        #expect(try await served.ask("POST", "/v1/requests", Self.frame)?.status == 201)
        #expect(await halfEnd == nil)
        #expect(await bytesCount < Self.bytesMax)
        #expect(await bodyEnd == nil)
        let metrics = try await served.ask("GET", "/v1/metrics")
        #expect(metrics?.text.contains(#"countersign_refused_total{code="slow"} 3"#) == true)
    }

    @Test("invalid keys", arguments: ["a b", String(repeating: "k", count: 129), "\u{e9}"])
    func keys(key: String) async throws {
        let served = try await Served()
        let answer = try await served.ask(
            "POST", "/v1/requests", Self.frame, headers: ["Idempotency-Key: \(key)"])
        #expect(answer?.status == 400 && member("code", of: answer) == "bad_key")
    }
}
