// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import Testing

@testable import SigningCore

@Suite("Shares: no client uses up another's places", .timeLimit(.minutes(5)))
struct ShareTests {
    private static func token(_ name: String) -> Peer {
        Peer(channel: "socket", provedUserID: 7, credential: .program(name))
    }

    private static func process(_ number: Int) -> Peer {
        Peer(channel: "socket", provedUserID: 7, processMark: "\(number) 1")
    }

    private static func bunkerClient(_ name: String) -> Peer {
        let key = ProvedKey(
            publicKey: name, account: KeyID("01"), connection: "c \(name)", name: name)
        return Peer(channel: "relay", provedKey: key)
    }

    private static func page(_ site: String, in tab: String, profile: String = "work") -> Peer {
        let page = BrowserPage(
            profile: profile, origin: "https://\(site)", party: site,
            topOrigin: "https://\(tab)", document: nil, tabParty: tab)
        return Peer(channel: "socket", provedUserID: 7, credential: .page(page))
    }

    private static func window(_ site: String, isFramed: Bool = false) -> Peer {
        let visit = PageVisit.message(origin: "https://\(site)", party: site, isFramed: isFramed)
        return Peer(channel: "web", provedUserID: 7, visit: visit)
    }

    private static func server(_ name: String) -> Peer {
        let server = ProvedServer(origin: "https://\(name)", party: name)
        return Peer(channel: "liquid", provedServer: server)
    }

    /// The number of questions that a peer may have waiting.
    private func taken(_ pending: PendingRequests, _ peer: Peer, times: Int = 20) -> Int {
        (0..<times).count { _ in pending.takePlace(for: peer.countedClient) }
    }

    @Test("questions of frames are questions of the page that fills the tab")
    func framesOfATab() {
        let pending = PendingRequests()
        let frames = (0..<5).map { Self.page("f\($0).example", in: "evil.example") }
        #expect(frames.reduce(0) { $0 + taken(pending, $1) } == 10)
        // The embedding site used up its share, not the embedded one.
        #expect(taken(pending, Self.page("f0.example", in: "f0.example")) == 5)
        #expect(taken(pending, Self.token("bot")) == 10)
    }

    @Test("the last questions of a browser profile are for sites without a question")
    func sitesOfAProfile() {
        let pending = PendingRequests()
        let sites = (0..<30).map { Self.page("s\($0).example", in: "s\($0).example") }
        let counts = sites.map { taken(pending, $0) }
        #expect(counts == [10, 5, 1, 1, 1, 1, 1] + Array(repeating: 0, count: 23))
        // Another profile, a token and a bunker client have shares of their own.
        #expect(taken(pending, Self.page("a.example", in: "a.example", profile: "home")) == 10)
        #expect(taken(pending, Self.token("bot")) == 10)
        #expect(taken(pending, Self.bunkerClient("phone")) == 5)
        // A new client has a place even if all shared places are taken.
        #expect(taken(pending, Self.bunkerClient("tablet")) == 1)
        #expect(taken(pending, Self.token("new")) == 1)
    }

