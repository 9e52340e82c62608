// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import ARC27
@testable import Algorand

@Suite("Facts, effects and dangers") struct FactTests {
    private func decode(_ name: String) throws -> RequestedOperation {
        let row = try #require(TransactionRow.all.first { $0.name == name })
        let request = try TestProvider().decode(Wire.signing([try row.bytes()]))
        return try #require(request.operations.first)
    }

    private func decode(
        _ draft: Draft, networks: [AlgorandNetwork] = [.testnet],
        _ members: KeyValuePairs<String, JSON> = [:]
    ) throws -> ARC27Request {
        let key = try TestProvider.publicKey(seed: TestProvider.seedA)
        let bytes = draft.with("snd", .binary(key)).bytes
        var item = JSONObject([.init(name: "txn", value: .string(Base64.encode(bytes.span)))])
        for (name, value) in members { item.members.append(.init(name: name, value: value)) }
        return try TestProvider(networks: networks).decode(Wire.signing([.object(item)]))
    }

    @Test("a payment raises exactly these facts")
    func payment() throws {
        let zero = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ"
        let sender = try TestProvider.address(seed: TestProvider.seedA)
        let key = try TestProvider.publicKey(seed: DecisionTests.seedB)
        let other = try TestProvider.address(seed: DecisionTests.seedB)
        let draft = Draft().with("note", .binary([1, 2, 3]))
        func facts(_ draft: Draft) throws -> [Fact] {
            try #require(try decode(draft).operations.first).facts
        }
        let common = [
            Fact("network", .text("testnet")), Fact("connected", .bool(false)),
            Fact("type", .text("pay")), Fact("sender", .text(sender)),
        ]
        let note: [UInt8] = [1, 2, 3]
        let rest = [
            Fact("fee", .integer(1000)), Fact("note.bytes", .integer(3)),
            Fact("note.hash", .bytes(Digest.sha512_256(note.span))),
            Fact("note.hex", .bytes(note)), Fact("note.text", .text("\u{1}\u{2}\u{3}")),
            Fact("group.size", .integer(1)), Fact("group.index", .integer(0)),
            Fact("first_valid", .integer(10)), Fact("last_valid", .integer(1010)),
            Fact("validity.rounds", .integer(1000)), Fact("far_ahead", .bool(false)),
        ]
        #expect(
            try facts(draft) == common
                + [Fact("receiver", .text(zero)), Fact("amount", .integer(0))] + rest)
        let full = draft.with("rcv", .binary(key)).with("amt", .unsigned(.max))
            .with("close", .binary(key)).with("rekey", .binary(key))
        #expect(
            try facts(full) == common
                + [
                    Fact("receiver", .text(other)),
                    Fact("amount", .integer(18_446_744_073_709_551_615)),
                ] + rest + [
                    Fact("close_to", .text(other), isCritical: true),
                    Fact("rekey_to", .text(other), isCritical: true),
                ])
    }

    @Test("rounds that no clock has reached are told apart, where the network is known")
    func rounds() throws {
        func isFar(_ round: UInt64) throws -> Bool {
            let draft = Draft().with("fv", .unsigned(round)).with("lv", .unsigned(round + 9))
            let request = try decode(draft)
            let isFar = request.operations[0].facts.contains(Fact("far_ahead", .bool(true)))
            #expect(
                request.summary.warnings.contains { $0.hasPrefix("it cannot be valid") } == isFar)
            return isFar
        }
        #expect(try !isFar(59_999_999) && isFar(60_000_000) && isFar(1_000_000_000_000))
        let now = Timestamp(seconds: 1_795_327_200)
        #expect(AlgorandNetwork.mainnet.unreachedRound(at: now) == 81_999_600)
        let own = Draft().with("gh", .binary(Draft.key(9)))
        let facts = try #require(try decode(own, networks: [.other]).operations.first).facts
        #expect(!facts.contains { $0.name == "far_ahead" })
    }

    @Test("an asset transfer raises the asset and its amount, never the amount of ALGO")
    func assetTransfer() throws {
        let draft = Draft(type: "axfer").with("xaid", .unsigned(77)).with("aamt", .unsigned(5))
        let facts = try #require(try decode(draft).operations.first).facts
        #expect(facts.contains(Fact("asset", .integer(77))))
        #expect(facts.contains(Fact("asset.amount", .integer(5))))
        #expect(!facts.contains { $0.name == "amount" })
    }

    @Test("every fact, danger and method is in the schema")
    func schema() throws {
        let schema = try TestProvider().adapter.schema
        for row in TransactionRow.offered.filter(\.isResignable)
        where !TransactionTests.tooLongValid.contains(row.name) {
            let seed = try row.seed()
            let members: JSON = [
                "txn": .string(Base64.encode(try row.bytes())),
                "authAddr": .string(try TestProvider.address(seed: seed)),
            ]
            let request = try TestProvider(
                seeds: [seed], networks: [.testnet, .mainnet, .other]
            ).decode(Wire.signing([members]))
            #expect(schema.operations.contains(request.method))
            for operation in request.operations {
                for fact in operation.facts { #expect(schema.field(named: fact.name) != nil) }
                for danger in operation.dangers {
                    #expect((schema.dangers + Danger.common).contains(danger))
                }
                #expect(Set(operation.facts.map(\.name)).count == operation.facts.count)
            }
        }
    }

    @Test(
        "the warnings of the vectors are dangers here",
        arguments: TransactionRow.offered.filter { $0.json["warnings"] != nil })
    func dangers(_ row: TransactionRow) throws {
        let names = [
            "rekey": ["rekey"], "close": ["close_out"], "asset-close": ["asset_close"],
            "clawback": ["clawback"], "high-fee": ["high_fee"],
            "asset-destroy": ["asset_destroy"], "keyreg": ["key_registration"],
            "keyreg-nonpart": ["key_registration", "non_participation"],
        ]
        let warnings = try #require(row.json["warnings"]?.list).compactMap(\.text)
        let wanted = warnings.flatMap { names[$0] ?? ["unknown: \($0)"] }
        let operation = try decode(row.name)
        #expect(operation.dangers.map(\.name).sorted() == wanted.sorted())
        #expect(operation.effects.contains(.grantsAuthority) == warnings.contains("rekey"))
        #expect(operation.effects.contains(.spends))
    }

    @Test("a rekey back to the account's own key takes power from others, and is no danger")
    func rekeyToOwn() throws {
        let key = try TestProvider.publicKey(seed: TestProvider.seedA)
        let request = try decode(Draft().with("rekey", .binary(key)))
        #expect(request.operations.first?.dangers == [])
        #expect(request.operations.first?.effects == [.spends])
        #expect(request.operations.first?.facts.contains { $0.name == "rekey_to" } == true)
        #expect(request.summary.text.contains("(the account's own again)"))
    }

    @Test("a network that is not built in is unknown, whatever it calls itself")
    func networks() throws {
        let draft = Draft().with("gh", .binary(Draft.key(9)))
        let operation = try #require(try decode(draft, networks: [.other]).operations.first)
        #expect(operation.dangers == [.unknownNetwork])
        #expect(operation.facts.first == Fact("network", .text("mainnet-v1.0")))
        #expect(AlgorandNetwork.mainnet.policyName == "mainnet")

        let error = try #require(throws: AdapterError.self) {
            try decode(Draft().with("gen", .text("mainnet-v1.0")), networks: [.testnet, .mainnet])
        }
        #expect(error.code == "4200")
        #expect(error.reason == "txns[0]: gen and gh name different networks")
        _ = try decode(Draft().with("gen", .text("testnet-v1.0")))
    }

    @Test("text that hides something is flagged and shown as the client's")
    func hiddenText() throws {
        let note = Draft().with("note", .binary(Array("pay\u{202e}me".utf8)))
        #expect(try decode(note).dangers == [.controlCharacters])
        #expect(try decode(Draft(), ["message": "\u{1b}[2J"]).dangers == [.controlCharacters])
        #expect(try decode(Draft(), ["groupMessage": "\u{0}"]).dangers == [.controlCharacters])
        let binary = Draft().with("note", .binary([0xff, 0x00]))
        #expect(try decode(binary).dangers.isEmpty)
        let request = try decode(note, ["message": "thank \"you\""])
        let text = request.summary.text
        #expect(text.contains("\\u{202E}") && text.contains("thank"))
        #expect(
            request.summary.lines.filter { $0.author == .client }.map(\.label) == [
                "message", "note",
            ])
    }

    @Test("the summary says what happens to whom")
    func summary() throws {
        let key = try TestProvider.publicKey(seed: DecisionTests.seedB)
        let draft = Draft().with("amt", .unsigned(1_500_000)).with("rcv", .binary(key))
            .with("close", .binary(key))
        let summary = try decode(draft).summary
        #expect(summary.title == "Sign a payment of 1.5 ALGO on testnet that closes the account")
        let address = try TestProvider.address(seed: DecisionTests.seedB)
        #expect(summary.lines.contains(Summary.Line("to", address).essential()))
        #expect(summary.lines.contains(Summary.Line("rest goes to", address).essential()))
        #expect(summary.lines.contains(Summary.Line("fee", "0.001 ALGO").essential()))
        #expect(summary.lines.contains(Summary.Line("signed", "with key a").essential()))
        #expect(summary.warnings == ["the account is closed and everything left in it moves"])
    }

    @Test("ALGO is written exactly")
    func amounts() {
        let rows: [(UInt64, String)] = [
            (0, "0 ALGO"), (1, "0.000001 ALGO"), (1_000_000, "1 ALGO"), (1_100_000, "1.1 ALGO"),
            (10_010_010, "10.01001 ALGO"), (.max, "18446744073709.551615 ALGO"),
        ]
        for (amount, text) in rows { #expect(AmountUnit.algo.text(of: Int128(amount)) == text) }
    }
}

extension AlgorandNetwork {
    /// A network that only pretends to be mainnet.
    fileprivate static let other = Self(genesisID: "mainnet-v1.0", genesisHash: Draft.key(9))
}

extension Base64 {
    fileprivate static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }
}
