// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LedgerConformance
import PostgresLog
import SigningCore
import SigningTesting
import Synchronization
import TestHome
import Testing

@testable import SigningStorage

@Suite("Every ledger does the same", .timeLimit(.minutes(10)))
struct LedgerConformanceTests {
    /// The address of a real server, whose role may create schemas.
    private static let server = ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_SERVER"]

    @Test("in memory")
    func memory() async {
        let suite = LedgerConformance {
            let ledger = MemoryLedger()
            return LedgerConformance.Subject(ledger, ledger) {}
        }
        #expect(await suite.findings() == [])
    }

    @Test("in a file that two processes have open")
    func file() async {
        let suite = LedgerConformance {
            let temporary = try TemporaryHome()
            let first = try temporary.makeLedger()
            let second = try SQLiteLedger.open(temporary.home)
            return LedgerConformance.Subject(
                first, second, archive: { try archive(first, in: temporary, until: $0) }
            ) {
                try withExtendedLifetime(temporary) {
                    try first.flush()
                    try second.flush()
                }
            }
        }
        #expect(await suite.findings() == [])
    }

    @Test("in copies of a shared log")
    func shared() async {
        #expect(await findings { try Team(2) } == [])
    }

    @Test("in copies of a log on PostgreSQL", .enabled(if: server != nil))
    func postgres() async throws {
        let server = try #require(Self.server)
        PostgresLogs.register
        let count = Atomic(0)
        let findings = await findings {
            let number = count.add(1, ordering: .relaxed).newValue
            let address = "\(server)&schema=conformance_\(number)"
            _ = try PostgresLog.create(at: PostgresAddress(address))
            return try Team(2, at: address)
        }
        #expect(findings == [])
        #expect(count.load(ordering: .relaxed) > 10)
    }

    private func findings(_ make: @escaping @Sendable () throws -> Team) async -> [String] {
        let suite = LedgerConformance {
            let team = try make()
            return LedgerConformance.Subject(
                team[0], team[1], countsQuestionsTogether: false,
                archive: { try archive(team[0], in: team.homes[0], until: $0) }
            ) {
                for ledger in team.ledgers { try ledger.flush() }
                for ledger in team.ledgers { try ledger.catchUp() }
            }
        }
        return await suite.findings()
    }
}

/// Archives the entries before a time; fails if there are none.
private func archive(
    _ ledger: SQLiteLedger, in temporary: TemporaryHome, until time: Timestamp
) throws {
    let archive = RecordArchive(
        vault: try temporary.makeVault(), ledger: ledger,
        environment: FixedEnvironment(seconds: time.seconds))
    try #require(try archive.archive(until: Timestamp(seconds: time.seconds - 1)) != nil)
}
