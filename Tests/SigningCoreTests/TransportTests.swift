// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import Synchronization
import Testing

@testable import SigningCore

/// A transport within one process, without the reading and writing of others.
private final class MemoryTransport: Transport {
    let channel: ChannelName = "memory"
    let limits = TransportLimits(
        connectionsMax: 4, framesMax: 8, framesPerPeerMax: 3, drainSecondsMax: 540)
    private let connections: Connections
    private let signer = Mutex<(any Signer)?>(nil)
    private let peerCount = Mutex(0)

    init() { connections = Connections(limits) }

    func run(
        _ signer: some Signer, _ report: @escaping @Sendable (TransportState) -> Void
    ) async throws(TransportError) {
        self.signer.withLock { $0 = signer }
        report(.open("in memory"))
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
        connections.stop()
        report(.draining)
        await connections.drain()
        report(.closed)
    }

    func connect() throws -> any TestPeer {
        let number = peerCount.withLock { count in
            count += 1
            return count
        }
        guard let signer = signer.withLock({ $0 }) else { throw Connections.Refusal.draining }
        return MemoryPeer(
            connection: try connections.open(Peer(channel: channel, claim: "peer \(number)")),
            signer: signer)
    }
}

private struct MemoryPeer: TestPeer {
    let connection: Connection
    let signer: any Signer

    func send(_ frame: [UInt8]) async -> [UInt8]? {
        let answer = try? await connection.answer(frame, by: signer)
        guard case .message(let bytes)? = answer?.reply else { return nil }
        return bytes
    }

    func leave() async { connection.close() }
}

/// Refuses all requests, on record, until a test lets it grant.
private final class RefusingSigner: Signer {
    private let grants = Mutex(false)

    func grant() { grants.withLock { $0 = true } }

    func answer(_ frame: Frame, over _: AdapterID?) async -> Answer {
        Answer(
            reply: .message(frame.bytes),
            ending: .outcome(
                grants.withLock { $0 } ? .done([]) : .denied(Reason(.policyDenied, "no"))),
            remembered: [])
    }
}

@Suite("Transports", .timeLimit(.minutes(10)))
struct TransportTests {
    @Test("one that counts its connections and frames passes the suite")
    func conformance() async throws {
        let suite = TransportConformance(
            make: { MemoryTransport() }, connect: { try $0.connect() })
        let findings = try await suite.findings()
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test("a refusal has its own reason")
    func refusals() async throws {
        let connections = Connections(TransportLimits(connectionsMax: 1, framesMax: 1))
        let connection = try connections.open(.inProcess("a"))
        #expect(throws: Connections.Refusal.tooManyConnections) {
            try connections.open(.inProcess("b"))
        }
        let signer = HeldSigner()
        let waiting = Task { try await connection.answer([1], by: signer) }
        await signer.holds(1)
        await #expect(throws: Connections.Refusal.tooManyFrames) {
            try await connection.answer([2], by: signer)
        }
        connection.close()
        connection.close()
        await signer.waitForLeaving()
        _ = try await waiting.value
        await #expect(throws: Connections.Refusal.closed) {
            try await connection.answer([3], by: signer)
        }
        await connections.drain()
        #expect(throws: Connections.Refusal.draining) { try connections.open(.inProcess("c")) }
    }

    @Test("a client that is refused again and again is heard now and then, under any name")
    func refusedTooOften() async throws {
        let time = Mutex(ContinuousClock.now)
        let connections = Connections(TransportLimits(connectionsMax: .max)) {
            time.withLock { $0 }
        }
        let signer = RefusingSigner()
        func heard(_ peer: Peer, times: Int) async throws -> Int {
            var count = 0
            for _ in 0..<times {
                let connection = try connections.open(peer)
                defer { connection.close() }
                do throws(Connections.Refusal) {
                    _ = try await connection.answer([0], by: signer)
                    count += 1
                } catch {
                    #expect(error == .tooManyRefused)
                }
            }
            return count
        }
        func peer(_ claim: String) -> Peer {
            Peer(channel: "socket", provedUserID: 7, executable: "/usr/bin/page", claim: claim)
        }
        #expect(try await heard(peer("a"), times: 200) == 200)
        #expect(try await heard(peer("b"), times: 200) == 100)
        #expect(try await heard(peer("c"), times: 50) == 0)
        let bot = Peer(channel: "socket", provedUserID: 7, credential: .program("bot"))
        #expect(try await heard(bot, times: 5) == 5, "somebody else is heard")
        for seconds in [Int64(4), 1, 5, 10] {
            time.withLock { $0 += .seconds(seconds) }
            #expect(try await heard(peer("d"), times: 50) == [4: 0, 1: 1, 5: 1, 10: 2][seconds])
        }
        // A client with a granted request is no longer slowed down.
        time.withLock { $0 += .seconds(5) }
        signer.grant()
        #expect(try await heard(peer("a"), times: 50) == 50)
    }

    @Test("proved and kernel facts distinguish clients, and claims do not")
    func countedAs() {
        func page(_ origin: String, _ party: String) -> BrowserPage {
            BrowserPage(
                profile: "fox", origin: origin, party: party, topOrigin: origin, document: nil)
        }
        let peers = [
            Peer(channel: "socket", provedUserID: 7, processMark: "1 5"),
            Peer(channel: "socket", provedUserID: 7, processMark: "1 6"),
            Peer(channel: "cli", provedUserID: 7, login: "1"),
            Peer(channel: "socket", provedUserID: 7, credential: .program("a")),
            Peer(channel: "socket", provedUserID: 7, credential: .page(page("https://a.b", "b"))),
            Peer(channel: "socket", provedUserID: 7, credential: .page(page("https://a.c", "c"))),
            Peer(channel: "web", visit: .link),
            Peer(
                channel: "web",
                visit: .message(origin: "https://a.b", party: "b", isFramed: false)),
        ]
        #expect(Set(peers.map(\.countedAs)).count == peers.count)
        let one = Peer(
            channel: "socket", claim: "q", credential: .page(page("https://x.b", "b")))
        #expect(one.countedAs == peers[4].countedAs)
        #expect(peers[2].countedAs == nil)
        let programs = ["1 5", "1 5", "2 5"].map {
            Peer(channel: "socket", provedUserID: 7, executable: "/a", processMark: $0).countedAs
        }
        #expect(programs[0] == programs[1] && programs[1] != programs[2])
        // A process may run another program and claim any name and channel.
        let process = [("/a", "socket", nil), ("/b", "cli", PageVisit.link)].map { it in
            Peer(
                channel: ChannelName(it.1), provedUserID: 7, executable: it.0, login: it.0,
                claim: it.0,
                visit: it.2, processMark: "12 345"
            ).countedClient.name
        }
        #expect(Set(process) == ["process 12 345"])
    }

    @Test("draining ends after its time, with requests waiting or not")
    func slowDrain() async throws {
        let connections = Connections(TransportLimits(drainSecondsMax: 0))
        let connection = try connections.open(.inProcess("a"))
        let signer = HeldSigner()
        let waiting = Task { try await connection.answer([1], by: signer) }
        await signer.holds(1)
        await connections.drain()
        connection.close()
        _ = try await waiting.value
    }
}
