// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore
import SigningNetwork
import SigningStorage
import SigningVault
import TestHome
import Testing

@testable import AlgorandCourier

@Suite("Algorand nodes that lie")
struct LyingNodeTests {
    private let home: TestHome
    /// The id of `sign-and-post-ok`.
    private let id = "3BT2CT5ZUINI4B6DM7AHM74UE3MG7KHX7WKQGJOEJEGIBVTLI27A"

    init() throws { home = try TestHome.ofAlgorand() }

    private func answer(_ name: String, _ chain: FakeAlgod) async -> JSON {
        json(await home.courier([chain.node]).answer(Conversations.frame(name)))
    }

    @Test(
        "a refusal is not the last word: it stays here as long as a round is left for it",
        arguments: [
            "TransactionPool.Remember: transaction X: overspend (account A, tried to spend {9})",
            "TransactionPool.Remember: txn dead: round 9 outside of 1--8",
            "broadcast queue full", "msgpack decode error [pos 1]", "no",
            "TransactionPool.Remember: transaction already in ledger: X",
        ])
    func lyingRefusal(_ words: String) async throws {
        let chain = try FakeAlgod()
        chain.fail(.refuse(words))
        let reply = await answer("sign-and-post-ok", chain)
        #expect(reply["error"]?["data"] == ["successTxnIDs": [.null]])
        let message = try #require(reply["error"]?["message"]?.text)
        #expect(message.contains(words) && message.hasSuffix("carried out anyway"))
        #expect(chain.asked.last == "GET /v2/transactions/params")
        #expect(try home.ledger.unsent().map(\.state) == ["unknown"])
        // The node had accepted the transaction.
        chain.know(id)
        #expect(await answer("sign-and-post-ok", chain)["result"]?["txnIDs"] == [.string(id)])
        #expect(chain.bodies.count == 1)
    }

    @Test("a refusal counts where the last round has passed without it, by other lookups")
    func refusedForGood() async throws {
        let words = "TransactionPool.Remember: txn dead: round 9 outside of 1--8"
        let chain = try FakeAlgod()
        chain.setRoundAfterPosting(1 << 40)
        for fault in [FakeAlgod.Fault.status(404), .close, .text("{}")] {
            chain.failLookups(fault)
            chain.fail(.refuse(words))
            _ = await answer("sign-and-post-ok", chain)
            #expect(try home.ledger.unsent().map(\.state) == ["unknown"])
            try await home.forgetUnsent()
        }
        chain.failLookups(nil)
        chain.fail(.refuse(words))
        let reply = await answer("sign-and-post-ok", chain)
        #expect(reply["error"]?["message"]?.text?.hasSuffix("last valid round has passed") == true)
        #expect(try home.ledger.unsent().isEmpty)
    }

    private static func item(
        _ rounds: [ClosedRange<UInt64>], genesisHash: [UInt8]? = nil
    ) -> Broadcast.Item {
        let bytes = rounds.flatMap { range in
            let members = [("fv", range.lowerBound), ("lv", range.upperBound)]
                .filter { $0.1 > 0 }
                .map { MessagePackMember(name: $0.0, value: .unsigned($0.1)) }
            let genesis = genesisHash.map { MessagePackMember(name: "gh", value: .binary($0)) }
            let fields = (members + [genesis].compactMap(\.self)).sorted { $0.name < $1.name }
            return MessagePack.map([.init(name: "txn", value: .map(fields))]).encode()
        }
        return Broadcast.Item(id: "ID", sender: "A", bytes: bytes)
    }

    @Test("the rounds of a group are those in which all its members are valid")
    func rounds() throws {
        let rounds = try #require(ValidRounds(Self.item([5...1_005, 7...900, 0...950]).bytes))
        #expect(rounds.first == 7 && rounds.last == 900)
        #expect(!rounds.isOver(at: 899) && rounds.isOver(at: 900))
        #expect(rounds.isInView(at: 1_006) && !rounds.isInView(at: 1_007))
        for bytes: [UInt8] in [[], [0x80], [0x81], [0x81, 0xa3, 0x74, 0x78, 0x6e, 0x80], [1, 2]] {
            #expect(ValidRounds(bytes) == nil)
        }
    }

    @Test("sent again, it ends where a node that knows all its rounds does not know it")
    func resendingTooLate() async throws {
        let chain = try FakeAlgod(["ID"])
        chain.setRound(1_050)
        let short = Self.item([100...1_050])
        #expect(
            await chain.courier.resend(short, to: "testnet")
                == .refused(name: "Dead", "its last valid round has passed without it"))
        let long = Self.item([40...1_040])
        guard case .unknown(let text) = await chain.courier.resend(long, to: "testnet")
        else {
            Issue.record("the node cannot know")
            return
        }
        #expect(text.contains("no longer knows"))
        #expect(chain.bodies.isEmpty, "what is too late is not sent")
        chain.failLookups(.status(404))
        #expect(
            await chain.courier.resend(short, to: "testnet") != .refused(name: "Dead", ""))
        #expect(chain.bodies == [short.bytes])
    }

    @Test("sent again, it never goes to a network with another genesis")
    func resendingElsewhere() async throws {
        let chain = try FakeAlgod(["ID"])
        chain.setRound(50)
        let other = Self.item([1...1_000], genesisHash: [UInt8](repeating: 9, count: 32))
        #expect(
            await chain.courier.resend(other, to: "testnet")
                == .unknown("it was signed for a network with another genesis"))
        #expect(chain.bodies.isEmpty)
        let own = Self.item([1...1_000], genesisHash: AlgorandNetwork.testnet.genesisHash)
        _ = await chain.courier.resend(own, to: "testnet")
        #expect(chain.bodies == [own.bytes])
    }
}
