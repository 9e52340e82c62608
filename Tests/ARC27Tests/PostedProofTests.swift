// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import ARC27
@testable import Algorand

@Suite("Proofs of posted transactions") struct PostedProofTests {
    private func provider() throws -> TestProvider {
        try TestProvider(postingNetworks: [.testnet])
    }

    private func post(_ signed: [JSON]) throws -> JSON? {
        try Wire.json(
            provider().answer(
                Wire.request(
                    "post_transactions",
                    [
                        "providerId": .string(TestProvider.providerID), "stxns": .array(signed),
                    ])))
    }

    /// The message of the refusal of one signed transaction.
    private func refusal(_ signed: MessagePack) throws -> String {
        let bytes = signed.encode()
        let error = try #require(
            try post([.string(Base64.encode(bytes.span))])?["error"], "it is posted")
        #expect(error["code"] == 4200)
        return error["message"]?.text ?? ""
    }

    /// A signed transaction with members added or replaced; nil removes a member.
    private func with(
        _ members: [(String, MessagePack?)], in signed: [UInt8]
    ) throws -> MessagePack {
        guard case .map(var map) = try MessagePack.decodeCanonical(signed.span) else {
            throw Missing()
        }
        for (name, value) in members {
            map.removeAll { $0.name == name }
            if let value { map.append(.init(name: name, value: value)) }
        }
        return .map(map)
    }

    private struct Missing: Error {}

    private func multisig() throws -> [JSON] {
        try #require(try Vectors.load("multisig.json")["signing"]?["steps"]?.list)
    }

    @Test("a multisignature below its threshold is refused, and from there on posted")
    func threshold() throws {
        let steps = try multisig()
        let txid = try Vectors.load("multisig.json")["signing"]?["txid"]
        for step in steps {
            let answer = try post([step["stxn_b64"] ?? .null])
            // The steps of one key come first, then those of two.
            if step["after"] == "C" {
                #expect(answer?["result"]?["txnIDs"] == .array([txid ?? .null]))
            } else {
                #expect(answer?["error"]?["code"] == 4200)
                #expect(answer?["error"]?["message"]?.text?.contains("1 of 2 keys") == true)
            }
        }
        let item: JSON = [
            "txn": try #require(try Vectors.load("multisig.json")["signing"]?["txn_b64"]),
            "stxn": steps[0]["stxn_b64"] ?? .null, "signers": [],
        ]
        let passed = try Wire.error(
            provider().answer(
                Wire.request(
                    "sign_and_post_transactions",
                    ["providerId": .string(TestProvider.providerID), "txns": [item]])))
        #expect(passed["code"] == 4200)
        #expect(passed["message"]?.text?.hasPrefix("txns[0]: stxn: ") == true, "\(passed)")
    }

    @Test("an invalid multisignature account, or another account's, is refused")
    func wrongMultisig() throws {
        let whole = try Vectors.bytes(try multisig()[1]["stxn_b64"])
        guard case .map(let members) = try MessagePack.decodeCanonical(whole.span),
            case .map(let multisig)? = members.first(where: { $0.name == "msig" })?.value
        else { throw Missing() }
        func changed(_ name: String, _ value: MessagePack?) throws -> MessagePack {
            var other = multisig.filter { $0.name != name }
            if let value { other.append(.init(name: name, value: value)) }
            return try with([("msig", .map(other))], in: whole)
        }
        #expect(try refusal(changed("thr", .unsigned(1))).contains("another account's"))
        let none = "not a multisignature account"
        #expect(try refusal(changed("thr", .unsigned(4))).contains(none))
        #expect(try refusal(changed("thr", nil)).contains(none))
        #expect(try refusal(changed("v", .unsigned(2))).contains(none))
        #expect(try refusal(changed("subsig", .array([]))).contains(none))
        let wrong = "wrong or unknown"
        #expect(try refusal(changed("zzz", .unsigned(1))).contains(wrong))
        let short = MessagePack.map([.init(name: "pk", value: .binary([1]))])
        #expect(try refusal(changed("subsig", .array([short, short]))).contains(wrong))
        let key = MessagePack.map([.init(name: "s", value: .binary(Draft.key(1) + Draft.key(2)))])
        #expect(try refusal(changed("subsig", .array([key, key]))).contains(wrong))
    }

    @Test("exactly one proof, and no signer that is the sender")
    func one() throws {
        let conversation = try #require(Conversation.all.first { $0.name == "post-ok" })
        let list = conversation.json["request"]?["json"]?["params"]?["stxns"]?.list
        let whole = try Vectors.bytes(list?.first)
        guard case .map(let members) = try MessagePack.decodeCanonical(whole.span),
            case .map(let fields)? = members.first(where: { $0.name == "txn" })?.value,
            let sender = fields.first(where: { $0.name == "snd" })?.value
        else { throw Missing() }
        let program = MessagePack.map([.init(name: "l", value: .binary([1, 2]))])
        #expect(try refusal(with([("lsig", program)], in: whole)).contains("exactly one"))
        #expect(try refusal(with([("sig", nil)], in: whole)).contains("exactly one"))
        #expect(try refusal(with([("xsig", program)], in: whole)).contains("unknown"))
        #expect(try refusal(with([("sgnr", sender)], in: whole)).contains("sgnr"))
        #expect(try refusal(with([("sig", .binary([1]))], in: whole)).contains("wrong"))
    }
}

