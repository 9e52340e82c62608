// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningStorage

@Suite("Many requests over several hubs", .timeLimit(.minutes(10)))
struct SharedLoadTests {
    private static let claim = LimitClaim.count("all", maximum: 150)

    /// Runs one request; returns true if it was carried out.
    private func run(_ number: Int, in ledger: SQLiteLedger) async -> Bool {
        let token = ReplayToken([UInt8(number % 200)], isSingleUse: true)
        let intent =
            switch number % 4 {
            case 0: makeIntent(claims: [Self.claim])
            case 1: makeIntent(token: token)
            case 2: makeIntent(serials: [SerialUse(series: "s", number: UInt64(number % 100))])
            default: makeIntent(claims: [.count("few", maximum: 20), .count("some", maximum: 90)])
            }
        do throws(LedgerError) {
            try await ledger.reserve(intent, currentPolicyHash: policyHash)
            // Some requests use no key, and most results are written with a later commit.
            let settlement: Settlement =
                number % 8 == 3
                ? .notUsed(Reason(.keyUnavailable, "the vault is locked"))
                : .done(resultDigests: [[UInt8(number & 0xFF)]])
            try await ledger.settle(intent.id, settlement, at: Timestamp(seconds: 1_000))
            return true
        } catch {
            return false
        }
    }

    @Test("spend no limit twice, and lose nothing")
    func exact() async throws {
        let team = try Team(3)
        let done = await withTaskGroup(of: (Int, Bool).self) { group in
            for number in 0..<1_000 {
                let ledger = team[number % 3]
                group.addTask { (number, await run(number, in: ledger)) }
            }
            return await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
        }
        try team.expectOneTruth()
        let count = { (kind: Int) in done.count { $0.key % 4 == kind && $0.value } }
        #expect(count(0) == 150)
        // A quarter of the 200 tokens and of the 100 numbers belong to each kind of request.
        #expect(count(1) == 50)
        #expect(count(2) == 25)
        #expect(count(3) >= 20)
        for ledger in team.ledgers {
            #expect(try ledger.used(Self.claim, at: 1_000) == 150)
            #expect(try ledger.used(.count("few"), at: 1_000) <= 20)
            #expect(try ledger.unsettledIntents() == 0)
        }
        // Each commit of many changes is one batch.
        #expect(team.log.batches.count < 2 * done.count)
    }

    @Test("stay exact while answers get lost")
    func lostAnswers() async throws {
        let team = try Team(2)
        let failing = Task {
            while !Task.isCancelled {
                team.log.fail(Bool.random() ? .lostBefore : .lostAfter)
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
        let done = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<400 {
                let ledger = team[number % 2]
                group.addTask { await run(4 * number, in: ledger) }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        failing.cancel()
        await failing.value
        team.log.heal()
        try team.expectOneTruth()
        #expect(done <= 150)
        let used = try team[0].used(Self.claim, at: 1_000)
        #expect(used <= 150 && used >= Int128(done))
    }
}
