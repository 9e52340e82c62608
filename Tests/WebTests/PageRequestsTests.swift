// SPDX-License-Identifier: Apache-2.0

import SigningCore
import Synchronization
import Testing

@testable import Socket
@testable import Web

@Suite("Requests of pages, until they are answered", .timeLimit(.minutes(10)))
struct PageRequestsTests {
    @Test("a waiting request is asked for again, and answered once it is done")
    func again() async throws {
        let signer = KeptFrames(isOpen: false)
        let page = try await Page(signer)
        let first = try await page.hand(Page.asking("wait"))
        let id = try #require(first.member("id"))
        #expect(first.member("state") == "pending")
        let path = "/near/requests/\(id)"
        let own: [String: String?] = ["Countersign-Web": nil, "Origin": nil]
        for headers: [String: String?] in [
            ["Sec-Fetch-Site": nil], ["Sec-Fetch-Site": "cross-site"],
            ["Sec-Fetch-Site": "same-site"],
        ] {
            // A page that does not poll for 15 s is taken for closed, also on a busy machine.
            #expect(try await page.ask("GET", path, nil, own)?.member("state") == "pending")
            let merged = own.merging(headers) { $1 }
            #expect(try await page.ask("GET", path, nil, merged)?.status == 403)
            #expect(try await page.ask("DELETE", path, nil, merged)?.status == 403)
        }
        #expect(
            try await page.ask("GET", "/near/requests/\(Page.key)", nil, own)?.status == 404)
        signer.release()
        var reply: Reply?
        repeat {
            reply = try await page.ask("GET", path, nil, own)
        } while reply?.member("state") == "pending"
        #expect(reply?.member("reply") == "wait")
        #expect(signer.frames.count == 1 && signer.leftCount == 0)
    }

    @Test("a page that is loaded again gets the same answer, and no other page does")
    func repeated() async throws {
        let signer = KeptFrames()
        let page = try await Page(signer)
        let first = try await page.hand(Page.asking("once"))
        #expect(try await page.hand(Page.asking("once")).body == first.body)
        #expect(signer.frames.count == 1)
        #expect(try await page.hand(Page.asking("other")).member("code") == "key_reused")
        let other = #""page":"https://other.example","framed":false"#
        let second = try await page.hand(Page.asking("once", other))
        #expect(second.member("id") != first.member("id") && signer.frames.count == 2)
    }

    @Test("a page has so many in flight, and others have theirs")
    func crowded() async throws {
        let signer = KeptFrames(isOpen: false)
        let page = try await Page(signer)
        @Sendable func hand(_ number: Int, _ who: String) async throws -> Int {
            let key = String(repeating: "0", count: 30) + "\(10 + number)"
            return try await page.hand(Page.asking("\(number)", key: key, who)).status
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask { try await hand(number, Page.pageText) }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(try await hand(8, Page.pageText) == 503)
        let other = #""page":"https://other.example","framed":false"#
        #expect(try await hand(8, other) == 200)
    }

    @Test("a request that no page asks for any more is withdrawn; a reloaded page keeps it")
    func withdrawn() async throws {
        let signer = KeptFrames(isOpen: false)
        let time = Mutex(ContinuousClock.now)
        let limits = TransportLimits(
            connectionsMax: 8, framesMax: 8, framesPerPeerMax: 8, drainSecondsMax: 1)
        let requests = PageRequests(
            RequestRegistry(signer, limits, Tally(wires: []), on: nil), channel: "web",
            now: { time.withLock { $0 } })
        func pass(_ duration: Duration) {
            time.withLock { $0 += duration }
            requests.sweep()
        }
        func ask(_ method: String, _ id: String = "", _ body: String = "") async throws -> Reply {
            let head = HTTPHead(
                method: method, path: "/near/requests" + (id.isEmpty ? "" : "/\(id)"), query: [],
                headers: body.isEmpty ? [] : [("content-type", "application/json")])
            let request = HTTPRequest(
                head: head, body: Array(body.utf8), peer: .inProcess(), process: 0)
            let response = try #require(await requests.respond(to: request))
            return Reply(
                status: Int(response.status), head: "",
                body: String(decoding: response.body, as: UTF8.self))
        }
        let id = try #require(try await ask("POST", "", Page.asking("left")).member("id"))
        // A reload of the page withdraws its requests and submits them again at once.
        #expect(try await ask("DELETE", Page.key).member("state") == "left")
        #expect(try await ask("DELETE", id).status == 404)
        pass(.seconds(1))
        #expect(try await ask("POST", "", Page.asking("left")).member("id") == id)
        pass(PageRequests.closingTime)
        #expect(try await ask("GET", id).member("state") == "pending")
        pass(PageRequests.absence - .seconds(1))
        #expect(try await ask("GET", id).member("state") == "pending")
        pass(PageRequests.absence)
        while signer.leftCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let two = #""page":"https://two.example","framed":false"#
        let second = try #require(
            try await ask("POST", "", Page.asking("gone", two)).member("id"))
        #expect(second != id)
        _ = try await ask("DELETE", Page.key)
        pass(PageRequests.closingTime)
        while signer.leftCount == 1 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(signer.frames.count == 2)
    }
}
