// SPDX-License-Identifier: Apache-2.0

import AlgorandCourier
import SigningCore
import SigningService
import SigningStorage
import SigningVault
import TestHome
import Testing

@Suite("The outbox")
struct OutboxTests {
    private let home: TestHome
    private let chain: FakeAlgod
    /// The id of `sign-and-post-ok`.
    private let id = "3BT2CT5ZUINI4B6DM7AHM74UE3MG7KHX7WKQGJOEJEGIBVTLI27A"

    /// Signs a transaction that a node may have accepted.
    init() async throws {
        home = try TestHome.ofAlgorand()
        chain = try FakeAlgod([id])
        chain.fail(.status(500))
        _ = await home.courier([chain.node]).answer(Conversations.frame("sign-and-post-ok"))
    }

    private var outbox: Outbox { Outbox(home.ledger, by: chain.courier) }

    private func error(_ act: () async throws(OutboxError) -> Void) async -> OutboxError? {
        do throws(OutboxError) { try await act() } catch { return error }
        return nil
    }

    @Test("it is sent once more, and off the list once a node has it")
    func resending() async throws {
        #expect(try await outbox.waiting().items.map(\.item.item.id) == [id])
        guard case .accepted = try await outbox.resend(id) else {
            Issue.record("not accepted")
            return
        }
        #expect(chain.bodies.count == 2 && chain.bodies[0] == chain.bodies[1])
        #expect(try await outbox.waiting().items.isEmpty)
        let gone = await error { () throws(OutboxError) in _ = try await outbox.resend(id) }
        #expect(gone == .noSuchItem)
    }

    @Test("nothing is sent, and no node asked, while the owner has stopped all signing")
    func frozen() async throws {
        try home.ledger.freeze("lost laptop", at: Timestamp(seconds: 2_000_000_000))
        let asked = chain.asked.count
        let stopped = await error { () throws(OutboxError) in _ = try await outbox.resend(id) }
        #expect(stopped == .frozen("lost laptop"))
        #expect(chain.asked.count == asked && chain.bodies.count == 1)
        #expect(try await outbox.waiting().items.count == 1)
    }

    @Test("without a node of its network nothing is put on record")
    func noNode() async throws {
        let nowhere = Outbox(home.ledger, by: AlgorandCourier(nodes: []))
        let before = try home.ledger.length()
        let lost = await error { () throws(OutboxError) in _ = try await nowhere.resend(id) }
        #expect(lost == .noNode(network: "testnet"))
        #expect(try home.ledger.length() == before)
    }

    @Test("an item whose outcome the owner knows is removed from the list")
    func forgetting() async throws {
        try await outbox.forget(id)
        #expect(try await outbox.waiting().items.isEmpty)
        let gone = await error { () throws(OutboxError) in try await outbox.forget(id) }
        #expect(gone == .noSuchItem)
        #expect(chain.bodies.count == 1)
    }
}
