// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Algorand

@Suite("Questions about types beyond transfers") struct TypeSummaryTests {
    private func item(
        _ type: String, _ members: KeyValuePairs<String, MessagePack>
    ) throws -> SigningItem {
        try SigningItem.own(Draft(type: type, members))
    }

    private func lines(
        _ type: String, _ members: KeyValuePairs<String, MessagePack>
    ) throws -> [Summary.Line] { try item(type, members).shownLines }

    @Test("the title names the act and its object")
    func titles() throws {
        let keys = Draft.bytes(32)
        let own: MessagePack = .binary(try SampleKeys.publicKey(seed: SampleKeys.a))
        let id: MessagePack = .unsigned(7)
        let rows: [(String, KeyValuePairs<String, MessagePack>, String)] = [
            ("axfer", ["xaid": id], "an asset transfer of 0 smallest units of asset 7"),
            ("axfer", ["xaid": id, "arcv": own], "an asset opt-in: asset 7"),
            ("acfg", [:], "an asset creation: 0 smallest units, 0 decimals"),
            ("acfg", ["caid": id], "an asset destruction: asset 7"),
            (
                "acfg", ["caid": id, "apar": Draft.map(["m": keys])],
                "an asset reconfiguration: asset 7"
            ),
            ("afrz", ["faid": id, "afrz": .bool(true)], "an asset freeze: asset 7"),
            ("afrz", ["faid": id], "an asset unfreeze: asset 7"),
            ("appl", [:], "an app creation: a new app"),
            ("appl", ["apid": id], "an app call: app 7"),
            ("appl", ["apid": id, "apan": .unsigned(1)], "an app opt-in: app 7"),
            ("appl", ["apan": .unsigned(1)], "an app creation and opt-in: a new app"),
            ("appl", ["apid": id, "apan": .unsigned(2)], "an app close-out: app 7"),
            ("appl", ["apid": id, "apan": .unsigned(3)], "an app clear-state: app 7"),
            ("appl", ["apid": id, "apan": .unsigned(4)], "an app update: app 7"),
            ("appl", ["apid": id, "apan": .unsigned(5)], "an app deletion: app 7"),
            ("keyreg", [:], "a key registration: offline"),
            ("keyreg", ["nonpart": .bool(true)], "a key registration: never online again"),
            (
                "keyreg",
                [
                    "votekey": keys, "selkey": keys, "votefst": .unsigned(1),
                    "votelst": .unsigned(9),
                ],
                "a key registration: online from round 1 to 9"
            ),
        ]
        for (type, members, title) in rows {
            #expect(try item(type, members).wire.transaction.titleText == title)
        }
    }

    @Test("the title says first what the account loses, the lines what it gives up")
    func consequences() throws {
        let own: MessagePack = .binary(try SampleKeys.publicKey(seed: SampleKeys.a))
        let other = Draft.bytes(32)
        func text(_ type: String, _ members: KeyValuePairs<String, MessagePack>) throws -> String {
            try item(type, members).wire.transaction.consequence?.text ?? ""
        }
        #expect(
            try text("pay", ["close": other, "rekey": other])
                == "Give the account to another key and close the account: ")
        #expect(
            try text("axfer", ["xaid": .unsigned(7), "aclose": other])
                == "Send away all units of the asset: ")
        #expect(try text("pay", ["rekey": own]).isEmpty)
        for (completion, count) in [(1, 0), (2, 1), (3, 1), (4, 0), (5, 0)] {
            let call = try lines(
                "appl", ["apid": .unsigned(7), "apan": .unsigned(UInt64(completion))])
            #expect(call.count { $0.label == "gives up" } == count)
        }
    }

    @Test("an asset's texts are the client's, and a role left out is lost for ever")
    func asset() throws {
        let parameters = Draft.map([
            "an": .text("ALGO"), "un": .text("U\u{202e}"), "au": .text("https://a.example"),
            "df": .bool(true), "am": Draft.bytes(32), "m": Draft.bytes(32),
        ])
        let item = try item("acfg", ["apar": parameters])
        #expect(item.hasHiddenText)
        let lines = item.shownLines
        #expect(lines.filter { $0.author == .client }.map(\.label) == ["name", "unit", "url"])
        for label in ["reserve", "freeze", "clawback"] {
            #expect(lines.contains(Summary.Line(label, "no one, for ever").essential()))
        }
        #expect(lines.contains(.init("holdings", "frozen at first")))
        #expect(lines.contains { $0.label == "metadata" && $0.text.hasPrefix("hex 0101") })
        #expect(!item.wire.transaction.titleText.contains("ALGO"))
    }

    @Test("a call shows its arguments, all it may use and the code it installs")
    func call() throws {
        let lines = try lines(
            "appl",
            [
                "apan": .unsigned(4), "apid": .unsigned(7),
                "apaa": .array([Draft.bytes(2), .binary([])]),
                "apat": .array([Draft.bytes(32, 0)]), "apas": .array([.unsigned(3)]),
                "apfa": .array([.unsigned(4)]),
                "apbx": .array([
                    Draft.map(["i": .unsigned(1), "n": Draft.bytes(1)]),
                    Draft.map([:]),
                ]),
                "apap": Draft.bytes(3), "apsu": Draft.bytes(4),
                "aprv": .unsigned(2),
            ]
        )
        for line: Summary.Line in [
            .init("argument 0", "hex 0101"), .init("argument 1", "empty"),
            .init("may use asset", "3"), .init("may use app", "4"),
            .init("may use box", "hex 01 of app 4"), .init("may use box", "empty"),
            .init("app version", "fails from version 2 on"),
            .init(
                "may use account", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ"),
        ] {
            #expect(lines.contains(line))
        }
        for (label, count) in [("approval code", 3), ("clear code", 4)] {
            #expect(
                lines.contains {
                    $0.label == label && $0.text.hasPrefix("\(count) bytes, hash hex")
                })
        }
        #expect(!lines.contains { $0.label == "to" })
    }

    @Test("creation shows the room an app takes")
    func creation() throws {
        let lines = try lines(
            "appl",
            [
                "apls": Draft.map(["nui": .unsigned(1)]),
                "apgs": Draft.map(["nbs": .unsigned(2)]), "apep": .unsigned(3),
            ]
        )
        #expect(lines.contains(.init("local state", "1 integers, 0 byte slices")))
        #expect(lines.contains(.init("global state", "0 integers, 2 byte slices")))
        #expect(lines.contains(.init("extra pages", "3")))
    }

    @Test("a freeze and a registration show whom and with which keys")
    func others() throws {
        let frozen = try lines(
            "afrz", ["faid": .unsigned(7), "afrz": .bool(true), "fadd": Draft.bytes(32)])
        #expect(frozen.contains { $0.label == "frozen" && $0.text.count == 58 })
        let online = try lines(
            "keyreg",
            [
                "votekey": Draft.bytes(32), "selkey": Draft.bytes(32),
                "sprfkey": Draft.bytes(64), "votekd": .unsigned(5),
            ])
        for label in ["vote key", "selection key", "state proof key", "key dilution"] {
            #expect(online.contains { $0.label == label })
        }
    }
}
