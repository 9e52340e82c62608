// SPDX-License-Identifier: Apache-2.0

import TestHome
import Testing

@testable import SigningCore
@testable import SigningStorage

@Suite("Threads that may wait for a disk")
struct BlockingThreadsTests {
    private let threads = BlockingThreads.shared

    @Test("tasks that prefer them come back to them after each wait, and others never run there")
    func comesBack() async throws {
        #expect(!threads.isCurrent)
        try await withTaskExecutorPreference(threads) {
            #expect(threads.isCurrent)
            try await Task.sleep(for: .milliseconds(5))
            #expect(threads.isCurrent)
            async let child = threads.isCurrent
            #expect(await child)
            let apart = await Task.detached { BlockingThreads.shared.isCurrent }.value
            #expect(!apart)
        }
        #expect(!threads.isCurrent)
    }

    @Test("every job runs once, however many wait")
    func all() async {
        let threads = threads
        let count = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<5_000 {
                group.addTask(executorPreference: threads) {
                    let isThere = threads.isCurrent
                    await Task.yield()
                    return isThere && threads.isCurrent ? 1 : 0
                }
            }
            return await group.reduce(0, +)
        }
        #expect(count == 5_000)
    }

    @Test("concurrent writes of several tasks and processes are one chain, and none is lost")
    func oneChain() async throws {
        let temporary = try TemporaryHome()
        let (ledger, threads) = (try SQLiteLedger.made(in: temporary.home), threads)
        try await withThrowingTaskGroup { group in
            for task in 0..<16 {
                // These tasks run on threads that must not block, so another thread writes for
                // them.
                group.addTask(executorPreference: task % 4 == 0 ? nil : threads) {
                    for _ in 0..<25 {
                        let intent = makeIntent()
                        try await ledger.reserve(intent, currentPolicyHash: policyHash)
                        try await ledger.settle(
                            intent.id, .done(resultDigests: []), at: Timestamp(seconds: 1_000))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try ledger.unsettledIntents() == 0)
        #expect(try ledger.length().entries == 800)
    }

    @Test("each concurrent write is on record before it goes on, with the results that rode along")
    func atOnce() async throws {
        let temporary = try TemporaryHome()
        let ledger = try SQLiteLedger.made(in: temporary.home)
        let other = try SQLiteLedger.open(temporary.home)
        try await withTaskExecutorPreference(threads) {
            for number in 1...20 {
                let intent = makeIntent()
                try await ledger.reserve(intent, currentPolicyHash: policyHash)
                #expect(threads.isCurrent)
                // A result may be written before the next request, after a pause.
                #expect(try other.length().entries >= Int64(2 * number - 1))
                try await ledger.settle(
                    intent.id, .done(resultDigests: []), at: Timestamp(seconds: 1_000))
            }
        }
    }
}
