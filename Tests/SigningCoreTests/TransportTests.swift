// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Synchronization
import Testing

/// A transport within one process: what others do besides is to read and write.
private final class MemoryTransport: Transport {
    let door: Door = "memory"
    let limits = TransportLimits(
        connectionsMax: 4, framesMax: 8, framesPerPeerMax: 3, drainSecondsMax: 60)
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
            connection: try connections.open(Peer(door: door, claim: "peer \(number)")),
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

@Suite("Transports", .timeLimit(.minutes(10)))
struct TransportTests {
    @Test("one that counts its connections and frames passes the suite")
    func conformance() async throws {
        let suite = TransportConformance(
            make: { MemoryTransport() }, connect: { try $0.connect() })
        #expect(try await suite.findings() == [])
    }

    @Test("what is refused is refused for what it is")
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
        await signer.sawLeave()
        _ = try await waiting.value
        await #expect(throws: Connections.Refusal.closed) {
            try await connection.answer([3], by: signer)
        }
        await connections.drain()
        #expect(throws: Connections.Refusal.draining) { try connections.open(.inProcess("c")) }
    }

    @Test("draining ends after its time, whatever still waits")
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
