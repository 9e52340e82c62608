// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import Foundation
import SigningCore
import SigningFiles
import SigningStorage
import SigningVault

/// A record of a million entries and a limit with a million uses, beside small ones.
enum LongBench {
    static let entriesStandard = 1_000_000
    /// The number of entries in a run of all benchmarks, which should take a minute.
    static let entriesInPassing = 200_000
    private static let turns = 30
    private static let requests = 60

    static func run(_ home: BenchHome, entries: Int = entriesStandard) async throws {
        let small = try home.limited("small")
        for _ in 0..<10 { try await small.answer() }
        let first = try home.limited("large")
        try await first.answer()
        try first.ledger.flush()
        let filling = LongRecord(path: first.home.path + "/ledger.db")
        filling.fill(to: entries)
        let opening = ContinuousClock.now
        let large = try home.limited("large")
        _ = try large.ledger.length()
        let opened = milliseconds(since: opening)
        print(
            "a record of \(entries) entries: opens in \(rounded(opened)) ms (target 100), "
                + "a request \(rounded(try await ratio(large, small))) times one of ten "
                + "(target 1.2)")
        let before = LongRecord.peakMebibytes
        let start = ContinuousClock.now
        let report = try AuditLog.open(large.home).verify(
            logPublicKey: home.vault.logPublicKey(),
            lastKnownCheckpoint: home.vault.lastCheckpoint())
        let rate = Double(report.entryCount) / milliseconds(since: start) * 1_000
        if let problem = report.problem { fatalError("the record does not hold: \(problem.text)") }
        print(
            "audit verify: \(Int(rate)) entries/s (target 50000), "
                + "\(LongRecord.peakMebibytes - before) MiB more than before")
        filling.fillUses(to: entries)
        print(
            "a limit with \(entries) uses in its window: a request "
                + "\(rounded(try await ratio(large, small))) times one with ten (target 1.2)")
    }

    /// The cost of a request in one record relative to another, measured alternately.
    private static func ratio(_ one: LimitedHub, _ other: LimitedHub) async throws -> Double {
        var ratios: [Double] = []
        for _ in 0..<turns {
            let first = ContinuousClock.now
            for _ in 0..<requests { try await other.answer() }
            let second = ContinuousClock.now
            for _ in 0..<requests { try await one.answer() }
            ratios.append((ContinuousClock.now - second) / (second - first))
        }
        return ratios.sorted()[turns / 2]
    }

    private static func milliseconds(since start: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - start) / .milliseconds(1)
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

/// A hub with one rule that has a limit, on a separate durable ledger.
struct LimitedHub: Sendable {
    let home: Home
    let ledger: SQLiteLedger
    let hub: SigningHub
    let adapters: AdapterSet

    func answer(_ request: BenchRequest = .nip155) async throws {
        let frame = request.frame
        let adapter = try adapters.choose(named: "nip155", for: frame.span)
        let answer = await hub.answer(
            Frame(bytes: frame, peer: Peer(channel: "bench", claim: "bench")), with: adapter)
        guard case .outcome(.done) = answer.ending else {
            throw CocoaError(.featureUnsupported, userInfo: ["answer": "\(answer)"])
        }
    }
}