    @Test("an unproved client takes no place of a proved one, and a process none of pages")
    func unproved() {
        let pending = PendingRequests()
        let processes = (0..<250).map { Self.process($0) }
        #expect(processes.reduce(0) { $0 + taken(pending, $1) } == 20)
        #expect(taken(pending, Self.window("app.example")) == 10)
        for name in ["a", "b"] { #expect(taken(pending, Self.token(name)) == 10) }
        #expect(taken(pending, Self.bunkerClient("phone")) == 10)
        #expect(taken(pending, Self.page("a.example", in: "a.example")) == 10)
    }

    @Test("framed windows share the places of one page, under any site names")
    func framedWindows() {
        let pending = PendingRequests()
        let frames = (0..<5).map { Self.window("f\($0).example", isFramed: true) }
        #expect(frames.reduce(0) { $0 + taken(pending, $1) } == 10)
        #expect(taken(pending, Self.window("f0.example")) == 10)
        // All pages together leave some places for processes.
        #expect(taken(pending, Self.window("other.example")) == 0)
        #expect(taken(pending, Self.process(1)) == 10)
    }

    @Test("servers that the owner knows have separate places for questions")
    func servers() {
        let pending = PendingRequests()
        for name in ["a", "b", "c", "d", "e"] { _ = taken(pending, Self.token(name)) }
        for number in 0..<8 { #expect(taken(pending, Self.server("\(number).example")) == 10) }
        #expect(taken(pending, Self.server("more.example")) == 0)
        pending.leavePlace(of: Self.server("3.example").countedClient)
        #expect(taken(pending, Self.server("more.example")) == 1)
    }

    @Test("a question that ends gives its place back to its caller, its kind and all")
    func givenBack() {
        let pending = PendingRequests()
        let (site, other) = (Self.page("a.example", in: "a.example"), Self.token("bot"))
        for _ in 0..<100 {
            for peer in [site, other] { #expect(pending.takePlace(for: peer.countedClient)) }
            for peer in [site, other] { pending.leavePlace(of: peer.countedClient) }
        }
        #expect(taken(pending, site) == 10 && taken(pending, other) == 10)
    }

    @Test("requests in flight of unproved clients leave the places of all others free")
    func inFlight() async throws {
        let connections = Connections(
            TransportLimits(framesMax: 16, framesPerPeerMax: 8, drainSecondsMax: 0))
        let signer = HeldSigner()
        func send(_ peer: Peer) throws -> Task<Bool, any Error> {
            let connection = try connections.open(peer)
            return Task {
                do throws(Connections.Refusal) {
                    _ = try await connection.answer([1], by: signer)
                    return true
                } catch {
                    return false
                }
            }
        }
        // A program with sixty processes, a site with frames of thirty others, and a token.
        let hostile = try (0..<60).map { try send(Self.process($0)) }
        await signer.holds(12)
        let frames = try (0..<30).map { try send(Self.page("\($0).example", in: "evil.example")) }
        await signer.holds(12 + 2)
        let token = try (0..<30).map { _ in try send(Self.token("evil")) }
        await signer.holds(12 + 2 + 8)
        let good = try [
            Self.window("app.example"), Self.page("a.example", in: "a.example"),
            Self.token("bot"), Self.bunkerClient("phone"),
        ].map { try send($0) }
        await signer.holds(12 + 2 + 8 + 4)
        signer.release()
        for task in good { #expect(try await task.value) }
        for (tasks, count) in [(hostile, 12), (frames, 2), (token, 8)] {
            var served = 0
            for task in tasks where try await task.value { served += 1 }
            #expect(served == count)
        }
    }

    // Refusals

    @Test("a token, a page or a client of a bunker is heard however many processes were refused")
    func refusals() {
        let time = ContinuousClock.now
        let limit = RateLimit { time }
        for number in 0..<1_000 { limit.count(Self.process(number).countedClient) }
        for _ in 0..<RateLimit.burst { limit.count(Self.process(1_000).countedClient) }
        #expect(
            !limit.admits(Self.process(1_001).countedClient),
            "what unknown processes share is used up")
        #expect(limit.admits(Self.process(0).countedClient))
        let sites = (0..<1_000).map { Self.page("\($0).example", in: "\($0).example") }
        for site in sites { for _ in 0..<RateLimit.burst { limit.count(site.countedClient) } }
        let others = [
            Self.token("bot"), Self.bunkerClient("phone"), Self.window("app.example"),
            Self.page("a.example", in: "a.example", profile: "home"), Self.server("a.example"),
        ]
        for peer in others {
            for _ in 0..<RateLimit.burst {
                #expect(limit.admits(peer.countedClient))
                limit.count(peer.countedClient)
            }
            #expect(!limit.admits(peer.countedClient))
        }
    }

    @Test("no number of clients grows their state beyond a bound, or the record")
    func manyRefused() {
        let time = ContinuousClock.now
        let limit = RateLimit { time }
        var count = 0
        for number in 0..<3_000 {
            let countedClient = Self.process(number).countedClient
            if limit.admits(countedClient) { count += 1 }
            limit.count(countedClient)
        }
        #expect(count == RateLimit.clientsMax + RateLimit.burst)
        #expect(limit.admits(Self.process(0).countedClient))
        #expect(!limit.admits(Self.process(2_999).countedClient))
        #expect(!limit.admits(Self.process(9_999).countedClient))
    }
}
