// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage

@Suite(.serialized) struct LedgerFaultTests {
    let temporary: TemporaryHome
    let ledger: SQLiteLedger

    init() throws {
        temporary = try TemporaryHome()
        ledger = try temporary.makeLedger()
    }

    @Test("Eight threads never exceed a limit")
    func threads() async throws {
        let claim = LimitClaim.count(window: nil, maximum: 50)
        let done = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { [ledger] in
                    var done = 0
                    for _ in 0..<10 {
                        let intent = makeIntent(claims: [claim])
                        let isReserved: Void? = try? await ledger.reserve(
                            intent, currentPolicyHash: policyHash)
                        guard isReserved != nil else { continue }
                        try? await ledger.settle(
                            intent.id, .done(resultDigests: []), at: Timestamp(seconds: 1_000))
                        done += 1
                    }
                    return done
                }
            }
            return await group.reduce(0, +)
        }
        #expect(done == 50)
        #expect(try ledger.used(claim, at: 1_000) == 50)
        #expect(try ledger.intentCount() == 50)
    }

    @Test("Four processes of eight tasks never exceed a policy's limits, nor fall short of them")
    func processes() throws {
        let probes = try (0..<4).map { _ in
            try ProbeProcess(temporary.home, maximum: 90, requests: 400, tasks: 8)
        }
        let printed = probes.flatMap { $0.finish() }
        // Waiting for the other processes must not fail either.
        #expect(!printed.contains("failed"))
        #expect(printed.count == 90)
        #expect(try ledger.used(.count("probe#count", window: nil), at: 0) == 90)
        #expect(try ledger.used(.count("probe#sum(amount)", window: nil), at: 0) == 270)
        #expect(try verified().problem == nil)
    }

    @Test("Killed again and again, no limit gets anything back")
    func killedWithinLimits() throws {
        var printed: Set<String> = []
        for _ in 0..<8 {
            let probe = try ProbeProcess(temporary.home, maximum: 200, requests: 1_000, tasks: 2)
            usleep(UInt32.random(in: 5_000...40_000))
            probe.kill()
            printed.formUnion(probe.finish())
        }
        printed.formUnion(
            try ProbeProcess(temporary.home, maximum: 200, requests: 1_000).finish())
        #expect(printed.count <= 200)
        #expect(try ledger.used(.count("probe#count", window: nil), at: 0) == 200)
        #expect(try ledger.used(.count("probe#sum(amount)", window: nil), at: 0) == 600)
        #expect(try verified().problem == nil)
    }

    @Test("Killed at random moments, the ledger loses nothing that it promised")
    func killed() throws {
        var printed: Set<String> = []
        var kills = 0
        // A busy machine may not start a process before it is killed.
        while kills < 12 || printed.count <= 12, kills < 200 {
            kills += 1
            let probe = try ProbeProcess(temporary.home, maximum: 1_000_000, requests: 1_000_000)
            usleep(UInt32.random(in: 20_000...150_000))
            probe.kill()
            printed.formUnion(probe.finish())
        }
        try #require(printed.count > 12)
        let ledger = try SQLiteLedger.open(temporary.home)
        let integrity = try ledger.database.read { access throws(LedgerError) in
            try access.first("PRAGMA integrity_check") { row throws(LedgerError) in
                try row.text(0)
            }
        }
        #expect(integrity == "ok")
        #expect(try verified().problem == nil)
        let recorded = try ledger.database.read { access throws(LedgerError) in
            try access.all("SELECT json_extract(body, '$.id') FROM audit WHERE kind = 'intent'") {
                row throws(LedgerError) in try row.text(0)
            }
        }
        #expect(printed.isSubset(of: recorded))
        // A kill may come between the record and the output, once per process.
        #expect(recorded.count <= printed.count + kills)
        // An intent was not used yet, and the result of the one before it was not written.
        #expect(try ledger.unsettledIntents() <= 2 * kills)
        #expect(
            try ledger.used(.count("probe#count", window: nil), at: 0) == Int128(recorded.count))
        try ledger.reserve(makeIntent())
    }

    @Test("A ledger that cannot be written refuses, and nothing of the request stays")
    func fullDisk() throws {
        let pages = try ledger.database.read { access throws(LedgerError) in
            try access.first("PRAGMA page_count") { row throws(LedgerError) in try row.integer(0) }
        }
        let limit = try #require(pages)
        try ledger.database.read { access throws(LedgerError) in
            try access.run("PRAGMA max_page_count = \(limit)")
        }
        var failure: LedgerError?
        var written: Int64 = 0
        while failure == nil, written < 10_000 {
            do throws(LedgerError) {
                try ledger.reserve(makeIntent(claims: [.count(maximum: 10_000)]))
                written += 1
            } catch {
                failure = error
            }
        }
        guard case .unavailable(let text) = failure else {
            Issue.record("expected the disk to be full")
            return
        }
        #expect(text.hasPrefix("the disk is full"))
        for table in ["audit", "open_intents", "uses"] {
            #expect(try ledger.count(table) == written)
        }
        #expect(try verified().problem == nil)
    }

    @Test("A ledger that may only be read refuses")
    func readOnly() throws {
        try ledger.database.read { access throws(LedgerError) in
            try access.run("PRAGMA query_only = ON")
        }
        expectUnavailable { () throws(LedgerError) in try ledger.reserve(makeIntent()) }
        #expect(try ledger.count("audit") == 0)
    }

    @Test("A ledger that was deleted or replaced under a running hub refuses")
    func movedAway() throws {
        try ledger.reserve(makeIntent())
        try FileManager.default.moveItem(
            atPath: temporary.home.ledgerPath, toPath: temporary.home.ledgerPath + ".old")
        expectUnavailable { () throws(LedgerError) in try ledger.reserve(makeIntent()) }
        expectUnavailable { () throws(LedgerError) in
            _ = try ledger.used(.count(), at: 1_000)
        }
    }

    @Test("A damaged file is refused, and its name for the damage is corrupt")
    func damaged() throws {
        let other = try TemporaryHome()
        try other.home.makeFile(other.home.ledgerPath)
        try Data(repeating: 0x5A, count: 8_192).write(
            to: URL(filePath: other.home.ledgerPath))
        #expect {
            try SQLiteLedger.open(other.home)
        } throws: { error in
            if case .corrupt = error as? LedgerError { true } else { false }
        }
    }

    private func expectUnavailable(_ body: () throws(LedgerError) -> Void) {
        do throws(LedgerError) {
            try body()
            Issue.record("expected a refusal")
        } catch .unavailable {
        } catch {
            Issue.record("expected unavailable, got \(error)")
        }
    }

    private func verified() throws -> AuditReport {
        try temporary.verifiedLedger()
    }
}