@Suite("Signing and posting in one") struct SignAndPostTests {
    private func frame(_ method: String, _ items: [JSON]) -> String {
        Wire.request(
            method, ["providerId": .string(TestProvider.providerID), "txns": .array(items)])
    }

    @Test("it is judged as sign_transactions is", arguments: TransactionRow.offered)
    func judged(_ row: TransactionRow) throws {
        guard row.json["signer_seed_b64"]?.text != nil else { return }
        let seed = try row.seed()
        let bytes = try row.bytes()
        let hash = try Transaction(canonical: bytes.span).genesisHash
        guard
            let network = [AlgorandNetwork.testnet, .mainnet].first(where: {
                $0.genesisHash == hash
            })
        else { return }
        let provider = try TestProvider(
            seeds: [seed], networks: [network], postingNetworks: [network])
        let item: JSON = ["txn": .string(Base64.encode(bytes.span))]
        let asked = (
            try? provider.decode(frame("sign_transactions", [item])),
            try? provider.decode(frame("sign_and_post_transactions", [item]))
        )
        #expect((asked.0 == nil) == (asked.1 == nil))
        guard let plain = asked.0, let posting = asked.1 else { return }
        #expect(plain.operations == posting.operations && plain.facts == posting.facts)
        #expect(plain.effects == posting.effects && plain.dangers == posting.dangers)
        #expect(posting.summary.warnings == plain.summary.warnings)
        let isServed = plain.terms.unserved == nil
        #expect(posting.summary.title == plain.summary.title + (isServed ? ", and post" : ""))
        #expect(posting.method == "sign_and_post_transactions")
    }

    @Test("a group without any signature cannot be posted")
    func nobody() throws {
        let provider = try TestProvider(postingNetworks: [.testnet])
        let single = try #require(
            Vectors.list("groups.json", "seventeen_ungrouped_txns_b64").first)
        let items: [JSON] = [["txn": single], ["txn": single, "signers": []]]
        let error = try Wire.error(provider.answer(frame("sign_and_post_transactions", items)))
        #expect(error["code"] == 4200)
        #expect(error["message"]?.text?.hasPrefix("txns[1]: it has no signature") == true)
    }

    @Test("transactions signed here and passed on are posted together, each as signed")
    func together() throws {
        let group = Vectors.list("groups.json", "groups")[0]
        let transactions = try #require(group["txns_b64"]?.list)
        let signed = try #require(group["stxns_b64"]?.list)
        let provider = try TestProvider(postingNetworks: [.testnet])
        let items: [JSON] = transactions.indices.map { index in
            index == 0
                ? ["txn": transactions[0]]
                : ["txn": transactions[index], "signers": [], "stxn": signed[index]]
        }
        let request = try provider.decode(frame("sign_and_post_transactions", items))
        #expect(request.operations.count == 1)
        let reply = provider.adapter.encode(.done(try provider.perform(request)), to: request)
        guard case .broadcast(let broadcast) = reply else {
            Issue.record("\(reply)")
            return
        }
        let bodies = try signed.map { try Vectors.bytes($0) }
        #expect(broadcast.items.map(\.bytes) == [Array(bodies.joined())])
        let denied = provider.adapter.finalReply(
            .denied(Reason(.policyDenied, "no")), to: request)
        #expect(
            try Wire.error(denied)["data"] == ["method": "sign_and_post_transactions"])
    }
}
