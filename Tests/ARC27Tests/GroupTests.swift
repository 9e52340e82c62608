// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import ARC27
@testable import Algorand

@Suite("Groups") struct GroupTests {
    static let groups = Vectors.list("groups.json", "groups")

    @Test("a whole group is signed as in the vectors", arguments: groups)
    func signs(_ group: JSON) throws {
        let transactions = try #require(group["txns_b64"]?.list)
        let seeds = try #require(group["signer_seeds_b64"]?.list)
        let items: [JSON] = zip(transactions, seeds).map { transaction, seed in
            seed.isNull ? ["txn": transaction, "signers": []] : ["txn": transaction]
        }
        let frame = Wire.signing(items)
        let answer = try Wire.json(TestProvider().answer(frame))
        let expected = zip(try #require(group["stxns_b64"]?.list), seeds).map { signed, seed in
            seed.isNull ? JSON.null : signed
        }
        #expect(answer?["result"]?["stxns"] == .array(expected))

        let request = try TestProvider().decode(frame)
        for operation in request.operations {
            #expect(operation.facts.contains(Fact("group.size", .integer(Int128(items.count)))))
        }
        for operation in request.operations {
            func value(_ name: String) -> FactValue? {
                operation.facts.first { $0.name == name }?.value
            }
            guard case .text(let types)? = value("group.types"),
                case .integer(let index)? = value("group.index"),
                case .text(let type)? = value("type")
            else {
                Issue.record("\(operation.facts)")
                continue
            }
            let all = types.split(separator: ",", omittingEmptySubsequences: false)
            #expect(all.count == items.count)
            #expect(all[Int(index)] == type)
        }
        let positions = seeds.indices.filter { !seeds[$0].isNull }
        let indices = request.operations.map { $0.facts.first { $0.name == "group.index" }?.value }
        #expect(indices == positions.map { .integer(Int128($0)) })
    }

    @Test("transactions that are signed here are shown first, so that no cut hides them")
    func order() throws {
        let sixteen = try #require(Self.groups.first { $0["txns_b64"]?.list?.count == 16 })
        let transactions = try #require(sixteen["txns_b64"]?.list)
        let items: [JSON] = transactions.enumerated().map { index, transaction in
            index == 15 ? ["txn": transaction] : ["txn": transaction, "signers": []]
        }
        let summary = try TestProvider().decode(Wire.signing(items)).summary
        let shown = summary.lines.map(\.label).filter { $0.hasSuffix(": signed") }
        #expect(shown == ([16] + Array(1...15)).map { "\($0): signed" })
        #expect(summary.title == "Sign 1 of 16 Algorand transactions on testnet")
        #expect(summary.isCut && summary.text.contains("16: signed  "))
    }

    @Test("the ids of the vectors are computed", arguments: groups)
    func ids(_ group: JSON) throws {
        let ids = try #require(group["txids_without_group_b64"]?.list)
        for (row, id) in zip(try #require(group["txns_b64"]?.list), ids) {
            let bytes = try Vectors.bytes(row)
            let plain = try Transaction(canonical: bytes.span).encoded(withGroup: false)
            #expect(
                try Transaction.id(ofEncoded: plain) == Vectors.bytes(id))
        }
    }

    @Test("a group without one of its members is refused", arguments: groups)
    func incomplete(_ group: JSON) throws {
        let transactions = try #require(group["txns_b64"]?.list)
        for index in transactions.indices where transactions.count > 1 {
            var rest = transactions
            rest.remove(at: index)
            let error = try refusal(rest.map { ["txn": $0, "signers": []] })
            #expect(error["code"] == 4201)
            let computed = try Vectors.bytes(error["data"]?["computedGroupId"])
            #expect(computed.count == 32)
        }
    }

    @Test("several groups and singles in one request are each complete")
    func concatenated() throws {
        let singles = Vectors.list("groups.json", "seventeen_ungrouped_txns_b64")
        let lists = Self.groups.compactMap { $0["txns_b64"]?.list }
        let all = lists[0] + [singles[0]] + lists[1] + [singles[1], singles[2]]
        let items: [JSON] = all.map { ["txn": $0, "signers": []] }
        let answer = try Wire.json(TestProvider().answer(Wire.signing(items)))
        #expect(answer?["result"]?["stxns"] == .array(all.map { _ in .null }))

        let interleaved: [JSON] = [lists[0][0], singles[0], lists[0][1]]
        #expect(try refusal(interleaved.map { ["txn": $0] })["code"] == 4201)
        let twice = lists[0] + lists[0]
        #expect(try refusal(twice.map { ["txn": $0] })["code"] == 4201)
    }

    @Test("the limits are 64 items and 16 in a group")
    func limits() throws {
        let single = try #require(
            Vectors.list("groups.json", "seventeen_ungrouped_txns_b64").first)
        let items = [JSON](repeating: ["txn": single, "signers": []], count: 64)
        let answer = try Wire.json(TestProvider().answer(Wire.signing(items)))
        #expect(answer?["result"]?["stxns"]?.list?.count == 64)
        let error = try refusal(items + items.prefix(1))
        #expect(error["code"] == 4200)
        #expect(error["message"] == "txns has more than 64 items")

        let member = Draft().with("grp", .binary(Draft.key(1))).bytes
        let group = [JSON](
            repeating: ["txn": .string(Base64.encode(member.span)), "signers": []], count: 17)
        #expect(try refusal(group)["message"] == "a group has more than 16 transactions")
        #expect(try refusal(Array(group.prefix(16)))["code"] == 4201)
    }

    private func refusal(_ items: [JSON]) throws -> JSON {
        try Wire.error(TestProvider().answer(Wire.signing(items)))
    }
}
