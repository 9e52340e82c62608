// SPDX-License-Identifier: Apache-2.0

import SigningCore
import TestHome
import Testing

@testable import SigningStorage

@Suite("Sessions and serial numbers in the ledger")
struct SessionTests {
    let temporary: TemporaryHome
    let ledger: SQLiteLedger
    private static let near = ProtocolID("near")
    static let app = Client(id: "app", name: nil, proof: .claimed)
    private static let proved = Client(id: "app", name: nil, proof: .callback)

    init() throws {
        temporary = try TemporaryHome()
        ledger = try temporary.makeLedger()
    }

    func session(
        _ id: UInt8, _ client: Client = app, network: String = "mainnet", key: String = "k"
    ) -> ClientConnection {
        ClientConnection(
            id: [UInt8](repeating: id, count: 16), protocolID: Self.near, client: client,
            network: network, key: KeyID(key), address: "alice.near",
            started: Timestamp(seconds: 1_000))
    }

    private func settle(_ changes: [ConnectionChange], grants: [SealedGrant] = []) throws {
        let intent = makeIntent(protocolID: Self.near)
        try ledger.reserve(intent)
        try ledger.settle(
            intent.id, .done(resultDigests: [], remembers: grants, connections: changes), at: 1_000)
    }

    private func ids(_ client: Client = app) throws -> [UInt8] {
        try ledger.connections(of: client, in: Self.near).map { $0.id[0] }
    }

    @Test("A session is one client's, whole and until it ends, also for another process")
    func lifetime() throws {
        try settle([.opens(session(1)), .opens(session(2, Self.proved))])
        #expect(try ledger.connections(of: Self.app, in: Self.near) == [session(1)])
        #expect(try ids(Self.proved) == [2])
        #expect(try ledger.connections(of: Self.app, in: ProtocolID("nostr")).isEmpty)
        let other = try SQLiteLedger.open(temporary.home)
        #expect(try other.allConnections().count == 2)
        try settle([.ends(id: session(1).id)])
        #expect(try ids() == [] && ids(Self.proved) == [2])
    }

    @Test("The same client, network and key have one session; others are kept beside it")
    func replacing() throws {
        try settle([.opens(session(1))])
        try settle([.opens(session(2)), .opens(session(3, network: "testnet"))])
        try settle([.opens(session(4, key: "other"))])
        #expect(try ids() == [2, 3, 4])
    }

    @Test("An expired session is on record with its end, and goes when another opens")
    func expiry() throws {
        let short = ClientConnection(
            id: [UInt8](repeating: 5, count: 16), protocolID: Self.near, client: Self.app,
            network: "connect", key: KeyID("k"), address: "alice.near",
            started: Timestamp(seconds: 1_000), expires: Timestamp(seconds: 1_060))
        try settle([.opens(short)])
        #expect(try ledger.allConnections() == [short])
        let other = try SQLiteLedger.open(temporary.home)
        #expect(try other.allConnections().first?.expires == Timestamp(seconds: 1_060))
        let intent = makeIntent(at: 1_060, protocolID: Self.near)
        try ledger.reserve(intent)
        try ledger.settle(
            intent.id, .done(resultDigests: [], connections: [.opens(session(6))]), at: 1_060)
        #expect(try ids() == [6])
    }

    @Test("One that something has to reach a network for counts once it has, and never before")
    func pendingSession() throws {
        let items = ["one", "two"].map { Broadcast.Item(id: $0, sender: "a", bytes: [1]) }
        for (index, results) in [[true, true], [true, false], [false]].enumerated() {
            let intent = makeIntent(protocolID: Self.near)
            try ledger.reserve(intent)
            try ledger.settle(
                intent.id,
                .done(
                    resultDigests: [[9]], connections: [.opens(session(UInt8(index + 1)))],
                    broadcast: Broadcast(network: "testnet", items: items)), at: 1_000)
            #expect(try ledger.allConnections().isEmpty, "the process may end here")
            for (item, isAccepted) in zip(items, results) {
                let result = isAccepted ? Broadcast.Result.accepted([]) : .unknown("no answer")
                try ledger.record(result, of: item.id, at: Timestamp(seconds: 1_001))
                #expect(try ledger.allConnections().isEmpty || item.id == "two")
            }
            #expect(try ledger.allConnections().count == (results == [true, true] ? 1 : 0))
            for item in items {
                try ledger.record(.accepted([]), of: item.id, at: Timestamp(seconds: 1_002))
            }
            try settle([.ends(id: session(1).id)])
            #expect(try ledger.allConnections().isEmpty)
        }
    }

