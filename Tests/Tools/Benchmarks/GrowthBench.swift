// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import Foundation
import SigningCore
import SigningFiles
import SigningStorage
import TestHome

/// The growth of a record that two hubs share, and the cost of copying it; the log is in memory, so
/// that only the hubs' own work is timed.
enum GrowthBench {
    static let requestsStandard = 20_000

    static func run(_ home: BenchHome, requests: Int = requestsStandard) async throws {
        let log = MemoryLog()
        let hubs = try await team(of: 4, home, over: log)
        for clients in [1, 16, 64] {
            try await grow(hubs[0], requests, clients: clients, in: log)
            try takeIn(hubs[1].ledger, log)
        }
        try open(hubs[1].home)
        try rebuild(hubs[1].home, log)
        log.setFlush(microseconds: flushMicroseconds)
        // Hub 1 is left out: its copy was rebuilt, and replaces the open one.
        let others = [hubs[0], hubs[2], hubs[3]]
        for hub in others { try hub.ledger.catchUp() }
        for count in 1...others.count { try await together(Array(others.prefix(count))) }
    }

    /// Hubs with one request on record, which share it.
    private static func team(
        of count: Int, _ home: BenchHome, over log: MemoryLog
    ) async throws -> [LimitedHub] {
        let now = SystemEnvironment().now()
        var hubs = [try home.limited("hub-0")]
        try await answer(hubs[0], 0..<1)
        try hubs[0].ledger.share(
            over: log.connect(), address: log.address, hubName: "hub-0", at: now)
        for place in 1..<count {
            // No process writes meanwhile, so the copied file is complete.
            let folder = home.path + "/hub-\(place)"
            _ = try Home.create(at: folder)
            for end in ["", "-wal"]
            where FileManager.default.fileExists(atPath: hubs[0].file + end) {
                try FileManager.default.copyItem(
                    atPath: hubs[0].file + end, toPath: folder + "/ledger.db" + end)
            }
            let hub = try home.limited("hub-\(place)")
            try hub.ledger.join(as: "hub-\(place)", at: now)
            try hubs[0].ledger.catchUp()
            hubs.append(hub)
        }
        return hubs
    }

    /// Hubs with 8 clients each on a log that delays writes like the disk of a server.
    private static func together(_ hubs: [LimitedHub]) async throws {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for hub in hubs {
                for client in 0..<8 {
                    group.addTask {
                        let ids = client * turnsTogether..<(client + 1) * turnsTogether
                        try await answer(hub, ids)
                    }
                }
            }
            try await group.waitForAll()
        }
        let seconds = microseconds(since: start) / 1_000_000
        print(
            "\(hubs.count) hubs of 8 clients, \(flushMicroseconds / 1_000) ms a flush: "
                + "\(Int(Double(hubs.count * 8 * turnsTogether) / seconds)) requests/s")
    }

    private static let flushMicroseconds: UInt32 = 5_000
    /// The number of requests per client.
    private static let turnsTogether = 200

    private static func grow(
        _ hub: LimitedHub, _ requests: Int, clients: Int, in log: MemoryLog
    ) async throws {
        let before = (log.batches.count, log.bytes, hub.bytes)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<clients {
                group.addTask {
                    let share = requests / clients
                    try await answer(hub, client * share..<(client + 1) * share)
                }
            }
            try await group.waitForAll()
        }
        try hub.ledger.flush()
        let took = microseconds(since: start)
        let count = requests / clients * clients
        let batches = log.batches.count - before.0
        print(
            "\(clients) clients: \(rounded(Double(count) / Double(batches))) requests a batch, "
                + "\(Int(took / Double(count))) us each; "
                + "\((log.bytes - before.1) / count) bytes of the log and "
                + "\((hub.bytes - before.2) / count) of ledger.db a request")
    }

    /// Imports the batches of the first hub, like another hub.
    private static func takeIn(_ ledger: SQLiteLedger, _ log: MemoryLog) throws {
        let (entries, place) = (
            try ledger.length().entries, try ledger.sharing()?.place.sequence ?? 0
        )
        let start = ContinuousClock.now
        try ledger.catchUp()
        let took = microseconds(since: start)
        let count = try ledger.length().entries - entries
        print(
            "taking it in: \(rounded(took / Double(log.batches.count - Int(place)))) us a batch, "
                + "\(rounded(took / Double(count))) us an entry")
    }

    private static func open(_ home: Home) throws {
        let start = ContinuousClock.now
        let entries = try SQLiteLedger.open(home).length().entries
        let took = rounded(microseconds(since: start) / 1_000)
        print("a copy of \(entries) entries opens in \(took) ms")
    }

    private static func rebuild(_ home: Home, _ log: MemoryLog) throws {
        let start = ContinuousClock.now
        _ = try SQLiteLedger.rebuild(
            in: home, by: RecordTrust(logPublicKey: [], lastCheckpoint: nil))
        let took = microseconds(since: start) / 1_000_000
        let count = log.batches.count
        print(
            "made anew from \(count) batches in \(rounded(took)) s: "
                + "\(rounded(took / Double(count) * 100_000)) s for 100,000")
    }

    private static func answer(_ hub: LimitedHub, _ ids: Range<Int>) async throws {
        let first = BenchRequest.nip155.frame
        let adapter = try hub.adapters.choose(named: "nip155", for: first.span)
        for id in ids {
            let frame = Frame(
                bytes: BenchRequest.nip155(id: id).frame,
                peer: Peer(channel: "bench", claim: "bench"))
            let answer = await hub.hub.answer(frame, with: adapter)
            guard case .outcome(.done) = answer.ending else {
                throw CocoaError(.featureUnsupported, userInfo: ["answer": "\(answer)"])
            }
        }
    }

    private static func microseconds(since start: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - start) / .microseconds(1)
    }

    private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

extension LimitedHub {
    fileprivate var file: String { home.path + "/ledger.db" }

    /// The size of the ledger on disk.
    fileprivate var bytes: Int {
        ["", "-wal"].reduce(0) { sum, end in
            let found = try? FileManager.default.attributesOfItem(atPath: file + end)[.size]
            return sum + ((found as? NSNumber)?.intValue ?? 0)
        }
    }
}

extension MemoryLog {
    /// The size of all bodies, with 64 bytes for each signature and 32 for each hash.
    fileprivate var bytes: Int { batches.reduce(0) { $0 + $1.body.count + 96 } }
}
