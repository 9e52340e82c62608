// SPDX-License-Identifier: Apache-2.0

import SigningCore
import Synchronization
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage

@Suite("Hubs that compare their histories")
struct HubComparingTests {
    private static let later = Timestamp(seconds: 2_000)

    private func hear(_ ledger: SQLiteLedger, _ line: String) throws -> ComparedHub {
        try ledger.compare(with: line, at: Self.later).get()
    }

    /// Two hubs, the second of which sees another log after a place.
    private func fork(_ first: Int, _ second: Int) throws -> (team: Team, other: MemoryLog) {
        let team = try Team(2)
        for ledger in team.ledgers { try ledger.catchUp() }
        let other = MemoryLog(team.log.batches)
        try team[1].reach(logAt: other.address)
        for (count, ledger) in zip([first, second], team.ledgers) {
            for _ in 0..<count { try ledger.reserve(makeIntent()) }
        }
        return (team, other)
    }

    @Test("find one history, whichever is ahead")
    func same() throws {
        let team = try Team(2)
        try team[0].catchUp()
        let equal = try hear(team[0], try team[1].hubStatement())
        #expect(try equal.isConfirmed && equal.name == "hub-2" && equal.place == team[0].place())
        for _ in 0..<20 { try team[0].reserve(makeIntent()) }
        let behind = try hear(team[0], try team[1].hubStatement())
        #expect(try behind.isConfirmed && behind.place.sequence + 20 == team[0].place().sequence)
        // A hub that is behind imports the missing entries and continues.
        let ahead = try hear(team[1], try team[0].hubStatement())
        #expect(ahead.ownHash == nil && !ahead.isContradicted)
        try team[1].catchUp()
        #expect(try hear(team[1], try team[0].hubStatement()).isConfirmed)
        try team[1].reserve(makeIntent())
        try team.expectOneTruth()
    }

