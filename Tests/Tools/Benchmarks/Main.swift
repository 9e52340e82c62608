// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCodecs
import SigningCore
import SigningStorage

// usage: signing-bench                 ratios against the raw C libraries, in one run
//        signing-bench requests        the same without policies
//        signing-bench loop [ADAPTER [COUNT [durable]]]  one request, for ever or so often, in
//                                      memory or on a durable ledger, for a profiler
//        signing-bench durable         requests on a durable ledger alone
//        signing-bench long [COUNT]    a record of so many entries alone
//        signing-bench growth [COUNT]  a record that hubs share, of three times so many requests
//        signing-bench bunker DIR COUNT URL...  a home with clients, for Tools/bench_bunker.py
//        signing-bench team... DIR ...  a hub of several, for Tools/bench_teams.py
//        signing-bench make-home DIR [COUNT]  a home with so many keys (1,000), for the benches

@main
struct Main {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        if words.first == "make-home", let path = words.dropFirst().first {
            let count = words.dropFirst(2).first.flatMap { Int($0) }
            try BenchHome.makeLarge(at: path, keys: count ?? 1_000)
            return
        }
        if words.first == "bunker", words.count > 3, let count = Int(Array(words)[2]) {
            return try await BunkerBench.make(
                at: Array(words)[1], count: count, over: Array(words.dropFirst(3)))
        }
        if try await TeamBench.run(Array(words)) { return }
        let home = try BenchHome()
        if words.first == "loop" {
            let adapter = words.dropFirst().first
            let count = words.dropFirst(2).first.flatMap { Int($0) } ?? .max
            let durably = words.dropFirst(3).first == "durable"
            return try await withTaskExecutorPreference(BlockingThreads.shared) {
                try await loop(home, adapter, count, durably: durably)
            }
        }
        if words.first == "long" {
            let entries = words.dropFirst().first.flatMap { Int($0) }
            return try await LongBench.run(home, entries: entries ?? LongBench.entriesStandard)
        }
        if words.first == "growth" {
            let requests = words.dropFirst().first.flatMap { Int($0) }
            return try await withTaskExecutorPreference(BlockingThreads.shared) {
                try await GrowthBench.run(
                    home, requests: requests ?? GrowthBench.requestsStandard)
            }
        }
        if words.first == "durable" { return try await DurableBench.run(home) }
        if words.first != "requests" { try PolicyBench.run() }
        let targets: [(request: (Int) -> BenchRequest, raw: RawSigner, ratio: Double)] = [
            ({ _ in .nip155 }, .bip340, 0.65), ({ _ in .nep413 }, .ed25519, 0.75),
            (BenchRequest.transfer, .ed25519, 0.6), ({ _ in .arc27 }, .ed25519, 0.6),
        ]
        print("in-process, one core, in-memory ledger; raw = the C library signs, then verifies")
        for target in targets {
            var place = 0
            let pair = try await Clock.beside(
                { target.raw.signAndVerify() },
                {
                    place += 1
                    try await home.answer(target.request(place))
                })
            print(
                "\(target.request(0).name): \(Int(pair.ours))/s, raw \(target.raw.name): "
                    + "\(Int(pair.raw))/s, ratio \(rounded(pair.ratio)) (target \(target.ratio))")
        }
        try await DurableBench.run(home)
        try await LongBench.run(home, entries: LongBench.entriesInPassing)
        try await AlgorandBench.run(home)
        try await nostr(home)
    }

    @concurrent private static func loop(
        _ home: BenchHome, _ adapter: String?, _ count: Int, durably: Bool
    ) async throws {
        for place in 1...count {
            let request: BenchRequest =
                switch adapter {
                case "nep413": .transfer(place)
                case "arc27": .arc27
                default: .nip155
                }
            try await home.answer(request, durably: durably)
        }
    }

    /// The most frequent requests of Nostr clients, which Tools/bench_nostr.py compares with
    /// another signer.
    private static func nostr(_ home: BenchHome) async throws {
        let text = String(repeating: "0123456789abcde\n", count: 64)
        let encrypt = BenchRequest.nip44("nip44_encrypt", "plaintext", text)
        let answer = try await home.answer(encrypt)
        let sealed = answer.split(separator: "result=").last.map(String.init) ?? ""
        let decrypt = BenchRequest.nip44(
            "nip44_decrypt", "encryptedText", try PercentEncoding.decode(sealed.utf8.span))
        var rates: [Double] = []
        for request in [encrypt, decrypt, .tagged(10), .tagged(1_000)] {
            var best = 0.0
            for _ in 0..<5 {
                best = max(best, try await Clock.perSecond { try await home.answer(request) })
            }
            rates.append(best)
            print("\(request.name): \(Int(best))/s")
        }
        print("an event of 1,000 tags costs \(rounded(rates[2] / rates[3])) of 10 (target 25)")
    }

    private static func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
}

/// Counts how often a body runs in a second.
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

    /// Runs two bodies alternately for about 20 ms each, so that another busy process slows both.
    ///
    /// Returns the median ratio of neighbouring turns, and the median rates.
    static func beside(
        _ raw: () -> Void, _ ours: () async throws -> Void
    ) async throws -> (raw: Double, ours: Double, ratio: Double) {
        var turns: [(raw: Double, ours: Double)] = []
        for _ in 0..<200 {
            let first = ContinuousClock.now
            for _ in 0..<200 { raw() }
            let second = ContinuousClock.now
            for _ in 0..<150 { try await ours() }
            let third = ContinuousClock.now
            turns.append((200 / seconds(second - first), 150 / seconds(third - second)))
        }
        return (
            median(turns.map(\.raw)), median(turns.map(\.ours)),
            median(turns.map { $0.ours / $0.raw })
        )
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func seconds(since start: ContinuousClock.Instant) -> Double {
        seconds(ContinuousClock.now - start)
    }

    private static func seconds(_ span: Duration) -> Double {
        Double(span.components.seconds) + Double(span.components.attoseconds) / 1e18
    }
}
