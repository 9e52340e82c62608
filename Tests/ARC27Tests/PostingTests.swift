// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import ARC27
@testable import Algorand

@Suite("Posting") struct PostingTests {
    private static let groups = Vectors.list("groups.json", "groups")
    private static let singles = Vectors.list("groups.json", "seventeen_ungrouped_txns_b64")

    private func provider(
        networks: [AlgorandNetwork] = [.testnet],
        _ posting: [AlgorandNetwork] = [.testnet]
    ) throws -> TestProvider {
        try TestProvider(networks: networks, postingNetworks: posting)
    }

    private func frame(_ list: JSON, _ method: String = "post_transactions") -> String {
        Wire.request(
            method,
            [
                "providerId": .string(TestProvider.providerID),
                (method == "post_transactions" ? "stxns" : "txns"): list,
            ])
    }

    private func refusal(
        _ list: JSON, _ method: String = "post_transactions", by provider: TestProvider
    ) throws -> JSON {
        try Wire.error(provider.answer(frame(list, method)))
    }

    /// The transaction signed by the first seed, for any sender.
    private func signed(_ bytes: [UInt8]) throws -> JSON {
        let signature = try SampleKeys.sign(Transaction.prefix + bytes, seed: SampleKeys.a)
        let whole = SignedTransaction.encode(
            transaction: bytes, signature: signature, signer: nil)
        return .string(Base64.encode(whole.span))
    }

    private func id(_ bytes: [UInt8]) -> JSON {
        let id = Transaction.id(ofEncoded: bytes)
        return .string(Base32.encode(id.span))
    }

    private func broadcast(_ frame: String, by provider: TestProvider) throws -> Broadcast {
        let request = try provider.decode(frame)
        let reply = provider.adapter.encode(.done(try provider.perform(request)), to: request)
        guard case .broadcast(let broadcast) = reply else { throw Missing() }
        return broadcast
    }

    private struct Missing: Error {}

    @Test("without a node both methods are refused before anything of the list is judged")
    func notOffered() throws {
        let provider = try provider([])
        for method in ["post_transactions", "sign_and_post_transactions"] {
            for list: JSON in [[], 7, ["?"], [signedVector]] {
                let error = try refusal(list, method, by: provider)
                #expect(error["code"] == 4003 && error["data"] == ["method": .string(method)])
            }
        }
    }

    private var signedVector: JSON { Self.groups[0]["stxns_b64"]?.list?.first ?? .null }

    @Test("a network without a node is refused, though another one has a node")
    func otherNetwork() throws {
        let provider = try provider(networks: [.mainnet, .testnet], [.mainnet])
        let bytes = try Vectors.bytes(Self.singles[0])
        let posted = try refusal([try signed(bytes)], by: provider)
        #expect(posted["code"] == 4003 && posted["data"]?["method"] == "post_transactions")
        let items: JSON = [["txn": Self.singles[0]]]
        let both = try refusal(items, "sign_and_post_transactions", by: provider)
        #expect(both["code"] == 4003)
        #expect(both["data"]?["method"] == "sign_and_post_transactions")
        #expect(both["message"]?.text?.contains("testnet") == true)
    }

