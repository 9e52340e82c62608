// SPDX-License-Identifier: Apache-2.0

import TestHome
import Testing

@testable import SigningCore
@testable import SigningStorage

@Suite("Notes and questions")
struct NoteTests {
    let temporary: TemporaryHome
    let ledger: SQLiteLedger

    init() throws {
        temporary = try TemporaryHome()
        ledger = try temporary.makeLedger()
    }

    private let key = Note.Subject.key(KeyID("k"))

    private func settle(_ notes: [Note], _ isDone: Bool = true) throws {
        let intent = makeIntent()
        try ledger.reserve(intent)
        let settlement =
            isDone
            ? Settlement.done(resultDigests: [], notes: notes)
            : .failed(Reason(.keyFailed, "x"))
        try ledger.settle(intent.id, settlement, at: Timestamp(seconds: 1_000))
    }

    @Test("the newest note of a subject and name counts, in another process as well")
    func newest() throws {
        #expect(try ledger.noted("size", about: key) == nil)
        try settle([Note(key, "size", 3), Note(key, "other", 9)])
        try settle([Note(key, "size", -2)])
        let again = try SQLiteLedger.open(temporary.home)
        #expect(try again.noted("size", about: key)?.value == -2)
        #expect(try again.noted("other", about: key)?.value == 9)
        #expect(try again.noted("size", about: .key(KeyID("l"))) == nil)
        #expect(try again.noted("size", about: .client("k", .callback)) == nil)
    }

    @Test("a note keeps its detail, up to the limit, until the next one")
    func detail() throws {
        let longest = [UInt8](repeating: 7, count: Note.detailBytesMax)
        try settle([Note(key, "list", 2, detail: longest)])
        #expect(try ledger.noted("list", about: key)?.detail == longest)
        try settle([Note(key, "list", 2, detail: longest + [7])])
        #expect(try ledger.noted("list", about: key) == Note(key, "list", 2))
    }

    @Test("a failed request leaves no note")
    func failed() throws {
        try settle([Note(key, "size", 3)], false)
        #expect(try ledger.noted("size", about: key) == nil)
    }

    @Test("a claimed client is not the proved one of the same name")
    func clients() throws {
        try settle([Note(.client("a", .claimed), Note.seen, 1)])
        #expect(try ledger.noted(Note.seen, about: .client("a", .claimed))?.value == 1)
        #expect(try ledger.noted(Note.seen, about: .client("a", .callback)) == nil)
    }

    @Test("the first use of a counterparty is known to every hub of a record, and to no other key")
    func firstUse() throws {
        let values = ["bob.near", "a/b", "\"quoted\"", "\u{e9}\u{202e}"]
        let parties = try values.map {
            try #require(Counterparty(KeyID("k"), on: "testnet", in: "receiver", $0))
        }
        let team = try Team(2) { ledger in
            let intent = makeIntent()
            try ledger.reserve(intent)
            let notes = parties.map { $0.note(at: Timestamp(seconds: 900)) }
            try ledger.settle(intent.id, .done(resultDigests: [[1]], notes: notes), at: 1_000)
        }
        try team[0].reserve(makeIntent())
        try team[1].catchUp()
        for ledger in [team[0], team[1]] {
            for party in parties {
                #expect(try ledger.firstUse(of: party) == .at(Timestamp(seconds: 900)))
            }
            for (key, network) in [("l", "testnet"), ("k", "mainnet")] {
                let other = Counterparty(KeyID(key), on: network, in: "receiver", "bob.near")
                #expect(try ledger.firstUse(of: #require(other)) == .never)
            }
        }
        try team.expectOneTruth()
    }

    private func ask(_ about: UInt8, at seconds: Int64, max: Int = 2) throws -> Bool {
        try ledger.count(
            QuestionTally(about: [about], maximum: max, seconds: 30),
            at: Timestamp(seconds: seconds))
    }

    @Test("questions count for their span, by their subject")
    func questions() throws {
        #expect(try ask(1, at: 100))
        #expect(try ask(1, at: 110))
        #expect(try !ask(1, at: 129))
        #expect(try ask(2, at: 129))
        // The refused question did not count.
        #expect(try ask(1, at: 130))
        #expect(try !ask(1, at: 139))
        #expect(try ask(1, at: 140))
        // A clock that was ahead counts for nothing once it is right.
        #expect(try ask(3, at: 9_000, max: 1))
        #expect(try ask(3, at: 200, max: 1))
    }

    @Test("a clock that was set back does not give new questions")
    func clock() throws {
        try settle([])
        #expect(try ask(1, at: 1_000))
        #expect(try ask(1, at: 1_000))
        #expect(try !ask(1, at: 10))
    }
}
