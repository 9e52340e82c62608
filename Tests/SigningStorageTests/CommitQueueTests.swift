// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCrypto
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage

@Suite("One commit for many requests", .timeLimit(.minutes(10)))
struct CommitQueueTests {
    let temporary: TemporaryHome
    /// A second writer, which can keep the file locked.
    let other: Database<LedgerError>

    init() throws {
        temporary = try TemporaryHome()
        try SQLiteLedger.create(in: temporary.home)
        other = try Database(
            path: temporary.home.ledgerPath, schema: .ledger, .existing)
    }

    private func open(busyTimeoutMilliseconds: Int32 = 300_000) throws -> SQLiteLedger {
        SQLiteLedger(
            try Database(
                path: temporary.home.ledgerPath, schema: .ledger, .existing,
                busyTimeoutMilliseconds: busyTimeoutMilliseconds))
    }

    private func keepFile() throws {
        try other.query { access throws(LedgerError) in try access.run("BEGIN IMMEDIATE") }
    }

    private func leaveFile() throws {
        try other.query { access throws(LedgerError) in try access.run("ROLLBACK") }
    }

    private func reserve(_ intent: Intent, in ledger: SQLiteLedger) async throws {
        try await ledger.reserve(intent, currentPolicyHash: policyHash)
    }

    private func settle(
        _ intent: Intent, noting value: Int64, in ledger: SQLiteLedger
    ) async throws {
        try await ledger.settle(
            intent.id, .done(resultDigests: [], notes: [Note(Self.key, "size", value)]),
            at: Timestamp(seconds: 1_000))
    }

    private static let key = Note.Subject.key(KeyID("k"))

    private func kinds() throws -> [String] {
        try AuditLog.open(temporary.home).entries(limit: 100).reversed().map(\.kind)
    }

    @Test("one that is refused undoes nothing of the others")
    func refusedAmongOthers() async throws {
        let ledger = try open()
        try keepFile()
        let narrow = LimitClaim.count("narrow", window: nil, maximum: 7)
        let wide = LimitClaim.count("wide", window: nil, maximum: 100)
        async let first: Void = reserve(makeIntent(), in: ledger)
        let done = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<30 {
                group.addTask {
                    do throws(LedgerError) {
                        try await ledger.reserve(
                            makeIntent(claims: [wide, narrow]), currentPolicyHash: policyHash)
                        return true
                    } catch {
                        guard error == .limitExceeded(counter: "narrow") else { throw error }
                        return false
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(50))
            try leaveFile()
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        try await first
        #expect(done == 7)
        #expect(try ledger.used(wide, at: 1_000) == 7)
        #expect(try ledger.intentCount() == 8 && ledger.count("audit") == 8)
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("a failed commit fails all of them, and riding results are kept for the next")
    func failedCommit() async throws {
        let ledger = try open(busyTimeoutMilliseconds: 20)
        let before = makeIntent()
        try await reserve(before, in: ledger)
        try keepFile()
        try await settle(before, noting: 3, in: ledger)
        let failures = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    do throws(LedgerError) {
                        try await ledger.reserve(makeIntent(), currentPolicyHash: policyHash)
                        return false
                    } catch {
                        if case .unavailable = error { return true } else { return false }
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 5)
        #expect(throws: LedgerError.self) { try ledger.flush() }
        #expect(try ledger.noted("size", about: Self.key)?.value == 3, "it is told all the same")
        try leaveFile()
        try await reserve(makeIntent(), in: ledger)
        #expect(try kinds() == ["intent", "result", "intent"])
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("a failed read keeps no later request waiting")
    func failedLook() async throws {
        let ledger = try open(busyTimeoutMilliseconds: 1_000)
        let before = makeIntent()
        try await reserve(before, in: ledger)
        try keepFile()
        try await settle(before, noting: 3, in: ledger)
        // The writing thread pauses, fails, and sleeps.
        try await Task.sleep(for: .milliseconds(2_500))
        let look = Task.detached { () -> Bool in
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(returning: (try? ledger.flush()) == nil)
                }
            }
        }
        try await Task.sleep(for: .milliseconds(300))
        let later = Task.detached(executorPreference: BlockingThreads.shared) {
            // A later change, while no other is being written, fails because the file is locked.
            while (try? await ledger.reserve(makeIntent(), currentPolicyHash: policyHash)) == nil,
                !Task.isCancelled
            {}
        }
        defer { later.cancel() }
        #expect(await look.value, "it fails")
        try leaveFile()
        for _ in 0..<6_000 {
            guard try kinds().count(where: { $0 == "intent" }) < 2 else { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try kinds().count { $0 == "intent" } == 2)
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test(
        "a result is reported at once, and written by the next commit, a pause, a read or the end")
    func riding() async throws {
        var ledger: SQLiteLedger? = try open()
        for (round, way) in ["commit", "rest", "look", "end"].enumerated() {
            let intent = makeIntent()
            let open = try #require(ledger)
            try await reserve(intent, in: open)
            try await settle(intent, noting: Int64(round), in: open)
            #expect(try open.noted("size", about: Self.key)?.value == Int64(round))
            switch way {
            case "commit": try await open.record(makeRefusal())
            case "rest":
                while try kinds().count(where: { $0 == "result" }) <= round {
                    try await Task.sleep(for: .milliseconds(5))
                }
            case "look": #expect(try open.unsettledIntents() == 0)
            default: ledger = nil
            }
            if way == "end" { try await Task.sleep(for: .milliseconds(1)) }
            let results = try kinds().count { $0 == "result" }
            #expect(results == round + 1 || way == "end", "\(way)")
        }
        ledger = nil
        #expect(try kinds().count { $0 == "result" } == 4)
        #expect(try open().noted("size", about: Self.key)?.value == 3)
    }

    @Test("a remembered, sent, connected or returned item is on record before it is reported")
    func waitedFor() async throws {
        let ledger = try open()
        let claim = LimitClaim.count()
        let item = Broadcast.Item(id: "one", sender: "a", bytes: [1])
        let settlements: [Settlement] = [
            .notUsed(Reason(.keyUnavailable, "locked")),
            .done(resultDigests: [[1]], broadcast: Broadcast(network: "n", items: [item])),
        ]
        for (place, settlement) in settlements.enumerated() {
            let intent = makeIntent(claims: [claim])
            try await reserve(intent, in: ledger)
            try await ledger.settle(intent.id, settlement, at: Timestamp(seconds: 1_000))
            #expect(try kinds().count { $0 == "result" } == place + 1)
        }
        #expect(try ledger.used(claim, at: 1_000) == 1)
    }

    @Test("beyond the most that wait one more is refused, and all others are carried out")
    func bounded() async throws {
        let ledger = try open()
        try keepFile()
        let count = CommitQueue.waitingMax + 2 * CommitQueue.batchMax
        let done = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask {
                    do throws(LedgerError) {
                        try await ledger.reserve(makeIntent(), currentPolicyHash: policyHash)
                        return true
                    } catch {
                        let text = "too many requests wait for the record"
                        guard error == .unavailable(text) else { throw error }
                        return false
                    }
                }
            }
            var done = 0
            // The refused changes return first.
            for _ in 0..<CommitQueue.batchMax where try await group.next() == true { done += 1 }
            try leaveFile()
            for try await isDone in group where isDone { done += 1 }
            return done
        }
        #expect((CommitQueue.waitingMax...count - CommitQueue.batchMax).contains(done))
        #expect(try ledger.intentCount() == Int64(done))
    }
}