    @Test("only networks with a node list the two posting methods")
    func discovery() throws {
        let provider = try provider(networks: [.mainnet, .testnet], [.testnet])
        let answer = try Wire.json(provider.answer(Wire.request("discover")))
        let networks = try #require(answer?["result"]?["networks"]?.list)
        #expect(
            networks[0]["methods"] == ["disable", "enable", "sign_message", "sign_transactions"])
        #expect(
            networks[1]["methods"] == [
                "disable", "enable", "post_transactions", "sign_and_post_transactions",
                "sign_message", "sign_transactions",
            ])
    }

    @Test("both methods need the id of the provider")
    func providerID() throws {
        for method in ["post_transactions", "sign_and_post_transactions"] {
            let frame = Wire.request(method, ["stxns": [], "txns": []])
            #expect(try Wire.error(provider().answer(frame))["code"] == 4200)
        }
    }

    @Test("an empty list is answered, and nothing goes anywhere")
    func empty() throws {
        for method in ["post_transactions", "sign_and_post_transactions"] {
            let answer = try Wire.json(provider().answer(frame([], method)))
            #expect(
                answer?["result"] == [
                    "providerId": .string(TestProvider.providerID), "txnIDs": [],
                ])
        }
        let request = try provider().decode(frame([]))
        #expect(request.effects.isEmpty && request.summary.title.contains("empty"))
        #expect(request.facts == [Fact("transactions.count", .integer(0))])
    }

    @Test("a group is one body, a transaction outside any another, in the order of the list")
    func bodies() throws {
        let provider = try provider()
        let group = try #require(Self.groups[0]["stxns_b64"]?.list)
        let single = try Vectors.bytes(Self.singles[0])
        let list = [try signed(single)] + group
        let broadcast = try broadcast(frame(.array(list)), by: provider)
        #expect(broadcast.network == "testnet" && broadcast.items.count == 2)
        let bodies = try list.map { try Vectors.bytes($0) }
        #expect(broadcast.items[0].bytes == bodies[0])
        #expect(broadcast.items[1].bytes == Array(bodies[1...].joined()))
        #expect(JSON.string(broadcast.items[0].id) == id(single))
        let first = try Vectors.bytes(Self.groups[0]["txns_b64"]?.list?.first)
        #expect(JSON.string(broadcast.items[1].id) == id(first))
        let sender = try Transaction(canonical: first.span).sender
        #expect(
            broadcast.items[1].sender
                == AlgorandAddress.text(publicKey: sender.span))
    }

    @Test("ids in an error are aligned with the list, null for a transaction that may not exist")
    func partly() throws {
        let provider = try provider()
        let group = try #require(Self.groups[0]["stxns_b64"]?.list)
        let plain = try Self.singles[..<3].map { try Vectors.bytes($0) }
        let list = [try signed(plain[0])] + group + [try signed(plain[1]), try signed(plain[2])]
        let ids = try #require(Self.groups[0]["txns_b64"]?.list).map { try id(Vectors.bytes($0)) }
        let whole = [id(plain[0])] + ids + [id(plain[1]), id(plain[2])]
        let all = try Wire.json(provider.answer(frame(.array(list))))
        #expect(all?["result"]?["txnIDs"] == .array(whole))

        let nothing = [JSON](repeating: .null, count: group.count)
        for result in [
            Broadcast.Result.refused(name: "Overspend", "the reason"), .notSent("the reason"),
            .unknown("the reason"), .failed([]),
        ] {
            let network = TestProvider.Network(results: [
                1: result, 2: .notSent("kept back"), 3: .notSent("kept back"),
            ])
            let reply = try provider.answer(frame(.array(list)), network: network)
            let error = try Wire.error(reply)
            #expect(error["code"] == 4300)
            #expect(
                error["data"] == [
                    "successTxnIDs": .array([whole[0]] + nothing + [.null, .null])
                ])
            let message = try #require(error["message"]?.text)
            #expect(message.hasPrefix("1 of \(list.count) posted; transactions 2 to "))
            if case .refused = result {
                #expect(message.contains("the reason"))
            } else {
                #expect(!message.contains("the reason"), "what is said of the node is the owner's")
            }
            #expect(message.hasSuffix("the later ones were not sent"))
        }
        let last = TestProvider.Network(results: [3: .refused(name: "Dead", "txn dead")])
        let error = try Wire.error(provider.answer(frame(.array(list)), network: last))
        #expect(error["data"]?["successTxnIDs"] == .array(whole.dropLast() + [.null]))
        #expect(error["message"]?.text?.hasSuffix("txn dead") == true)
    }

    @Test("deliveries of other transactions are not an answer")
    func otherDeliveries() throws {
        let provider = try provider()
        let request = try provider.decode(frame([try signed(Vectors.bytes(Self.singles[0]))]))
        guard case .undeliverable = provider.adapter.encode([], to: request) else {
            Issue.record("answered")
            return
        }
        let other = try provider.decode(Wire.signing([["txn": Self.singles[0]]]))
        let item = Broadcast.Item(id: "x", sender: "y", bytes: [])
        let delivery = Broadcast.Delivery(item, .accepted([]))
        guard case .undeliverable = provider.adapter.encode([delivery], to: other) else {
            Issue.record("answered")
            return
        }
    }

    @Test("groups, networks, lists and texts follow the same rules as in signing")
    func refused() throws {
        let provider = try provider(networks: [.mainnet, .testnet], [.testnet, .mainnet])
        let group = try #require(Self.groups[0]["stxns_b64"]?.list)
        let partial = try refusal(.array(group.dropLast()), by: provider)
        #expect(partial["code"] == 4201)
        #expect(try Vectors.bytes(partial["data"]?["computedGroupId"]).count == 32)
        #expect(try refusal(.array(group.reversed()), by: provider)["code"] == 4201)

        let single = try signed(try Vectors.bytes(Self.singles[0]))
        let many = [JSON](repeating: single, count: 65)
        #expect(try refusal(.array(many), by: provider)["code"] == 4200)
        let twice = try refusal([single, single], by: provider)
        #expect(twice["code"] == 4200 && twice["message"]?.text?.contains("twice") == true)
        let again: JSON = [["txn": Self.singles[0]], ["txn": Self.singles[0]]]
        let signedTwice = try refusal(again, "sign_and_post_transactions", by: provider)
        #expect(signedTwice["message"]?.text?.contains("twice") == true)
        let foreign = Draft().with("gh", .binary(Draft.key(9))).bytes
        let unknown = try refusal([single, try signed(foreign)], by: provider)
        #expect(unknown["code"] == 4004 && unknown["data"]?["genesisHash"] != nil)
        #expect(unknown["message"]?.text?.hasPrefix("stxns[1]: ") == true)
        let hash = AlgorandNetwork.mainnet.genesisHash
        let mainnet = Draft().with("gh", .binary(hash)).bytes
        let mixed = try refusal([single, try signed(mainnet)], by: provider)
        #expect(mixed["code"] == 4200 && mixed["message"]?.text?.contains("one network") == true)
        let own = try address(0)
        let items: JSON = [
            ["txn": Self.singles[0]],
            ["txn": .string(Base64.encode(mainnet.span)), "authAddr": .string(own)],
        ]
        let both = try refusal(items, "sign_and_post_transactions", by: provider)
        #expect(both["message"]?.text?.contains("one network") == true, "\(both)")

        let trailing = try Vectors.bytes(single) + [0]
        for wrong: JSON in [
            7, "?", .null, .string(Base64.encode(trailing.span)), Self.singles[0],
        ] {
            let error = try refusal([single, wrong], by: provider)
            #expect(error["code"] == 4200)
            #expect(error["message"]?.text?.hasPrefix("stxns[1]: ") == true)
        }
        #expect(try refusal(7, by: provider)["code"] == 4200)
    }

    private func address(_ index: Int) throws -> String {
        try TestProvider().accounts[index].address
    }

    @Test("no key is used, and the facts are the network and how many they are")
    func judged() throws {
        let group = try #require(Self.groups[0]["stxns_b64"]?.list)
        let request = try provider().decode(frame(.array(group)))
        #expect(request.operations.isEmpty && request.method == "post_transactions")
        #expect(
            request.facts == [
                Fact("transactions.count", .integer(Int128(group.count))),
                Fact("network", .text("testnet")), Fact("connected", .bool(false)),
            ])
        #expect(request.effects == [.spends] && request.dangers.isEmpty)
        let own = AlgorandNetwork(genesisID: "own-v1", genesisHash: Draft.key(9))
        let foreign = try provider(networks: [own], [own]).decode(
            frame([try signed(Draft().with("gh", .binary(Draft.key(9))).bytes)]))
        #expect(foreign.dangers == [.unknownNetwork])
        let hidden = Draft().with("note", .binary(Array("a\u{202e}b".utf8))).bytes
        #expect(
            try provider().decode(frame([try signed(hidden)])).dangers == [.controlCharacters])
    }

    @Test("a group that only others signed is not posted as signed here")
    func passedOn() throws {
        let bytes = Draft().with("amt", .unsigned(7)).bytes
        let whole = try signed(bytes)
        let passed: JSON = [
            "txn": .string(Base64.encode(bytes.span)), "signers": [], "stxn": whole,
        ]
        for (items, place) in [([passed], 0), ([["txn": Self.singles[0]], passed], 1)] {
            let error = try refusal(.array(items), "sign_and_post_transactions", by: provider())
            #expect(error["code"] == 4200)
            #expect(error["message"]?.text?.hasPrefix("txns[\(place)]: no key here signs") == true)
        }
    }

    @Test("a passed-on transaction's unusual fields are shown where it is posted")
    func warned() throws {
        let own = Draft().with("snd", .binary(try SampleKeys.publicKey(seed: SampleKeys.a)))
        let group = Draft.grouped([own, own.with("rekey", .binary(Draft.key(9)))])
        let texts = group.map { JSON.string(Base64.encode($0.span)) }
        let items: [JSON] = [
            ["txn": texts[0]],
            [
                "txn": texts[1], "signers": [],
                "stxn": try signed(group[1]),
            ],
        ]
        let posted = try provider().decode(frame(.array(items), "sign_and_post_transactions"))
            .summary
        #expect(posted.warnings.count == 1)
        #expect(posted.warnings[0].hasPrefix("2: The sender loses this account: anyone with"))
        #expect(try provider().decode(Wire.signing(items)).summary.warnings.isEmpty)
    }

    @Test("a person sees every transaction, its signer, and its unusual fields")
    func shown() throws {
        let rekey = Draft().with("rekey", .binary(Draft.key(9))).bytes
        let list = [try signed(rekey), try signed(Draft().with("amt", .unsigned(5)).bytes)]
        let summary = try provider().decode(frame(.array(list))).summary
        #expect(summary.title == "Post 2 signed Algorand transactions to testnet")
        let sender = AlgorandAddress.text(
            publicKey: Draft.key(7).span)
        #expect(summary.lines.contains { $0.label == "1: signed" && $0.text == "by \(sender)" })
        #expect(summary.lines.contains { $0.label == "1: new key" })
        #expect(summary.lines.contains { $0.text.contains("0.000005 ALGO") })
        #expect(summary.lines.last?.text.contains("signatures") == true)
        let key = AlgorandAddress.text(publicKey: Draft.key(9).span)
        let loss =
            "1: The sender loses this account: anyone with the key of \(key) controls it from "
            + "then on"
        #expect(summary.warnings == [loss])
    }
}