    @Test("Beyond the most that are kept the oldest end")
    func bound() throws {
        let changes = (0...SQLiteLedger.connectionsMax).map { number in
            ConnectionChange.opens(session(UInt8(number & 0xFF), key: "k\(number)"))
        }
        // The ids of `session` repeat, so each batch sets other ids.
        for start in stride(from: 0, to: changes.count, by: 200) {
            let batch = changes[start..<min(start + 200, changes.count)].enumerated().map {
                offset, change -> ConnectionChange in
                guard case .opens(let old) = change else { return change }
                var id = [UInt8](repeating: UInt8(start / 200), count: 16)
                id[0] = UInt8(offset)
                return .opens(
                    ClientConnection(
                        id: id, protocolID: old.protocolID, client: old.client,
                        network: old.network, key: old.key, address: old.address,
                        started: old.started))
            }
            try settle(batch)
        }
        #expect(try ledger.allConnections().count == SQLiteLedger.connectionsMax)
        #expect(try ledger.allConnections().last?.key == KeyID("k\(SQLiteLedger.connectionsMax)"))
    }

    @Test("Forgetting a client revokes its permissions, and no other client's")
    func forgetting() throws {
        func grant(_ id: UInt8, _ client: String, _ answer: Grant.Answer) -> SealedGrant {
            SealedGrant(
                Grant(
                    id: [UInt8](repeating: id, count: Grant.idCount), answer: answer,
                    scope: Grant.Scope(
                        client: client, proof: .claimed, key: KeyID("k"), protocolID: Self.near,
                        method: "sign_message", facts: []),
                    dangers: [], created: Timestamp(seconds: 1_000), expires: nil, login: nil,
                    usesMax: nil), seal: [1])
        }
        try settle(
            [.opens(session(1))],
            grants: [grant(1, "app", .yes), grant(2, "app", .no), grant(3, "other", .yes)])
        try settle([.ends(id: session(1).id), .forgets(Self.app, Self.near)])
        let open = try ledger.allGrants().filter { $0.revoked == nil }
        #expect(open.map { $0.sealed.grant.id[0] } == [2, 3])
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("Numbers are drawn above the floor and above all before, by eight at once too")
    func drawing() async throws {
        let floor: UInt64 = 103_595_482_000_005
        #expect(try await ledger.drawSerials(1, in: "s", above: floor, below: .max) == floor + 1)
        #expect(try await ledger.drawSerials(3, in: "s", above: 5, below: .max) == floor + 2)
        #expect(try await ledger.drawSerials(1, in: "s", above: floor, below: .max) == floor + 5)
        #expect(try await ledger.drawSerials(1, in: "other", above: 7, below: .max) == 8)
        let home = temporary.home
        let drawn = try await withThrowingTaskGroup(of: [UInt64].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let own = try SQLiteLedger.open(home)
                    var drawn: [UInt64] = []
                    for _ in 0..<20 {
                        drawn.append(
                            try await own.drawSerials(1, in: "t", above: 9, below: .max))
                    }
                    return drawn
                }
            }
            return try await group.reduce(into: [UInt64]()) { $0 += $1 }
        }
        #expect(drawn.sorted() == Array(10..<170))
        await #expect(throws: LedgerError.self) {
            try await ledger.drawSerials(2, in: "s", above: UInt64(Int64.max) - 1, below: .max)
        }
    }

    @Test("A number is used once, unless its key was not used after all")
    func using() throws {
        let use = SerialUse(series: "s", number: 41)
        let first = makeIntent(serials: [use])
        try ledger.reserve(first)
        #expect(throws: LedgerError.replayed) { try ledger.reserve(makeIntent(serials: [use])) }
        #expect(try ledger.drawSerials(1, in: "s", above: 40, below: .max) == 42)
        #expect(try ledger.drawSerials(1, in: "s", above: 0, below: .max) == 43)
        try ledger.settle(first.id, .notUsed(Reason(.keyUnavailable, "locked")), at: 1_000)
        try ledger.reserve(makeIntent(serials: [use, SerialUse(series: "t", number: 41)]))
        #expect(throws: LedgerError.replayed) {
            try ledger.reserve(makeIntent(serials: [SerialUse(series: "s", number: 99), use]))
        }
        // A refused request does not use up the number beside the refused one.
        try ledger.reserve(makeIntent(serials: [SerialUse(series: "s", number: 99)]))
        // A number that a client chose does not move the counter, even a large one, and can be used
        // only once.
        let largest = SerialUse(series: "s", number: .max)
        try ledger.reserve(makeIntent(serials: [largest]))
        #expect(throws: LedgerError.replayed) { try ledger.reserve(makeIntent(serials: [largest])) }
        #expect(try ledger.drawSerials(2, in: "s", above: 97, below: .max) == 100)
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("A transaction signed for a network is kept until its outcome is certain")
    func outbox() throws {
        let items = ["one", "two", "three"].map {
            Broadcast.Item(id: $0, sender: "alice.near", bytes: Array($0.utf8))
        }
        let intent = makeIntent()
        try ledger.reserve(intent)
        try ledger.settle(
            intent.id,
            .done(
                resultDigests: [], broadcast: Broadcast(network: "testnet", items: items)),
            at: 1_000)
        #expect(try ledger.unsent().map(\.state) == ["signed", "signed", "signed"])
        let time = Timestamp(seconds: 1_001)
        try ledger.record(.accepted([1]), of: "one", at: time)
        try ledger.record(.unknown("no answer"), of: "two", at: time)
        try ledger.record(.notSent("no network"), of: "three", at: time)
        let left = try SQLiteLedger.open(temporary.home).unsent()
        #expect(left.map(\.item) == Array(items.dropFirst()), "in the order in which they are sent")
        #expect(left.map(\.state) == ["unknown", "not_sent"])
        #expect(left.allSatisfy { $0.network == "testnet" && $0.protocolID.name == "nostr" })
        #expect(try ledger.mayHaveSent("two") && !ledger.mayHaveSent("three"))
        // The item signed again is the same item, and it may have been sent before.
        let again = makeIntent()
        try ledger.reserve(again)
        let same = Broadcast(network: "testnet", items: Array(items.dropFirst()))
        try ledger.settle(again.id, .done(resultDigests: [], broadcast: same), at: 1_001)
        #expect(Set(try ledger.unsent().map(\.state)) == ["unknown", "signed"])
        #expect(try ledger.mayHaveSent("two") && !ledger.mayHaveSent("one"))
        try ledger.record(.refused(name: "Expired", "too old"), of: "two", at: time)
        #expect(try ledger.unsent().map(\.item.id) == ["three"])
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("Another signer's message is accepted once")
    func accepting() throws {
        let time = Timestamp(seconds: 1_000)
        #expect(try ledger.accept([1], at: time) && ledger.accept([2], at: time))
        #expect(try !ledger.accept([1], at: time))
        #expect(try !SQLiteLedger.open(temporary.home).accept([2], at: time))
    }
}

