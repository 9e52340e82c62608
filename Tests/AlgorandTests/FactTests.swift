// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningDigests
import Testing

@testable import Algorand

@Suite("Facts, effects and dangers") struct FactTests {
    @Test("a payment raises exactly these facts")
    func payment() throws {
        let zero = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ"
        let sender = try SampleKeys.address(seed: SampleKeys.a)
        let key = try SampleKeys.publicKey(seed: SampleKeys.b)
        let other = try SampleKeys.address(seed: SampleKeys.b)
        let draft = Draft().with("note", .binary([1, 2, 3]))
        func facts(_ draft: Draft) throws -> [Fact] {
            try SigningItem.own(draft).operation.facts
        }
        let common = [
            Fact("network", .text("testnet")), Fact("connected", .bool(false)),
            Fact("type", .text("pay")), Fact("sender", .text(sender)),
        ]
        let note: [UInt8] = [1, 2, 3]
        let rest = [
            Fact("fee", .integer(1000)), Fact("note.bytes", .integer(3)),
            Fact("note.hash", .bytes(Digest.sha512_256(note.span))),
            Fact("note.hex", .bytes(note)),
            Fact("group.size", .integer(1)), Fact("group.index", .integer(0)),
            Fact("group.types", .text("pay")),
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

    @Test(
        "a note of bytes is bytes, whether or not they are valid UTF-8 by chance",
        arguments: [
            [0, 0, 0, 0, 0, 0, 0, 127], [0, 0, 0, 0, 0, 0, 0, 128], [0x7F], [0xC2, 0x85], [0x1B],
        ] as [[UInt8]])
    func bytesInNotes(_ note: [UInt8]) throws {
        let item = try SigningItem.own(Draft().with("note", .binary(note)))
        #expect(!item.hasHiddenText)
        let facts = try item.operation.facts
        #expect(!facts.contains { $0.name == "note.text" })
        #expect(facts.contains(Fact("note.hex", .bytes(note))))
        let shown = Summary.Line("note bytes", "hex \(Hex.encode(note.span))")
        #expect(item.lines().contains(shown))
    }

    @Test(
        "a note of text is shown with tabs and line ends; hidden characters are a danger"
    )
    func textsInNotes() throws {
        for (text, isHidden) in [("a\tb\r\nc \u{E9}", false), ("pay\u{202E}gnp", true)] {
            let item = try SigningItem.own(Draft().with("note", .binary(Array(text.utf8))))
            #expect(item.hasHiddenText == isHidden)
            #expect(try item.operation.facts.contains(Fact("note.text", .text(text))))
        }
    }

    @Test("rounds in the future are reported apart, where the network is known")
    func rounds() throws {
        func isFar(_ round: UInt64) throws -> Bool {
            let draft = Draft().with("fv", .unsigned(round)).with("lv", .unsigned(round + 9))
            let item = try SigningItem.own(draft)
            let isFar = try item.operation.facts.contains(Fact("far_ahead", .bool(true)))
            #expect(
                item.warnings.contains { $0.hasPrefix("it becomes valid in a year") } == isFar)
            return isFar
        }
        #expect(try !isFar(59_999_999) && isFar(60_000_000) && isFar(1_000_000_000_000))
        let now = Timestamp(seconds: 1_795_327_200)
        #expect(AlgorandNetwork.mainnet.unreachedRound(at: now) == 81_999_600)
        let own = Draft().with("gh", .binary(Draft.key(9)))
        let facts = try SigningItem.own(own, on: .other).operation.facts
        #expect(!facts.contains { $0.name == "far_ahead" })
    }

    @Test("an asset transfer raises the asset and its amount, never the amount of ALGO")
    func assetTransfer() throws {
        let draft = Draft(type: "axfer").with("xaid", .unsigned(77)).with("aamt", .unsigned(5))
        let facts = try SigningItem.own(draft).operation.facts
        #expect(facts.contains(Fact("asset", .integer(77))))
        #expect(facts.contains(Fact("asset.amount", .integer(5))))
        #expect(!facts.contains { $0.name == "amount" })
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
        let item: JSON = ["txn": try #require(row.json["txn_b64"])]
        let operation = try #require(try SigningItem.all([item]).first).operation
        #expect(operation.dangers.map(\.name).sorted() == wanted.sorted())
        #expect(operation.effects.contains(.grantsAuthority) == warnings.contains("rekey"))
        #expect(operation.effects.contains(.spends))
    }

    @Test("a rekey back to the account's own key takes power from others, and is not a danger")
    func rekeyToOwn() throws {
        let key = try SampleKeys.publicKey(seed: SampleKeys.a)
        let item = try SigningItem.own(Draft().with("rekey", .binary(key)))
        let operation = try item.operation
        #expect(operation.dangers == [])
        #expect(operation.effects == [.spends])
        #expect(operation.facts.contains { $0.name == "rekey_to" })
        #expect(item.summary.text.contains("(the account's own again)"))
    }

    @Test("a network that is not built in is unknown, under any name")
    func networks() throws {
        let draft = Draft().with("gh", .binary(Draft.key(9)))
        let operation = try SigningItem.own(draft, on: .other).operation
        #expect(operation.dangers == [.unknownNetwork])
        #expect(operation.facts.first == Fact("network", .text("mainnet-v1.0")))
        #expect(AlgorandNetwork.mainnet.policyName == "mainnet")
    }

    @Test("text that hides something is flagged and shown as the client's")
    func hiddenText() throws {
        let note = Draft().with("note", .binary(Array("pay\u{202e}me".utf8)))
        #expect(try SigningItem.own(note).hasHiddenText)
        #expect(try SigningItem.own(Draft(), ["message": "\u{1b}[2J"]).hasHiddenText)
        #expect(try SigningItem.own(Draft(), ["groupMessage": "\u{0}"]).hasHiddenText)
        let binary = Draft().with("note", .binary([0xff, 0x00]))
        #expect(try !SigningItem.own(binary).hasHiddenText)
        let item = try SigningItem.own(note, ["message": "thank \"you\""])
        let text = item.summary.text
        #expect(text.contains("\\u{202E}") && text.contains("thank"))
        #expect(
            item.shownLines.filter { $0.author == .client }.map(\.label) == ["message", "note"])
    }

    @Test("the summary says what happens, and to which account")
    func summary() throws {
        let key = try SampleKeys.publicKey(seed: SampleKeys.b)
        let draft = Draft().with("amt", .unsigned(1_500_000)).with("rcv", .binary(key))
            .with("close", .binary(key))
        let item = try SigningItem.own(draft)
        #expect(item.wire.transaction.titleText == "a payment of 1.5 ALGO")
        #expect(
            item.wire.transaction.consequence?.text ?? ""
                == "Close the account: ")
        let address = try SampleKeys.address(seed: SampleKeys.b)
        let lines = item.shownLines
        #expect(lines.contains(Summary.Line("to", address).essential()))
        #expect(lines.contains(Summary.Line("rest goes to", address).essential()))
        #expect(lines.contains(Summary.Line("fee", "0.001 ALGO").essential()))
        #expect(lines.contains(Summary.Line("signed", "with key a").essential()))
        let loss =
            "You lose all that is left in this account: it is closed, and \(address) gets the rest"
        #expect(item.warnings == [loss])
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
