// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningStorage

/// Requests on a durable ledger, beside the same requests in memory, in one run.
enum DurableBench {
    private static let turns = 60
    private static let requests = 100
    private static let tasks = 16

    /// The time of one request in each variant, in microseconds.
    private struct Turn {
        var memory = 0.0
        var durable = 0.0
        var commit = 0.0
        var atOnce = 0.0
    }

    static func run(_ home: BenchHome) async throws {
        // The threads that run an agent's requests.
        try await withTaskExecutorPreference(BlockingThreads.shared) { try await measure(home) }
    }

    private static func measure(_ home: BenchHome) async throws {
        let raw = RawCommit(path: home.path + "/raw.db")
        var all: [Turn] = []
        // The variants alternate, so that another busy process slows all of them.
        for _ in 0..<turns {
            var turn = Turn()
            turn.memory = try await microseconds(requests) {
                for _ in 0..<requests { try await home.answer(.nip155) }
            }
            turn.durable = try await microseconds(requests) {
                for _ in 0..<requests { try await home.answer(.nip155, durably: true) }
            }
            turn.commit = await microseconds(requests) {
                for _ in 0..<requests { raw.commit() }
            }
            turn.atOnce = try await microseconds(tasks * requests) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<tasks {
                        group.addTask {
                            let request = BenchRequest.nip155(id: task)
                            for _ in 0..<requests {
                                try await home.answer(request, durably: true)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            all.append(turn)
        }
        let commit = median(all.map(\.commit))
        let one = median(all.map(\.durable))
        let beyond = median(all.map { ($0.durable - $0.memory) / $0.commit })
        print(
            "nip155, durable: \(rate(one))/s, in memory \(rate(median(all.map(\.memory))))/s, "
                + "beyond it \(rounded(beyond)) SQLite commits of 1 kB "
                + "(\(Int(commit)) us; target 1.5)")
        print(
            "nip155, durable, \(tasks) at once: \(rate(median(all.map(\.atOnce))))/s, "
                + "\(rounded(median(all.map { $0.durable / $0.atOnce }))) times one (target 3)")
    }

    private static func microseconds(
        _ count: Int, _ body: () async throws -> Void
    ) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        let parts = (ContinuousClock.now - start).components
        let seconds = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
        return seconds * 1e6 / Double(count)
    }

    private static func rate(_ microseconds: Double) -> Int { Int(1e6 / microseconds) }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
