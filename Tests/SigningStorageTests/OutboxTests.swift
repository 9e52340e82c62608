// SPDX-License-Identifier: Apache-2.0

import SigningCore
import TestHome
import Testing

@testable import SigningStorage

@Suite("The outbox of broadcasts")
struct OutboxTests {
    private let temporary: TemporaryHome
    private let ledger: SQLiteLedger

    init() throws {
        temporary = try TemporaryHome()
        ledger = try temporary.makeLedger()
    }

    /// Puts one item on record, as signed here or handed over by a client.
    private func queue(_ bytes: [UInt8], isSignedHere: Bool = true) throws {
        let intent = makeIntent()
        try ledger.reserve(intent)
        let item = Broadcast.Item(id: "one", sender: "a", bytes: bytes)
        try ledger.settle(
            intent.id,
            .done(
                resultDigests: isSignedHere ? [[9]] : [],
                broadcast: Broadcast(network: "testnet", items: [item])), at: 1_000)
    }

    @Test("An item that another process sends, or sent before it was killed, may have arrived")
    func inFlight() throws {
        try queue([1])
        #expect(try !ledger.mayHaveSent("one"))
        try queue([1])
        #expect(try ledger.mayHaveSent("one"))
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("An item is unsettled while it may have been sent and its outcome is not known")
    func unsettled() throws {
        let (nostr, time) = (ProtocolID("nostr"), Timestamp(seconds: 1_001))
        try queue([1])
        #expect(try ledger.unsettled(of: nostr).map(\.state) == ["signed"])
        #expect(try ledger.unsettled(of: ProtocolID("near")).isEmpty)
        try ledger.record(.notSent("no network"), of: "one", at: time)
        #expect(try ledger.unsettled(of: nostr).isEmpty)
        try ledger.record(.unknown("no answer"), of: "one", at: time)
        #expect(try ledger.unsettled(of: nostr).map(\.item.id) == ["one"])
        try ledger.record(.accepted([]), of: "one", at: time)
        #expect(try ledger.unsettled(of: nostr).isEmpty)
    }

    @Test("An item from a client replaces no kept item")
    func otherForm() throws {
        let time = Timestamp(seconds: 1_001)
        try queue([1])
        try ledger.record(.notSent("no network"), of: "one", at: time)
        try queue([6, 6, 6], isSignedHere: false)
        #expect(try ledger.unsent().map(\.item.bytes) == [[1]])
        #expect(try ledger.mayHaveSent("one"), "the other bytes may arrive under its id")
        try ledger.record(.unknown("no answer"), of: "one", at: time)
        #expect(try ledger.unsent().map(\.item.bytes) == [[1]])
        try ledger.record(.accepted([]), of: "one", at: time)
        #expect(try ledger.unsent().isEmpty)

        try queue([6, 6, 6], isSignedHere: false)
        try ledger.record(.notSent("no network"), of: "one", at: time)
        try queue([2])
        #expect(try ledger.unsent().map(\.item.bytes) == [[2]], "a key signed these")
        #expect(try !ledger.mayHaveSent("one"))
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("With any number of items of one protocol, another's is found, and each item")
    func crowded() throws {
        let items = (0...SQLiteLedger.unsentMax).map {
            Broadcast.Item(id: "\(10_000 + $0)", sender: "a", bytes: [1])
        }
        let intent = makeIntent()
        try ledger.reserve(intent)
        let broadcast = Broadcast(network: "testnet", items: items)
        try ledger.settle(intent.id, .done(resultDigests: [], broadcast: broadcast), at: 1_000)
        let last = try #require(items.last)
        #expect(try ledger.unsent().count == SQLiteLedger.unsentMax)
        #expect(try ledger.unsent(itemID: last.id).map(\.item) == [last])
        let (nostr, near) = (ProtocolID("nostr"), ProtocolID("near"))
        #expect(try ledger.unsent(of: nostr).count == SQLiteLedger.unsentMax)
        #expect(try ledger.unsent(of: nostr, itemID: last.id).count == 1)
        #expect(try ledger.unsent(of: near, itemID: last.id).isEmpty)
        #expect(try ledger.unsent(of: near).isEmpty)
    }
}
