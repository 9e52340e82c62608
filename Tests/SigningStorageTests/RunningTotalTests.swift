// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import TestHome
import Testing

@testable import SigningCore
@testable import SigningHome
@testable import SigningStorage

@Suite("Uses of a counter, as a difference of totals")
struct RunningTotalTests {
    let temporary: TemporaryHome
    let ledger: SQLiteLedger

    init() throws {
        temporary = try TemporaryHome()
        ledger = try temporary.makeLedger()
    }

    /// The windows that the test queries.
    private static let windows: [LimitWindow] = [
        .ever, .sliding(seconds: 1), .sliding(seconds: 7), .sliding(seconds: 40),
        .since(Timestamp(seconds: 1_030)),
    ]

    private func claim(_ counter: String, _ window: LimitWindow, _ amount: Int128) -> LimitClaim {
        LimitClaim(counter: counter, window: window, maximum: .max, amount: amount)
    }

    @Test("carries where 128 bits end, and is the largest amount where it is more than one")
    func wide() throws {
        var total = RunningTotal.zero
        var before: [RunningTotal] = []
        for _ in 0..<5 {
            before.append(total)
            total = total.adding(.max)
            #expect(RunningTotal(total.bytes) == total)
            #expect(before.last.map(total.since) == .max)
        }
        #expect(total.since(.zero) == .max)
        let more = total.adding(3).adding(4)
        #expect(more.since(total) == 7)
        #expect(more.removing(4).since(total) == 3)
        for earlier in before.reversed() {
            total = total.removing(.max)
            #expect(total == earlier)
        }
        #expect(RunningTotal([1, 2]) == nil)
    }

    @Test("is exact in every window, with any uses given back and any clock")
    func exact() throws {
        var random = SystemRandomNumberGenerator()
        var uses: [(counter: String, time: Int64, amount: Int128, id: [UInt8])] = []
        var clock: Int64 = 1_000
        var floor: Int64 = 0
        let key = try Ed25519Key(seed: secret(of: 5))
        for round in 0..<300 {
            clock += Int64.random(in: -3...4, using: &random)
            let counter = Bool.random(using: &random) ? "a" : "b"
            let amount = Int128.random(in: 0...9, using: &random)
            let intent = makeIntent(at: clock, claims: [claim(counter, .ever, amount)])
            try ledger.reserve(intent)
            floor = max(floor, clock)
            uses.append((counter, floor, amount, intent.id))
            if Int.random(in: 0..<4, using: &random) == 0 {
                // Gives back one of the last uses, which is not always the newest.
                let place = uses.indices.suffix(6).randomElement(using: &random) ?? 0
                try ledger.settle(
                    uses[place].id, .notUsed(Reason(.keyUnavailable, "locked")), at: clock)
                uses.remove(at: place)
            }
            if round % 100 == 60 {
                let back = Timestamp(seconds: floor - 5)
                #expect(try ledger.repairClock(to: back, signedBy: key))
                floor = floor - 5
                for place in uses.indices { uses[place].time = min(uses[place].time, floor) }
                clock = floor
            }
            for window in Self.windows {
                let now = Timestamp(seconds: floor + Int64.random(in: 0...20, using: &random))
                let last = window.lastUncounted(before: now)
                for counter in ["a", "b"] {
                    let expected = uses.reduce(Int128(0)) { sum, use in
                        use.counter == counter && use.time > last ? sum + use.amount : sum
                    }
                    #expect(try ledger.used(claim(counter, window, 1), at: now) == expected)
                }
            }
        }
        #expect(try temporary.verifiedLedger().problem == nil)
        try temporary.editLedger("UPDATE uses SET total = zeroblob(24) WHERE counter = 'a'")
        #expect(try temporary.verifiedLedger().problem != nil)
    }

    /// Converts the ledger to the format of the previous version.
    private func makeOld() throws {
        try temporary.makeLedgerOlder()
        try temporary.editLedger(
            """
            CREATE TABLE before (
                counter TEXT NOT NULL,
                time INTEGER NOT NULL,
                intent_id BLOB NOT NULL REFERENCES intents,
                position INTEGER NOT NULL,
                amount TEXT NOT NULL,
                PRIMARY KEY (counter, time, intent_id, position)
            ) STRICT, WITHOUT ROWID
            """,
            "INSERT INTO before SELECT counter, time, intent_id, position, amount FROM uses",
            "DROP TABLE uses", "ALTER TABLE before RENAME TO uses",
            "CREATE INDEX uses_by_intent ON uses (intent_id, position)",
            """
            CREATE TABLE results_before (
                intent_id BLOB NOT NULL PRIMARY KEY REFERENCES intents,
                sequence INTEGER NOT NULL UNIQUE REFERENCES audit,
                outcome TEXT NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            "INSERT INTO results_before SELECT * FROM results", "DROP TABLE results",
            "ALTER TABLE results_before RENAME TO results",
            "DROP TABLE segments", "ALTER TABLE outbox DROP COLUMN time",
            "ALTER TABLE sessions DROP COLUMN expires",
            "DROP TABLE local", "DROP TABLE hubs", "DROP TABLE writers",
            "DROP TABLE questions",
            "CREATE TABLE questions (about BLOB NOT NULL, time INTEGER NOT NULL) STRICT",
            "CREATE INDEX questions_by_subject ON questions (about, time)",
            "DROP TABLE policy_text", "DROP TABLE joint_questions", "DROP TABLE joint_answers",
            "DROP TABLE retired_approvers", "DROP TABLE log_places", "DROP TABLE hub_statements",
            "PRAGMA user_version = 7")
    }

    @Test("A ledger of the version before counts as before, though five open it and some die")
    func upgrade() throws {
        for second in Int64(1_000)..<1_200 {
            let intent = makeIntent(
                at: second,
                claims: [
                    .count("probe#count", window: nil, maximum: 1_000, amount: 1),
                    .count("other", window: 50, maximum: 1_000, amount: 3),
                ])
            try ledger.reserve(intent)
            let isUsed = second % 4 != 0
            try ledger.settle(
                intent.id,
                isUsed ? .done(resultDigests: []) : .notUsed(Reason(.keyUnavailable, "locked")),
                at: second)
        }
        let expected = try Self.windows.map { window in
            try ledger.used(claim("other", window, 1), at: Timestamp(seconds: 1_210))
        }
        #expect(expected.contains { $0 > 0 && $0 < expected[0] })
        try makeOld()
        try temporary.home.bringUpToDate()
        let upgraded = try SQLiteLedger.open(temporary.home)
        for (window, expected) in zip(Self.windows, expected) {
            let used = try upgraded.used(
                claim("other", window, 1), at: Timestamp(seconds: 1_210))
            #expect(used == expected)
        }
        for round in 0..<6 {
            try makeOld()
            let probes = try (0..<5).map { _ in
                try ProbeProcess(temporary.home, maximum: 1_000, requests: 1)
            }
            if round > 0 { for probe in probes.prefix(4) { probe.kill() } }
            for probe in probes { #expect(!probe.finish().contains("failed")) }
        }
        let used = try SQLiteLedger.open(temporary.home).used(
            claim("other", .ever, 1), at: Timestamp(seconds: 1_210))
        #expect(used == expected[0])
        #expect(try temporary.verifiedLedger().problem == nil)
    }
}
