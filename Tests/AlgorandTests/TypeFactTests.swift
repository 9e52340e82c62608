// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningDigests
import Testing

@testable import Algorand

@Suite("Facts, effects and dangers of the types beyond transfers") struct TypeFactTests {
    /// The facts of the type's fields, without the header's.
    private func facts(
        _ type: String, _ members: KeyValuePairs<String, MessagePack>
    ) throws -> [Fact] {
        let header = [
            "network", "connected", "type", "sender", "fee", "note.bytes", "group.size",
            "group.index", "group.types", "first_valid", "last_valid", "validity.rounds",
            "far_ahead",
            "content.hash",
        ]
        let operation = try SigningItem.own(Draft(type: type, members)).operation
        #expect(operation.facts.contains(Fact("type", .text(type))))
        return operation.facts.filter { !header.contains($0.name) }
    }

    private func keyB() throws -> MessagePack {
        .binary(try SampleKeys.publicKey(seed: SampleKeys.b))
    }

    @Test("an asset's creation, reconfiguration and destruction raise exactly these facts")
    func configuration() throws {
        let b = try SampleKeys.address(seed: SampleKeys.b)
        let created = try facts(
            "acfg",
            ["apar": Draft.map(["t": .unsigned(.max), "m": keyB(), "an": .text("x")])])
        #expect(
            created == [
                Fact("asset", .integer(0)), Fact("asset.action", .text("create")),
                Fact("asset.total", .integer(18_446_744_073_709_551_615)),
                Fact("asset.decimals", .integer(0)), Fact("asset.frozen_at_first", .bool(false)),
                Fact("asset.name", .text("x")), Fact("asset.manager", .text(b)),
            ])
        let changed = try facts(
            "acfg",
            [
                "caid": .unsigned(7),
                "apar": Draft.map(["r": keyB(), "f": keyB(), "c": keyB(), "t": .unsigned(1)]),
            ])
        #expect(
            changed == [
                Fact("asset", .integer(7)), Fact("asset.action", .text("reconfigure")),
                Fact("asset.reserve", .text(b)), Fact("asset.freeze", .text(b)),
                Fact("asset.clawback", .text(b)),
            ])
        #expect(
            try facts("acfg", ["caid": .unsigned(7)]) == [
                Fact("asset", .integer(7)), Fact("asset.action", .text("destroy")),
            ])
    }

    @Test("a freeze raises exactly these facts")
    func freeze() throws {
        let b = try SampleKeys.address(seed: SampleKeys.b)
        #expect(
            try facts("afrz", ["faid": .unsigned(7), "fadd": keyB(), "afrz": .bool(true)]) == [
                Fact("asset", .integer(7)), Fact("frozen", .bool(true)),
                Fact("freeze.account", .text(b)),
            ])
        #expect(
            try facts("afrz", ["faid": .unsigned(7), "fadd": keyB()]).contains(
                Fact("frozen", .bool(false))))
    }

    @Test("a key registration raises exactly these facts")
    func registration() throws {
        let keys = Draft.bytes(32)
        #expect(
            try facts(
                "keyreg",
                [
                    "votekey": keys, "selkey": keys, "votefst": .unsigned(10),
                    "votelst": .unsigned(1_000_010),
                ]) == [
                    Fact("participation", .text("online")),
                    Fact("vote.rounds", .integer(1_000_000)), Fact("vote.first", .integer(10)),
                    Fact("vote.last", .integer(1_000_010)), Fact("vote.dilution", .integer(0)),
                    Fact("vote.key", .bytes([UInt8](repeating: 1, count: 32))),
                    Fact("vote.selection_key", .bytes([UInt8](repeating: 1, count: 32))),
                ])
        #expect(try facts("keyreg", [:]) == [Fact("participation", .text("offline"))])
        #expect(
            try facts("keyreg", ["nonpart": .bool(true)]) == [
                Fact("participation", .text("nonparticipating"))
            ])
    }

    @Test("a call raises the same facts with resources in four lists or in one")
    func call() throws {
        let b = try SampleKeys.address(seed: SampleKeys.b)
        let list: [UInt8] = [0x92, 0xc4, 4, 1, 1, 1, 1, 0xc4, 3, 1, 1, 1]
        let common = [
            Fact("opt_in", .bool(false)), Fact("app_id", .integer(5)),
            Fact("on_complete", .text("noop")), Fact("app_args.count", .integer(2)),
            Fact("app_args.bytes", .integer(7)), Fact("boxes.count", .integer(3)),
            Fact("programs.bytes", .integer(0)),
            Fact("app_args.selector", .bytes([1, 1, 1, 1])),
            Fact("app_args.hash", .bytes(Digest.sha512_256(list.span))),
            Fact("app_arg.0", .bytes([1, 1, 1, 1])), Fact("app_arg.1", .bytes([1, 1, 1])),
            Fact("app.accounts", .list([.text(b)])), Fact("app.assets", .list([.integer(9)])),
            Fact("app.apps", .list([.integer(8)])),
            Fact("boxes.names", .list([.bytes([1, 1]), .bytes([1, 1]), .bytes([])])),
        ]
        let arguments = MessagePack.array([Draft.bytes(4), Draft.bytes(3)])
        let name = Draft.bytes(2)
        let four = try facts(
            "appl",
            [
                "apid": .unsigned(5), "apaa": arguments, "apat": .array([keyB()]),
                "apas": .array([.unsigned(9)]), "apfa": .array([.unsigned(8)]),
                "apbx": .array([
                    Draft.map(["n": name]), Draft.map(["i": .unsigned(1), "n": name]),
                    Draft.map([:]),
                ]),
            ])
        #expect(four == common)
        let one = try facts(
            "appl",
            [
                "apid": .unsigned(5), "apaa": arguments,
                "al": .array([
                    Draft.map(["d": keyB()]), Draft.map(["s": .unsigned(9)]),
                    Draft.map(["p": .unsigned(8)]), Draft.map(["b": Draft.map(["n": name])]),
                    Draft.map(["b": Draft.map(["i": .unsigned(3), "n": name])]), Draft.map([:]),
                ]),
            ])
        #expect(one == common)
    }

    @Test("every kind of completion has its name and its flags")
    func completions() throws {
        let rows: [(UInt64, String, [Danger])] = [
            (0, "noop", []), (1, "optin", []), (2, "closeout", []), (3, "clear", []),
            (4, "update", [.appUpdate]), (5, "delete", [.appDelete]),
        ]
        for (number, name, dangers) in rows {
            let completion = number == 0 ? nil : MessagePack.unsigned(number)
            for app in [nil, MessagePack.unsigned(5)] {
                let item = try SigningItem.own(
                    Draft(type: "appl").with("apid", app).with("apan", completion))
                let operation = try item.operation
                #expect(operation.facts.contains(Fact("on_complete", .text(name))))
                #expect(operation.facts.contains(Fact("opt_in", .bool(number == 1))))
                #expect(
                    operation.facts.contains(Fact("app_id", .integer(app == nil ? 0 : 5))))
                #expect(operation.dangers == dangers)
                #expect(operation.effects.contains(.deletes) == (number == 5))
                let costs = app == nil || number == 1 ? 1 : 0
                #expect(item.warnings.count == dangers.count + costs)
            }
        }
    }

    @Test("flags and effects of the other types")
    func dangers() throws {
        let keys = Draft.bytes(32)
        let online: KeyValuePairs<String, MessagePack> = ["votekey": keys, "selkey": keys]
        let rows: [(String, KeyValuePairs<String, MessagePack>, [Danger], [Effect])] = [
            ("acfg", [:], [], [.spends]),
            ("acfg", ["caid": .unsigned(7)], [.assetDestroy], [.spends, .deletes]),
            (
                "acfg", ["caid": .unsigned(7), "apar": Draft.map(["r": keys])],
                [.assetReconfigure], [.spends]
            ),
            (
                "acfg", ["caid": .unsigned(7), "apar": Draft.map(["m": keys])],
                [.assetReconfigure], [.spends, .grantsAuthority]
            ),
            (
                "acfg", ["caid": .unsigned(7), "apar": Draft.map(["c": keys])],
                [.assetReconfigure], [.spends, .grantsAuthority]
            ),
            ("afrz", ["faid": .unsigned(7), "afrz": .bool(true)], [], [.spends]),
            ("keyreg", [:], [.keyRegistration], [.spends]),
            ("keyreg", online, [.keyRegistration], [.spends]),
            (
                "keyreg", ["nonpart": .bool(true)], [.keyRegistration, .nonParticipation],
                [.spends]
            ),
        ]
        for (type, members, dangers, effects) in rows {
            let item = try SigningItem.own(Draft(type: type, members))
            #expect(try item.operation.dangers == dangers)
            #expect(try item.operation.effects == effects)
            // A created asset or application locks ALGO, which is a warning; a freeze locks none.
            #expect(item.warnings.count == max(dangers.count, 1) - (type == "afrz" ? 1 : 0))
        }
    }

    @Test("going online for rewards costs 2 ALGO, and only that is usual")
    func feeOfGoingOnline() throws {
        let keys = Draft.bytes(32)
        func dangers(
            _ fee: UInt64, _ type: String = "keyreg",
            members: KeyValuePairs<String, MessagePack>
        ) throws -> Bool {
            let draft = Draft(type: type, members).with("fee", .unsigned(fee))
            return try SigningItem.own(draft).operation.dangers.contains(.highFee)
        }
        let online: KeyValuePairs<String, MessagePack> = ["votekey": keys, "selkey": keys]
        #expect(try !dangers(2_000_000, members: online))
        #expect(try dangers(2_000_001, members: online))
        #expect(try dangers(1_999_999, members: online))
        #expect(try dangers(2_000_000, members: [:]))
        #expect(try dangers(2_000_000, "pay", members: [:]))
    }
}
