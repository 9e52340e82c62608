// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SigningCrypto
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite("The state after an archived part", .serialized)
struct ArchiveStateTests {
    private let rig: ArchiveTests

    init() throws { rig = try ArchiveTests() }

    @Test(
        "is compared with the rows that it left by its state, if its file is missing",
        arguments: ArchiveTests.edits)
    func stated(edit: String) throws {
        // The second part has no file: its state says all that both lead to.
        try rig.archive(until: 1_000)
        try rig.archive()
        let whole = try rig.report()
        #expect(whole.problem == nil && whole.unverified.isEmpty)
        let before = try ReplayCheck.rows(of: rig.ledger.database)
        for number: Int64 in 1...2 {
            try FileManager.default.removeItem(
                atPath: Home.segmentPath(number, of: rig.temporary.home.ledgerPath))
        }
        let missing = try rig.report()
        #expect(missing.problem == nil && missing.unverified.count == 2 && missing.hasState)
        #expect(missing.unsettledCount == whole.unsettledCount)
        try rig.temporary.editLedger("PRAGMA foreign_keys = OFF", edit)
        #expect(try rig.report().problem != nil, "\(edit)")
        #expect(try ReplayCheck.rows(of: rig.ledger.database) != before)
    }

    @Test("goes on without the files of earlier parts, from the state after them")
    func later() throws {
        ReplayCheck.skip(rig.temporary.home.ledgerPath)
        try rig.archive()
        try FileManager.default.removeItem(atPath: rig.path)
        for place in 0..<3 {
            try rig.done(at: ArchiveTests.now + Int64(place), claims: [.count(maximum: 99)])
        }
        let used = try rig.ledger.used(.count(window: nil), at: ArchiveTests.now)
        let states = (1...3).map { Home.statePath($0, of: rig.temporary.home.ledgerPath) }
        #expect(try rig.archive(until: ArchiveTests.now) != nil)
        #expect(try states.map { try Home.status(of: $0) != nil } == [true, true, false])
        #expect(try rig.archive(until: ArchiveTests.now + 1) != nil)
        #expect(try states.map { try Home.status(of: $0) != nil } == [false, true, true])
        #expect(try Home.status(of: states[2])?.mode == 0o600)
        #expect(try rig.report().problem == nil && rig.report().hasState)
        #expect(try rig.ledger.used(.count(window: nil), at: ArchiveTests.now) == used)
        for path in states[1...] {
            var bytes = try Data(contentsOf: URL(filePath: path))
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: URL(filePath: path))
        }
        // Nothing stands for the first part any more.
        #expect(try rig.report().problem == nil && !rig.report().hasState)
        #expect(throws: ArchiveError.self) { try rig.archive(until: ArchiveTests.now + 1) }
    }

    @Test("that states other rows than its entries lead to is found")
    func otherState() throws {
        let key = try rig.vault.openLogKey()
        let plan = try rig.ledger.database.read { access throws(LedgerError) in
            try access.archivePlan(
                until: Timestamp(seconds: ArchiveTests.now - 1),
                at: Timestamp(seconds: ArchiveTests.now), key.publicKey)
        }
        let file = try SegmentFile(#require(plan), besides: rig.temporary.home.ledgerPath)
        try file.write { (place, countMax) throws(LedgerError) in
            try rig.ledger.database.read { access throws(LedgerError) in
                try access.entries(after: place, countMax: countMax)
            }
        }
        try file.writeState()
        var segment = try #require(file.segment)
        #expect(segment.stateDigest != nil)
        segment.stateDigest = policyHash
        segment.signature = try LogStatement.archive(segment: segment.message).signed(by: key)
        let signed = segment
        try rig.ledger.database.query { access throws(LedgerError) in
            try access.run("PRAGMA foreign_keys = OFF")
        }
        try rig.ledger.database.write { access throws(LedgerError) in
            let archive = ArchiveEntry(segment: signed, logPublicKey: key.publicKey)
            _ = try access.append(.archive(archive), at: Timestamp(seconds: ArchiveTests.now))
            try file.putInPlace()
            try Index(of: access).drop(signed)
        }
        #expect(try rig.report().problem == .otherState(sequence: signed.last))
    }
}
