// SPDX-License-Identifier: Apache-2.0

import NIP46
import SigningCodecs
import SigningCore
import SigningTesting
import Synchronization
import Testing

@testable import Relays

/// A client over a relay; a frame of the suite is sent in place of a method.
private final class RelayPeer: TestPeer {
    private let client: RelayClient
    private let hasLeft = Mutex(false)

    init(_ client: RelayClient) { self.client = client }

    func send(_ frame: [UInt8]) async -> [UInt8]? {
        guard let call = try? client.post(String(decoding: frame, as: UTF8.self)) else {
            return nil
        }
        let sent = Array("re: ".utf8) + call.bytes
        // A frame that arrives during the stop is answered by silence, so the wait needs a limit.
        let tries = frame == Array("late".utf8) ? 200 : 12_000
        for _ in 0..<tries {
            let envelopes = (try? client.envelopes()) ?? []
            if envelopes.contains(sent) { return Array("re: ".utf8) + frame }
            let isRefused = envelopes.contains { envelope in
                (try? JSON.parse(envelope.span))?["id"]?.text == call.id
            }
            if isRefused || hasLeft.withLock({ $0 }) { return nil }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }

    func leave() async {
        try? client.leave()
        hasLeft.withLock { $0 = true }
    }
}

@Suite("Relays as a transport", .timeLimit(.minutes(10)))
struct ConformanceTests {
    @Test("they pass the suite of all transports")
    func conformance() async throws {
        let rigs = Mutex<[ObjectIdentifier: RelaysRig]>([:])
        let suite = TransportConformance(
            make: {
                let rig = try RelaysRig()
                let transport = rig.transport(
                    TransportLimits(
                        connectionsMax: 5, framesMax: 8, framesPerPeerMax: 3, drainSecondsMax: 540))
                rigs.withLock { $0[ObjectIdentifier(transport)] = rig }
                return transport
            },
            connect: { transport in
                let rig = rigs.withLock { $0[ObjectIdentifier(transport)] }
                return RelayPeer(try await #require(rig).client(of: transport))
            })
        let findings = try await suite.findings()
        #expect(findings.isEmpty, "\(findings)")
    }
}