    @Test("notice two histories, sign nothing from then on, and freeze and retire anyway")
    func twoHistories() throws {
        var (team, _) = try fork(3, 3)
        let lines = try team.ledgers.map { try $0.hubStatement() }
        for (place, ledger) in team.ledgers.enumerated() {
            try ledger.reserve(makeIntent())
            #expect(try hear(ledger, lines[1 - place]).isContradicted)
            #expect {
                try ledger.reserve(makeIntent())
            } throws: { error in
                "\(error)".contains("two histories")
            }
            #expect(try ledger.comparedHubs().map(\.isContradicted) == [true])
        }
        // The finding stays after later statements of the other hub, and after a restart.
        team.replace(0, with: try SQLiteLedger.open(team.homes[0].home), in: team.homes[0])
        #expect(throws: LedgerError.self) { try team[0].reserve(makeIntent()) }
        try team[0].freeze("two histories", at: sharingTime)
        try team[0].thaw(at: sharingTime, signedBy: .fixture())
        // The owner decides which history is right.
        try team[0].retire(hub: 2, at: sharingTime)
        try team[0].reserve(makeIntent())
        #expect(try team[0].compare(with: lines[1], at: Self.later) == .failure(.retired("hub-2")))
    }

    @Test("do not sign beyond a limit that another has seen used")
    func lacking() throws {
        let (team, other) = try fork(0, 40)
        let heard = try hear(team[0], try team[1].hubStatement())
        #expect(heard.ownHash == nil)
        #expect { try team[0].reserve(makeIntent()) } throws: { "\($0)".contains("ends before") }
        // An earlier statement does not clear the finding.
        let early = try HubStatement(
            of: #require(try team[1].sharing()).ledger, by: #require(try team[1].hubs().last),
            [team[0].place()])
        #expect(try hear(team[0], try team[1].sign(early)).isConfirmed)
        #expect(throws: LedgerError.self) { try team[0].reserve(makeIntent()) }
        // This hub continues with the history that the second hub saw, and with no other. It writes
        // no entry until then, because that would begin a third history.
        #expect(throws: LedgerError.self) { try team[0].record(makeRefusal()) }
        #expect(throws: LedgerError.self) { try team[0].freeze("a", at: sharingTime) }
        try team[0].reach(logAt: other.address)
        try team[0].reserve(makeIntent())
    }

    @Test("go on without a hub that saw more, once it is retired, and not before")
    func givenUp() throws {
        let (team, _) = try fork(0, 4)
        _ = try hear(team[0], try team[1].hubStatement())
        team.log.setAway(true)
        #expect(throws: LedgerError.self) { try team[0].retire(hub: 2, at: sharingTime) }
        team.log.setAway(false)
        #expect(throws: LedgerError.self) { try team[0].reserve(makeIntent()) }
        try team[0].retire(hub: 2, at: sharingTime)
        try team[0].reserve(makeIntent())
    }

    @Test("refuse until a retirement is on record, even if the retiring hub dies")
    func order() throws {
        let (team, _) = try fork(0, 4)
        _ = try hear(team[0], try team[1].hubStatement())
        // The state that the next process finds if this one died while it waited for its turn.
        let other = try SQLiteLedger.open(team.homes[0].home)
        let known = Mutex<[Int]>([])
        team.log.lie { news in
            known.withLock { $0.append((try? other.comparedHubs().count) ?? -1) }
            return news
        }
        try team[0].retire(hub: 2, at: sharingTime)
        team.log.lie(nil)
        let counts = known.withLock { $0 }
        #expect(!counts.isEmpty && counts.allSatisfy { $0 == 1 })
        // The finding has effect once it is on record.
        #expect(try other.comparedHubs().isEmpty)
        try team[0].reserve(makeIntent())
    }

    @Test("notice another history when they come to the place")
    func comesLater() throws {
        let team = try Team(3)
        for ledger in team.ledgers { try ledger.catchUp() }
        try team[1].reach(logAt: MemoryLog(team.log.batches).address)
        for _ in 0..<5 { try team[1].record(makeRefusal()) }
        let heard = try hear(team[0], try team[1].hubStatement())
        #expect(heard.ownHash == nil)
        // A hub that compared no statement continues.
        for _ in 0..<5 { try team[2].reserve(makeIntent()) }
        #expect {
            try team[0].reserve(makeIntent())
        } throws: { error in
            "\(error)".contains("two histories")
        }
    }

    @Test("find the place where histories part by earlier marks")
    func marks() throws {
        let (team, _) = try fork(20, 60)
        // The hub's history ends before that of the other hub, but after one of its marks.
        #expect(try hear(team[0], try team[1].hubStatement()).ownHash == nil)
        let numbers = HubStatement.earlier(than: 1_234_567)
        #expect(numbers == [1_234_560, 1_234_432, 1_232_896, 1_179_648, 1_048_576])
        #expect(HubStatement.earlier(than: 15).isEmpty && HubStatement.earlier(than: 16).isEmpty)
        let place = try #require(try team[1].kept(16))
        let line = try team[1].sign(
            HubStatement(
                of: #require(try team[1].sharing()).ledger, by: #require(try team[1].hubs().last),
                [try team[1].place(), place]))
        #expect(try hear(team[0], line).isContradicted)
    }

    @Test("listen only to hubs of the same record")
    func strangers() throws {
        let team = try Team(3)
        for ledger in team.ledgers { try ledger.catchUp() }
        let other = try Team(2)
        let line = try team[1].hubStatement()
        let at = Self.later
        #expect(
            try team[0].compare(with: try other[1].hubStatement(), at: at)
                == .failure(.otherRecord))
        #expect(try team[1].compare(with: line, at: at) == .failure(.own))
        // A hub that claims to be another, or that signs for another record.
        let ledger = try #require(try team[0].sharing()).ledger
        let two = try team[0].hubs()[1]
        let false2 = HubStatement(of: ledger, by: two, [LogPlace(sequence: 3, hash: two.publicKey)])
        #expect(
            try team[0].compare(with: try team[2].sign(false2), at: at)
                == .failure(.notSigned("hub-2")))
        let nobody = LedgerHub(
            number: 9, name: "hub-9", publicKey: two.publicKey, joined: 1, retired: nil)
        let false9 = HubStatement(of: ledger, by: nobody, false2.places)
        #expect(
            try team[0].compare(with: try team[1].sign(false9), at: at)
                == .failure(.unknownHub("hub-9")))
        try team[0].retire(hub: 3, at: sharingTime)
        let false3 = HubStatement(of: ledger, by: try team[0].hubs()[2], false2.places)
        #expect(
            try team[0].compare(with: try team[2].sign(false3), at: at)
                == .failure(.retired("hub-3")))
        #expect(try team[0].comparedHubs().isEmpty)
        try team[0].reserve(makeIntent())
    }

    @Test("take a line in its one form alone")
    func forms() throws {
        let team = try Team(2)
        try team[0].catchUp()
        let line = try team[1].hubStatement()
        #expect(line.utf8.count <= HubStatement.bytesMax && !line.contains("\n"))
        for count in 0..<line.count {
            #expect(HubStatement.read(String(line.prefix(count))) == nil)
        }
        let words = line.split(separator: " ").map(String.init)
        let others = [
            line + " ", " " + line, line + "\n", line.uppercased(), line + " x", line + "00",
            line.replacing(" 2 hub", with: " +2 hub"), line.replacing(" 2 hub", with: " 02 hub"),
            line.replacing(" hub-2", with: " h\u{FC}b"), line.replacing("\(words[4])", with: ""),
            line.replacing(words[4], with: "\(words[4]),\(words[4])"),
            line.replacing(words[4], with: "-" + words[4]),
            line + String(repeating: "0", count: HubStatement.bytesMax),
        ]
        for other in others {
            #expect(
                try team[0].compare(with: other, at: Self.later) == .failure(.noStatement),
                "\(other)")
        }
        // Any change to the line makes its signature invalid.
        for (index, character) in zip(line.indices, line) {
            var edited = line
            edited.replaceSubrange(index...index, with: character == "1" ? "2" : "1")
            #expect(throws: HubStatementError.self) { try hear(team[0], edited) }
        }
        #expect(try team[0].comparedHubs().isEmpty)
        #expect(try hear(team[0], line).isConfirmed)
    }

    @Test("keep all new statements, and some old ones, but every finding")
    func kept() throws {
        let team = try Team(1)
        let hash = [UInt8](repeating: 1, count: 32)
        let end: Int64 = 1 << 17
        try team[0].database.writeLocally { access, _ throws(LedgerError) in
            try access.run(
                "INSERT INTO hub_statements (hub, sequence, hash, time) VALUES (1, 77, ?, 1)",
                .bytes(hash))
            for sequence in 1...end {
                try access.keep(LogPlace(sequence: sequence, hash: hash))
            }
        }
        #expect(try team[0].count("log_places") == 65_536 + 16 + 1)
        #expect([77, 4_096, 65_537].allSatisfy { (try? team[0].kept($0)) ?? nil != nil })
        #expect(try team[0].kept(78) == nil)
    }

    @Test("still know it after the copy was made anew, and forget it with the log")
    func rebuilt() throws {
        let (team, _) = try fork(2, 2)
        _ = try hear(team[0], try team[1].hubStatement())
        let home = team.homes[0].home
        _ = try SQLiteLedger.rebuild(in: home, by: .fixture)
        let ledger = try SQLiteLedger.open(home)
        #expect(try ledger.comparedHubs().map(\.isContradicted) == [true])
        #expect(throws: LedgerError.self) { try ledger.reserve(makeIntent()) }
        try ledger.unshareWithoutLog(at: sharingTime)
        try ledger.reserve(makeIntent())
        #expect(try ledger.count("log_places") == 0)
        #expect(throws: SQLiteLedger.notShared) { try ledger.hubStatement() }
    }
}

extension SQLiteLedger {
    fileprivate func kept(_ sequence: Int64) throws -> LogPlace? {
        try database.query { access throws(LedgerError) in try access.keptPlace(sequence) }
    }

    /// Signs a statement with this hub's key without checks.
    fileprivate func sign(_ statement: HubStatement) throws -> String {
        try database.query { access throws(LedgerError) in
            guard let identity = try access.logIdentity() else { throw Self.notShared }
            return try identity.sign(statement)
        }
    }
}
