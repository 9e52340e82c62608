// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import TestHome
import Testing

@testable import SigningCore
@testable import SigningStorage

@Suite("How often was asked")
struct ActivityTests {
    let temporary: TemporaryHome
    let ledger: SQLiteLedger

    /// Records four requests of a client and one without, in the second, third and last hour.
    init() throws {
        temporary = try TemporaryHome()
        ledger = try temporary.makeLedger()
        for time in [3_600, 3_601, 7_200, 14_399] as [Int64] {
            let intent = makeIntent(at: time)
            try ledger.reserve(intent)
            try ledger.settle(intent.id, .done(resultDigests: []), at: intent.time)
        }
        try ledger.record(makeRefusal(at: 14_399))
    }

    private func activity(
        from start: Int64 = 0, spans: Int = 4, entriesMax: Int64 = 100
    ) throws -> AuditActivity {
        try AuditLog.open(temporary.home).activity(
            from: Timestamp(seconds: start), spans: spans, of: 3_600, entriesMax: entriesMax)
    }

    private func lines(_ activity: AuditActivity) -> Set<String> {
        Set(
            activity.counts.map { count in
                let client = count.client.map { "\($0.id) \($0.proof.rawValue)" } ?? "nobody"
                let decision = count.decision.map(\.rawValue) ?? "none"
                return "\(count.span) \(client) \(decision) \(count.count)"
            })
    }

    @Test("it is counted by span, client and verdict")
    func counted() throws {
        let found = try activity()
        let whole: Set = [
            "1 app claimed allow 2", "2 app claimed allow 1", "3 app claimed allow 1",
            "3 nobody deny 1",
        ]
        #expect(lines(found) == whole)
        #expect(found.since.seconds == 0)
    }

    @Test(
        "a person, a program and a remembered answer are distinguished, and rules from other bounds"
    )
    func decided() throws {
        let other = try TemporaryHome()
        let ledger = try other.makeLedger()
        for (place, word) in ["person", "program", "grant"].enumerated() {
            let intent = makeIntent(at: Int64(place), decidedBy: word)
            try ledger.reserve(intent)
            try ledger.settle(intent.id, .done(resultDigests: []), at: intent.time)
        }
        try ledger.record(makeRefusal(at: 3))
        let counts = try AuditLog.open(other.home).activity(
            from: Timestamp(seconds: 0), spans: 1, of: 3_600, entriesMax: 100
        ).counts
        #expect(Set(counts.map(\.said)) == ["person", "program", "grant", "policy_denied"])
        let decisions = Dictionary(counts.map { ($0.said, $0.decision) }) { first, _ in first }
        #expect(decisions["program"] == .approved && decisions["person"] == .approved)
        // The default denied the request, so no rule is named.
        #expect(counts.allSatisfy { !$0.isByRule })
    }

    @Test("entries before the first span or after the last one are left out")
    func bounds() throws {
        #expect(lines(try activity(from: 3_600, spans: 1)) == ["0 app claimed allow 2"])
        #expect(lines(try activity(from: 3_601, spans: 1)) == ["0 app claimed allow 2"])
        #expect(lines(try activity(from: 3_602, spans: 1)) == ["0 app claimed allow 1"])
        #expect(try activity(from: 14_400).counts.isEmpty)
        #expect(try activity(spans: 1).counts.isEmpty)
    }

    @Test("of a long record the newest entries count, and it says from when on")
    func long() throws {
        // The newest three entries are an intent, its result, and the refusal.
        let found = try activity(entriesMax: 3)
        #expect(lines(found) == ["3 app claimed allow 1", "3 nobody deny 1"])
        #expect(found.since.seconds == 14_399)
        #expect(try activity(from: 14_399, entriesMax: 3).since.seconds == 14_399)
        #expect(try activity(entriesMax: 9).since.seconds == 0)
    }

    @Test("a spoiled entry is counted without a client, and ends nothing")
    func spoiled() throws {
        try temporary.editLedger(
            "UPDATE audit SET body = '{' WHERE sequence = 1",
            "UPDATE audit SET body = '[1]' WHERE sequence = 3",
            "UPDATE audit SET body = json_set(body, '$.client.proof', 'none') WHERE sequence = 5")
        let spoiled: Set = [
            "1 nobody none 2", "2 nobody allow 1", "3 app claimed allow 1", "3 nobody deny 1",
        ]
        #expect(lines(try activity()) == spoiled)
    }

    @Test("an empty record has nothing to count")
    func empty() throws {
        let other = try TemporaryHome()
        _ = try other.makeLedger()
        let found = try AuditLog.open(other.home).activity(
            from: Timestamp(seconds: 0), spans: 1, of: 10, entriesMax: 1)
        #expect(found.counts.isEmpty && found.since.seconds == 0)
    }
}
