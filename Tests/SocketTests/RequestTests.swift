// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCore
import SigningTesting
import Testing

@testable import Socket

@Suite("Requests over the socket", .timeLimit(.minutes(10)))
struct RequestTests {
    private static let frame = #"{"frame":"hello"}"#
    private static let pending = #"{"frame":"hello","wait_seconds":0}"#

    @Test("an answer comes back with where it stays")
    func answered() async throws {
        let served = try await Served()
        served.signer.release()
        let made = try await served.ask("POST", "/v1/requests", Self.frame)
        #expect(made?.status == 201)
        #expect(member("state", of: made) == "failed" && member("reply", of: made) == "re: hello")
        let id = try #require(member("id", of: made))
        #expect(id.utf8.count == 32 && made?.head.contains("location: /v1/requests/\(id)") == true)
        let seen = try await served.ask("GET", "/v1/requests/\(id)")
        #expect(seen?.status == 200 && seen?.body == made?.body)
        #expect(seen?.head.contains("cache-control: no-store") == true)
    }

    @Test("bytes that are not text come in and go out in Base64")
    func bytes() async throws {
        let served = try await Served()
        served.signer.release()
        let made = try await served.ask("POST", "/v1/requests", #"{"frame_base64":"/w=="}"#)
        #expect(
            member("reply_base64", of: made)
                == Data(Array("re: ".utf8) + [255]).base64EncodedString())
    }

    @Test("a waiting request is asked for again, and withdrawn")
    func polled() async throws {
        let served = try await Served()
        let made = try await served.ask("POST", "/v1/requests", Self.pending)
        #expect(made?.status == 202 && member("state", of: made) == "pending")
        let place = "/v1/requests/\(try #require(member("id", of: made)))"
        // The client of the request has left and may come back.
        try await Task.sleep(for: .milliseconds(300))
        let seen = try await served.ask("GET", place)
        #expect(seen?.status == 200 && member("state", of: seen) == "pending")
        let gone = try await served.ask("DELETE", place)
        #expect(gone?.status == 200 && member("state", of: gone) == "failed")
        await served.signer.waitForLeaving()
        let again = try await served.ask("DELETE", place)
        #expect(again?.body == gone?.body)
    }

    @Test("a client that waits for a pending request gets its end")
    func waits() async throws {
        let served = try await Served()
        let made = try await served.ask("POST", "/v1/requests", Self.pending)
        let place = "/v1/requests/\(try #require(member("id", of: made)))?wait_seconds=60"
        let waiting = Task { try await served.ask("GET", place) }
        await served.signer.holds(1)
        served.signer.release()
        let end = try await waiting.value
        #expect(member("reply", of: end) == "re: hello")
    }

    @Test("a client that leaves withdraws its own requests only")
    func leaves() async throws {
        let served = try await Served()
        let other = try await served.ask("POST", "/v1/requests", Self.pending)
        let client = try served.client()
        let waiting = Task {
            await client.ask(RawClient.request("POST", "/v1/requests", Self.frame))
        }
        await served.signer.holds(2)
        client.leave()
        await served.signer.waitForLeaving(1)
        #expect(await waiting.value == nil)
        let place = "/v1/requests/\(try #require(member("id", of: other)))"
        #expect(member("state", of: try await served.ask("GET", place)) == "pending")
    }

    @Test("the same body under the same key is the same request, another one is refused")
    func idempotent() async throws {
        let served = try await Served()
        served.signer.release()
        let key = ["Idempotency-Key: a-1"]
        let first = try await served.ask("POST", "/v1/requests", Self.frame, headers: key)
        let again = try await served.ask("POST", "/v1/requests", Self.frame, headers: key)
        #expect(first?.status == 201 && again?.status == 200)
        #expect(first?.body == again?.body)
        let other = try await served.ask("POST", "/v1/requests", Self.pending, headers: key)
        #expect(other?.status == 422 && member("code", of: other) == "key_reused")
        let fresh = try await served.ask(
            "POST", "/v1/requests", Self.frame, headers: ["Idempotency-Key: a-2"])
        #expect(member("id", of: fresh) != member("id", of: first))
    }

    @Test("a retry asks anew for a request that leaving withdrew")
    func retried() async throws {
        let served = try await Served()
        let request = RawClient.request(
            "POST", "/v1/requests", Self.frame, headers: ["Idempotency-Key: a"])
        let client = try served.client()
        let waiting = Task { await client.ask(request) }
        await served.signer.holds(1)
        client.leave()
        await served.signer.waitForLeaving()
        _ = await waiting.value
        served.signer.release()
        let answer = try await served.client().ask(request)
        #expect(answer?.status == 201 && member("reply", of: answer) == "re: hello")
    }

    @Test("200 clients at once get each their own")
    func many() async throws {
        let served = try await Served(
            TransportLimits(connectionsMax: 300, framesMax: 300, framesPerPeerMax: 300))
        served.signer.release()
        let right = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let answer = try await served.ask(
                        "POST", "/v1/requests", #"{"frame":"n\#(number)"}"#)
                    return member("reply", of: answer) == "re: n\(number)"
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(right == 200)
        let metrics = try await served.ask("GET", "/v1/metrics")
        #expect(
            metrics?.text.contains(
                #"countersign_requests_total{wire="unnamed",ending="failed"} 200"#) == true)
        #expect(metrics?.text.contains("countersign_requests_in_flight 0\n") == true)
    }

    @Test("health and readiness are two things")
    func ready() async throws {
        let served = try await Served()
        #expect(try await served.ask("GET", "/v1/health")?.text == #"{"status":"ok"}"#)
        #expect(try await served.ask("GET", "/v1/ready")?.status == 200)
        let locked = try await Served(readiness: "the vault is locked")
        #expect(try await locked.ask("GET", "/v1/health")?.status == 200)
        let answer = try await locked.ask("GET", "/v1/ready")
        #expect(answer?.status == 503 && answer?.isProblem == true)
        #expect(member("detail", of: answer) == "the vault is locked")
    }
}
