// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite("A shared log that fails")
struct SharedLogFaultTests {
    @Test("A batch whose answer got lost counts, and a lost batch does not")
    func lostAnswers() throws {
        let team = try Team(2)
        let claim = LimitClaim.count(maximum: 1)
        team.log.fail(.lostBefore)
        #expect(throws: LedgerError.unavailable("the connection was lost")) {
            try team[0].reserve(makeIntent(claims: [claim]))
        }
        #expect(try team[0].intentCount() == 0)
        team.log.fail(.lostAfter)
        let intent = makeIntent(claims: [claim])
        #expect(throws: LedgerError.unavailable("the connection was lost")) {
            try team[0].reserve(intent)
        }
        #expect(try team[0].intentCount() == 0)
        // An intent without a result counts as spent at every hub.
        for ledger in team.ledgers {
            #expect(throws: LedgerError.limitExceeded(counter: "rule/0")) {
                try ledger.reserve(makeIntent(claims: [claim]))
            }
        }
        try team.expectOneTruth()
        #expect(try team[0].intentCount() == 1)
        #expect(try team[0].unsettledIntents() == 1)
    }

    @Test("Retries while durability is unconfirmed use limits once, and nothing is given back")
    func outage() throws {
        let team = try Team(2)
        let claim = LimitClaim.count(maximum: 3)
        try team[0].catchUp()
        team.log.setFlushing(false)
        let before = team.log.batches.count
        for round in 0..<6 {
            #expect(throws: LedgerError.self) {
                try team[0].reserve(makeIntent(claims: [claim]))
            }
            // A restart after a kill does not change the outcome.
            if round == 2 {
                let again = try SQLiteLedger.open(team.homes[0].home)
                #expect(throws: LedgerError.self) {
                    try again.reserve(makeIntent(claims: [claim]))
                }
            }
        }
        #expect(team.log.batches.count == before + 1)
        team.log.setFlushing(true)
        for _ in 0..<2 { try team[0].reserve(makeIntent(claims: [claim])) }
        #expect(throws: LedgerError.limitExceeded(counter: "rule/0")) {
            try team[1].reserve(makeIntent(claims: [claim]))
        }
        try team.expectOneTruth()
    }

    @Test("A batch too large for a turn is read without it, and the turn comes after")
    func tooMuchToRead() throws {
        let team = try Team(2)
        team.log.setTurn(bytesMax: 1_000)
        for _ in 0..<3 { try team[0].reserve(makeIntent()) }
        try team[1].reserve(makeIntent())
        _ = try team[0].database.writeAll([keeping("k", 100_000)])
        try team[1].reserve(makeIntent())
        try team.expectOneTruth()
    }

    @Test("Nothing is written while it is away; existing rows can be read")
    func away() throws {
        let team = try Team(2)
        try team[0].reserve(makeIntent(claims: [.count()]))
        let place = try team[0].place()
        team.log.setAway(true)
        #expect(throws: LedgerError.self) { try team[0].reserve(makeIntent()) }
        #expect(throws: LedgerError.self) { try team[0].freeze("x", at: sharingTime) }
        #expect(throws: LedgerError.self) { try team[0].catchUp() }
        #expect(try team[0].used(.count(), at: 1_000) == 1)
        #expect(try team[0].freezeReason() == nil)
        #expect(try team[0].place() == place)
        team.log.setAway(false)
        try team[1].reserve(makeIntent())
        try team.expectOneTruth()
    }

    @Test(
        "A copy that is far behind reads on, however little an answer holds", arguments: [1, 2, 7])
    func behind(answerMax: Int) throws {
        let team = try Team(2)
        for _ in 0..<20 { try team[0].reserve(makeIntent()) }
        team.log.setAnswerMax(answerMax)
        try team[1].reserve(makeIntent())
        for _ in 0..<20 { try team[1].reserve(makeIntent()) }
        try team[0].catchUp()
        #expect(try team[0].intentCount() == 41)
        try team.expectOneTruth()
    }

    @Test("A copy put back to an older state catches up as the hub it is")
    func olderCopy() throws {
        var team = try Team(2)
        try team[0].reserve(makeIntent())
        let older = try team.copy(of: 0)
        for _ in 0..<5 { try team[0].reserve(makeIntent()) }
        let restored = try SQLiteLedger.open(older.home)
        try restored.reserve(makeIntent())
        #expect(try restored.sharing()?.hub == 1)
        try team.expectOneTruth()
        team.replace(0, with: restored, in: older)
        try team.expectOneTruth()
    }

    @Test("A log that lacks batches this hub has seen is refused, and nothing is written")
    func putBack() throws {
        let team = try Team(2)
        let older = team.log.batches
        for _ in 0..<3 { try team[0].reserve(makeIntent()) }
        team.log.batches = older
        #expect(throws: LedgerError.putBack) { try team[0].reserve(makeIntent()) }
        #expect(throws: LedgerError.putBack) { try team[0].catchUp() }
        // A hub that saw fewer batches continues with the log.
        for _ in 0..<5 { try team[1].reserve(makeIntent()) }
        #expect(throws: LedgerError.putBack) { try team[0].reserve(makeIntent()) }
        #expect(throws: LedgerError.putBack) { try team[0].catchUp() }
        #expect(team.log.batches.count == older.count + 5)
        #expect(try team[0].intentCount() == 3)
    }

    @Test("Batches out of order, left out, cut off or twice are refused")
    func disorder() throws {
        let team = try Team(2)
        for _ in 0..<4 { try team[0].reserve(makeIntent()) }
        let lies: [@Sendable ([LogBatch]) -> [LogBatch]] = [
            { $0.reversed() }, { Array($0.dropFirst()) }, { $0.filter { $0 != $0 } },
            { $0.enumerated().filter { $0.offset != 1 }.map(\.element) },
            { $0.flatMap { [$0, $0] } },
        ]
        for lie in lies {
            team.log.lie { LogNews(batches: lie($0.batches), end: $0.end) }
            #expect(throws: LedgerError.self) { try team[1].reserve(makeIntent()) }
            #expect(throws: LedgerError.self) { try team[1].catchUp() }
            team.log.lie(nil)
        }
        try team[1].reserve(makeIntent())
        try team.expectOneTruth()
    }

    @Test("A changed or forged batch is refused")
    func forged() throws {
        let team = try Team(2)
        let before = team.log.batches
        try team[0].reserve(makeIntent())
        let honest = try #require(team.log.batches.last)
        func forging(
            hub: Int32? = nil, version: Int32? = nil, body: [UInt8]? = nil,
            signature: [UInt8]? = nil
        ) -> LogBatch {
            LogBatch(
                previous: honest.previous, hub: hub ?? honest.hub,
                version: version ?? honest.version, body: body ?? honest.body,
                signature: signature ?? honest.signature)
        }
        var flipped = honest.body
        flipped[30] ^= 1
        let key = try Ed25519Key(seed: secret(of: 77))
        let own = try key.sign(honest.place.hash.span)
        let forgeries = [
            forging(hub: 2), forging(hub: 9), forging(version: Schema.sharedVersion + 1),
            forging(version: Schema.sharedVersion + 2),
            forging(version: 12), forging(body: flipped), forging(body: []),
            forging(signature: own),
            forging(signature: []),
        ]
        let place = try team[1].place()
        for forgery in forgeries {
            team.log.batches = before + [forgery]
            #expect(throws: LedgerError.self) { try team[1].reserve(makeIntent()) }
            #expect(throws: LedgerError.self) { try team[1].catchUp() }
            #expect(try team[1].place() == place)
        }
        team.log.batches = before + [honest]
        try team[1].reserve(makeIntent())
        try team.expectOneTruth()
    }

    @Test("A batch in an older format than an earlier one is refused")
    func older() throws {
        var team = try Team(2)
        try team[0].reserve(makeIntent())
        try team[1].catchUp()
        let batches = team.log.batches
        try team[0].resign(team.log) { batch in
            LogBatch(
                previous: batch.previous, hub: batch.hub, version: Schema.sharedVersion - 1,
                body: batch.body, signature: [])
        }
        #expect {
            try team[1].reserve(makeIntent())
        } throws: { "\($0)".contains("older format") }
        team.log.batches = batches
        // The log is read from its beginning, no matter which batch was the newest.
        let home = team.homes[1]
        try home.editLedger("INSERT OR REPLACE INTO local VALUES ('log format', x'3939')")
        #expect(throws: LedgerError.self) {
            try team[0].reserve(makeIntent())
            try team[1].catchUp()
        }
        _ = try SQLiteLedger.rebuild(in: home.home, by: .fixture)
        team.replace(1, with: try SQLiteLedger.open(home.home), in: home)
        try team[1].reserve(makeIntent())
        try team.expectOneTruth()
    }

    @Test("A batch of a version that exchanged rows names the way to take it", arguments: [13, 18])
    func exchangingRows(version: Int32) throws {
        let team = try Team(2)
        try team[0].catchUp()
        try team[0].resign(team.log) { batch in
            LogBatch(
                previous: batch.previous, hub: batch.hub, version: version, body: batch.body,
                signature: [])
        }
        #expect {
            try team[1].reserve(makeIntent())
        } throws: { "\($0)".contains("copy them with that version, or join again") }
    }

    @Test("A batch of a newer version asks for an upgrade")
    func newer() throws {
        let team = try Team(2)
        try team[0].catchUp()
        try team[0].resign(team.log) { batch in
            LogBatch(
                previous: batch.previous, hub: batch.hub, version: Schema.sharedVersion + 1,
                body: batch.body, signature: [])
        }
        #expect {
            try team[1].reserve(makeIntent())
        } throws: { error in
            "\(error)".contains("upgrade this hub")
        }
    }

    @Test("Two histories of one length are noticed by a hub that saw the other")
    func fork() throws {
        let team = try Team(2)
        let before = team.log.batches
        try team[0].reserve(makeIntent())
        let first = team.log.batches
        team.log.batches = before
        try team[1].reserve(makeIntent())
        try team[1].reserve(makeIntent())
        #expect(throws: LedgerError.putBack) { try team[0].reserve(makeIntent()) }
        team.log.batches = first
        #expect(throws: LedgerError.putBack) { try team[1].reserve(makeIntent()) }
    }

    @Test("An edited copy is noticed with the next change of the same row")
    func divergence() throws {
        let team = try Team(2)
        try team[0].freeze("a", at: sharingTime)
        try team[1].catchUp()
        try team.homes[1].editLedger("UPDATE meta SET value = 'b' WHERE name = 'frozen'")
        try team[0].thaw(at: sharingTime, signedBy: .fixture())
        #expect {
            try team[1].reserve(makeIntent())
        } throws: { error in
            "\(error)".contains("leads to other rows here")
        }
    }

    @Test("A policy text for an entry that is not there yet is refused")
    func earlyText() throws {
        let team = try Team(2)
        ReplayCheck.skip(team.homes[0].home.ledgerPath)
        try team[0].write("INSERT INTO policies VALUES (99, x'01')")
        #expect {
            try team[1].reserve(makeIntent())
        } throws: { error in
            "\(error)".contains("leads to other rows here")
        }
    }

    @Test("A change that others would refuse is not reported as done")
    func ownChanges() throws {
        let team = try Team(1) { try $0.record(makeRefusal()) }
        let count = team.log.batches.count
        for statement in ["DELETE FROM audit", "UPDATE audit SET time = 0"] {
            #expect(throws: LedgerError.self) {
                try team[0].write(statement + " WHERE sequence = 1")
            }
        }
        #expect(team.log.batches.count == count)
        try team[0].record(makeRefusal())
        try team.expectOneTruth()
    }

    @Test("A change too large for one batch is committed in parts, or refused as a whole")
    func tooMuch() throws {
        let team = try Team(2)
        let before = team.log.batches.count
        let changes = (0..<6).map { keeping("k\($0)", 300_000) }
        let failures = try team[0].database.writeAll(changes)
        #expect(failures.allSatisfy { $0 == nil })
        #expect(team.log.batches.count == before + 2)
        let tooLarge = keeping("k", 1 << 20)
        #expect {
            try team[0].database.writeAll([tooLarge])
        } throws: { error in
            "\(error)".contains("too large for one batch")
        }
        let mixed = try team[0].database.writeAll(
            [keeping("m", 300_000), tooLarge, keeping("n", 300_000)])
        #expect(mixed.map { $0 == nil } == [true, false, true])
        try team.expectOneTruth()
    }

    @Test("Results of a part that got lost are in the next one")
    func lostPart() async throws {
        let team = try Team(2)
        let intents = (0..<64).map { _ in makeIntent() }
        for intent in intents { try team[0].reserve(intent) }
        team.log.setAway(true)
        for (number, intent) in intents.enumerated() {
            let note = Note(
                .key(KeyID("k")), "n\(number)", 1, detail: Randomness.bytes(16 << 10))
            try await team[0].settle(
                intent.id, .done(resultDigests: [], notes: [note]), at: sharingTime)
        }
        #expect(throws: LedgerError.self) { try team[0].flush() }
        team.log.fail(.lostBefore)
        team.log.setAway(false)
        // The write fails here or on the background thread.
        while (try? team[0].flush()) == nil {}
        #expect(try team[0].unsettledIntents() == 0)
        try team.expectOneTruth()
    }
}

extension LedgerError {
    static let putBack = LedgerError.unavailable(
        "the shared ledger lacks entries that this hub has seen: it was set back to an earlier "
            + "state, or a replica that lagged was promoted; bring back the database that has "
            + "them")
}

extension SQLiteLedger {
    /// Replaces the next batch of this hub by another one with a valid signature.
    func resign(_ log: MemoryLog, _ change: (LogBatch) -> LogBatch) throws {
        let identity = try #require(
            try database.query { access throws(LedgerError) in try access.logIdentity() })
        let place = try place()
        let changed = change(try identity.batch([], after: place))
        let hash = changed.place.hash
        let seed = try #require(
            try database.query { access throws(LedgerError) in try access.local(.hubKey) })
        let key = try Ed25519Key(seed: SecretBytes(copying: seed.span))
        log.batches.append(
            LogBatch(
                previous: changed.previous, hub: changed.hub, version: changed.version,
                body: changed.body, signature: try key.sign(hash.span)))
    }
}
