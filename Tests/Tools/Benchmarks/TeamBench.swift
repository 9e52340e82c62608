// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import PostgresLog
import SigningCore
import SigningFiles
import SigningStorage
import TestHome

/// Hubs that may share a ledger, for Tools/bench_teams.py; each is a process.
enum TeamBench {
    static func run(_ words: [String]) async throws -> Bool {
        PostgresLogs.register
        switch words.count {
        case 2 where words[0] == "team-make": try make(at: words[1], log: nil)
        case 3 where words[0] == "team-make": try make(at: words[1], log: words[2])
        case 4 where words[0] == "team-join": try join(words[1], to: words[2], as: words[3])
        case 4 where words[0] == "team":
            guard let clients = Int(words[2]), let seconds = Int(words[3]) else { return false }
            try await measure(words[1], clients: clients, seconds: seconds)
        default: return false
        }
        return true
    }

    /// Creates a home; moves its ledger to a new log if one is named.
    private static func make(at path: String, log address: String?) throws {
        let ledger = try SQLiteLedger.made(in: Home.create(at: path))
        guard let address else { return }
        let place = try PostgresAddress(address)
        _ = try PostgresLog.create(at: place)
        try ledger.share(
            over: PostgresLog(place), address: address, hubName: "one",
            at: SystemEnvironment().now())
    }

    /// Creates another hub with a copy of the first one's home.
    private static func join(_ other: String, to path: String, as name: String) throws {
        try FileManager.default.copyItem(atPath: other, toPath: path)
        try SQLiteLedger.open(Home.open(at: path)).join(as: name, at: SystemEnvironment().now())
    }

    /// Reports that it is ready; with the next line of input all clients begin.
    ///
    /// Each client has one request at a time. Prints the numbers of signed and failed requests, the
    /// seconds, and the processor time of this process.
    private static func measure(_ path: String, clients: Int, seconds: Int) async throws {
        let home = try BenchHome()
        // The home removes the folder of its keys at its end.
        defer { withExtendedLifetime(home) {} }
        let hub = try home.limited(at: path)
        try await withTaskExecutorPreference(BlockingThreads.shared) {
            try hub.ledger.catchUp()
            try await hub.answer(.nip155)
            print("ready")
            fflush(nil)
            guard readLine() != nil else { return }
            let before = processorSeconds
            let start = ContinuousClock.now
            let end = start + .seconds(seconds)
            let (count, failed) = await withTaskGroup(of: (Int, Int).self) { group in
                for client in 0..<clients {
                    group.addTask {
                        let request = BenchRequest.nip155(id: client)
                        var (count, failed) = (0, 0)
                        while ContinuousClock.now < end {
                            do {
                                try await hub.answer(request)
                                count += 1
                            } catch { failed += 1 }
                        }
                        return (count, failed)
                    }
                }
                return await group.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
            }
            let took = (ContinuousClock.now - start) / .seconds(1)
            print(count, failed, took, processorSeconds - before)
        }
    }

    private static var processorSeconds: Double {
        var time = timespec()
        let status = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        precondition(status == 0, "The system has its clocks.")
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
