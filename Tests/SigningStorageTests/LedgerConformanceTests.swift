// SPDX-License-Identifier: Apache-2.0

import LedgerConformance
import SigningTesting
import TestHome
import Testing

@testable import SigningStorage

@Suite("Every ledger does the same", .timeLimit(.minutes(10)))
struct LedgerConformanceTests {
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
            return LedgerConformance.Subject(first, second) {
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
        let suite = LedgerConformance {
            let team = try Team(2)
            return LedgerConformance.Subject(team[0], team[1]) {
                for ledger in team.ledgers { try ledger.flush() }
                for ledger in team.ledgers { try ledger.catchUp() }
            }
        }
        #expect(await suite.findings() == [])
    }
}