extension SessionTests {
    @Test("A number drawn beyond the chain's ceiling does not count")
    func poisoned() throws {
        let far = try ledger.drawSerials(3, in: "s", above: 1 << 61, below: .max)
        #expect(far == 1 << 61 + 1)
        #expect(try ledger.drawSerials(1, in: "s", above: 7, below: 100) == 8)
        #expect(try ledger.drawSerials(1, in: "s", above: 7, below: 100) == 9)
        #expect(throws: LedgerError.self) {
            try ledger.drawSerials(5, in: "s", above: 97, below: 100)
        }
        #expect(throws: LedgerError.self) {
            try ledger.drawSerials(1, in: "s", above: .max, below: .max)
        }
    }

    @Test("Sessions, the outbox and accepted messages are compared with the chain of the record")
    func audited() throws {
        let time = Timestamp(seconds: 1_000)
        _ = try ledger.accept([9], at: time)
        let intent = makeIntent()
        try ledger.reserve(intent)
        let items = ["one", "two"].map { Broadcast.Item(id: $0, sender: "a", bytes: [1]) }
        try ledger.settle(
            intent.id,
            .done(
                resultDigests: [], connections: [.opens(session(1))],
                broadcast: Broadcast(network: "testnet", items: items)), at: 1_000)
        try ledger.record(.accepted([]), of: "one", at: time)
        #expect(try temporary.verifiedLedger().problem == nil)
        for edit in [
            "DELETE FROM accepted", "DELETE FROM outbox",
            "UPDATE sessions SET client = 'mallory'", "UPDATE sessions SET id = x'01'",
            "INSERT INTO accepted VALUES (x'02', 1)",
        ] {
            let copy = try TemporaryHome()
            let other = try copy.makeLedger()
            _ = try other.accept([9], at: time)
            let own = makeIntent()
            try other.reserve(own)
            try other.settle(
                own.id,
                .done(
                    resultDigests: [], connections: [.opens(session(1))],
                    broadcast: Broadcast(network: "testnet", items: items)), at: 1_000)
            #expect(try copy.verifiedLedger().problem == nil)
            try copy.editLedger(edit)
            #expect(try copy.verifiedLedger().problem != nil, "\(edit)")
        }
    }
}
