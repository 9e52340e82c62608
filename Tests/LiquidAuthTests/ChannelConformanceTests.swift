// SPDX-License-Identifier: Apache-2.0

import LiquidAuth
import SigningCodecs
import SigningCore
import SigningTesting
import Synchronization
import Testing

/// A page whose request ids are the frames of the suite.
private final class ChannelPeer: TestPeer {
    private let page: PageEnd
    private let answers = Mutex<[String]>([])
    private let hasEnded = Mutex(false)

    init(_ transport: ChannelTransport, number: Int) {
        page = PageEnd(of: transport, host: "page \(number)")
        Task { [self] in
            while let answer = await page.next() { answers.withLock { $0.append(answer) } }
            hasEnded.withLock { $0 = true }
        }
    }

    func send(_ frame: [UInt8]) async -> [UInt8]? {
        let word = String(decoding: frame, as: UTF8.self)
        let sent = request(word)
        guard (try? await page.send(sent)) != nil else { return nil }
        // A frame that arrives during the stop is answered by silence, so the wait needs a limit.
        let tries = word == "late" ? 200 : 12_000
        for _ in 0..<tries {
            let isAnswered = answers.withLock { answers in
                guard let place = answers.firstIndex(of: "re: \(sent)") else { return false }
                answers.remove(at: place)
                return true
            }
            if isAnswered { return Array("re: ".utf8) + frame }
            let isRefused = answers.withLock { answers in
                answers.contains { (try? JSON.parse($0.utf8.span))?["requestId"]?.text == word }
            }
            if isRefused || hasEnded.withLock({ $0 }) { return nil }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }

    func leave() async { await page.channel.close() }
}

@Suite("Data channels as a transport", .timeLimit(.minutes(10)))
struct ChannelConformanceTests {
    @Test("they pass the suite of all transports")
    func conformance() async throws {
        let count = Mutex(0)
        let suite = TransportConformance(
            make: {
                ChannelTransport(
                    environment: FixedEnvironment(),
                    limits: TransportLimits(
                        connectionsMax: 5, framesMax: 8, framesPerPeerMax: 3, drainSecondsMax: 60))
            },
            connect: { transport in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return ChannelPeer(transport, number: number)
            })
        let findings = try await suite.findings()
        #expect(findings == [])
    }
}
