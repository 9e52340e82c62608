// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCore

// usage: signing-bench                 ratios against the raw C libraries, in one run
//        signing-bench make-home DIR   a home with 1,000 keys, for Tools/bench_command.py

@main
struct Main {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        if words.first == "make-home", let path = words.dropFirst().first {
            try BenchHome.makeLarge(at: path)
            return
        }
        try PolicyBench.run()
        let home = try BenchHome()
        defer { home.remove() }
        let targets: [(request: BenchRequest, raw: RawSigner, ratio: Double)] = [
            (.nip155, .bip340, 0.60), (.nep413, .ed25519, 0.70), (.arc27, .ed25519, 0.55),
        ]
        print("in-process, one core, in-memory ledger; raw = the C library signs, then verifies")
        for target in targets {
            var best = (raw: 0.0, ours: 0.0)
            for _ in 0..<5 {
                best.raw = max(best.raw, Clock.perSecond { target.raw.signAndVerify() })
                best.ours = max(
                    best.ours,
                    try await Clock.perSecond { try await home.answer(target.request) })
            }
            let ratio = best.ours / best.raw
            print(
                "\(target.request.name): \(Int(best.ours))/s, raw \(target.raw.name): "
                    + "\(Int(best.raw))/s, ratio \(rounded(ratio)) (target \(target.ratio))")
        }
    }

    private static func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
}

/// Counts how often something happens in a second.
enum Clock {
    private static let span = Duration.milliseconds(700)

    static func perSecond(_ body: () -> Void) -> Double {
        let start = ContinuousClock.now
        var count = 0
        while ContinuousClock.now - start < span {
            for _ in 0..<50 { body() }
            count += 50
        }
        return Double(count) / seconds(since: start)
    }

    static func perSecond(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        var count = 0
        while ContinuousClock.now - start < span {
            for _ in 0..<50 { try await body() }
            count += 50
        }
        return Double(count) / seconds(since: start)
    }

    private static func seconds(since start: ContinuousClock.Instant) -> Double {
        let parts = (ContinuousClock.now - start).components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
}
