// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import ARC27
@testable import Algorand

@Suite("Facts, effects and dangers of the types beyond transfers") struct TypeFactTests {
    static func map(_ members: KeyValuePairs<String, MessagePack>) -> MessagePack {
        TypeFieldTests.map(members)
    }

    /// Decodes a draft of the account held here; B is held as well where `holdsB` is set.
    static func decode(
        _ type: String, _ members: KeyValuePairs<String, MessagePack>, holdsB: Bool = false
    ) throws -> ARC27Request {
        let key = try TestProvider.publicKey(seed: TestProvider.seedA)
        let draft = members.reduce(Draft(type: type).with("snd", .binary(key))) {
            $0.with($1.key, $1.value)
        }
        let seeds = [TestProvider.seedA] + (holdsB ? [DecisionTests.seedB] : [])
        return try TestProvider(seeds: seeds).decode(Wire.signing([draft.bytes]))
    }

    /// The facts of its own fields, without the header's.
    private func facts(
        _ type: String, _ members: KeyValuePairs<String, MessagePack>
    ) throws -> [Fact] {
        let header = [
            "network", "connected", "type", "sender", "fee", "note.bytes", "group.size",
            "group.index", "first_valid", "last_valid", "validity.rounds", "far_ahead",
            "content.hash",
        ]
        let operation = try #require(try Self.decode(type, members).operations.first)
        #expect(operation.facts.contains(Fact("type", .text(type))))
        return operation.facts.filter { !header.contains($0.name) }
    }

    private func keyB() throws -> MessagePack {
        .binary(try TestProvider.publicKey(seed: DecisionTests.seedB))
    }

    @Test("an asset's creation, reconfiguration and destruction raise exactly these facts")
    func configuration() throws {
        let b = try TestProvider.address(seed: DecisionTests.seedB)
        let created = try facts(
            "acfg",
            ["apar": Self.map(["t": .unsigned(.max), "m": keyB(), "an": .text("x")])])
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
                "apar": Self.map(["r": keyB(), "f": keyB(), "c": keyB(), "t": .unsigned(1)]),
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
        let b = try TestProvider.address(seed: DecisionTests.seedB)
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
        let keys = TypeFieldTests.bytes(32)
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

    @Test("a call raises the same facts whether it lists what it uses in four lists or in one")
    func call() throws {
        let b = try TestProvider.address(seed: DecisionTests.seedB)
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
        let arguments = MessagePack.array([TypeFieldTests.bytes(4), TypeFieldTests.bytes(3)])
        let name = TypeFieldTests.bytes(2)
        let four = try facts(
            "appl",
            [
                "apid": .unsigned(5), "apaa": arguments, "apat": .array([keyB()]),
                "apas": .array([.unsigned(9)]), "apfa": .array([.unsigned(8)]),
                "apbx": .array([
                    Self.map(["n": name]), Self.map(["i": .unsigned(1), "n": name]),
                    Self.map([:]),
                ]),
            ])
        #expect(four == common)
        let one = try facts(
            "appl",
            [
                "apid": .unsigned(5), "apaa": arguments,
                "al": .array([
                    Self.map(["d": keyB()]), Self.map(["s": .unsigned(9)]),
                    Self.map(["p": .unsigned(8)]), Self.map(["b": Self.map(["n": name])]),
                    Self.map(["b": Self.map(["i": .unsigned(3), "n": name])]), Self.map([:]),
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
            let key = try TestProvider.publicKey(seed: TestProvider.seedA)
            for app in [nil, MessagePack.unsigned(5)] {
                let draft = Draft(type: "appl").with("snd", .binary(key)).with("apid", app)
                    .with("apan", completion)
                let request = try TestProvider().decode(Wire.signing([draft.bytes]))
                let operation = try #require(request.operations.first)
                #expect(operation.facts.contains(Fact("on_complete", .text(name))))
                #expect(operation.facts.contains(Fact("opt_in", .bool(number == 1))))
                #expect(
                    operation.facts.contains(Fact("app_id", .integer(app == nil ? 0 : 5))))
                #expect(operation.dangers == dangers)
                #expect(operation.effects.contains(.deletes) == (number == 5))
                #expect(request.summary.warnings.count == dangers.count)
            }
        }
    }

    @Test("flags and effects of the other types")
    func dangers() throws {
        let keys = TypeFieldTests.bytes(32)
        let online: KeyValuePairs<String, MessagePack> = ["votekey": keys, "selkey": keys]
        let rows: [(String, KeyValuePairs<String, MessagePack>, [Danger], [Effect])] = [
            ("acfg", [:], [], [.spends]),
            ("acfg", ["caid": .unsigned(7)], [.assetDestroy], [.spends, .deletes]),
            (
                "acfg", ["caid": .unsigned(7), "apar": Self.map(["r": keys])],
                [.assetReconfigure], [.spends]
            ),
            (
                "acfg", ["caid": .unsigned(7), "apar": Self.map(["m": keys])],
                [.assetReconfigure], [.spends, .grantsAuthority]
            ),
            (
                "acfg", ["caid": .unsigned(7), "apar": Self.map(["c": keys])],
                [.assetReconfigure], [.spends, .grantsAuthority]
            ),
            ("afrz", ["faid": .unsigned(7), "afrz": .bool(true)], [], [.spends]),
            ("keyreg", [:], [.keyRegistration], [.spends]),
            ("keyreg", online, [.keyRegistration], [.spends, .grantsAuthority]),
            (
                "keyreg", ["nonpart": .bool(true)], [.keyRegistration, .nonParticipation],
                [.spends]
            ),
        ]
        for (type, members, dangers, effects) in rows {
            let request = try Self.decode(type, members)
            #expect(request.operations.first?.dangers == dangers)
            #expect(request.operations.first?.effects == effects)
            #expect(request.summary.warnings.count == dangers.count)
            #expect(request.decoding == .full)
        }
    }

    @Test("going online for rewards costs 2 ALGO, and only that is usual")
    func feeOfGoingOnline() throws {
        let keys = TypeFieldTests.bytes(32)
        func dangers(
            _ fee: UInt64, _ type: String = "keyreg",
            members: KeyValuePairs<String, MessagePack>
        ) throws -> Bool {
            let key = try TestProvider.publicKey(seed: TestProvider.seedA)
            let draft = members.reduce(
                Draft(type: type).with("snd", .binary(key)).with("fee", .unsigned(fee))
            ) { $0.with($1.key, $1.value) }
            let request = try TestProvider().decode(Wire.signing([draft.bytes]))
            return try #require(request.operations.first).dangers.contains(.highFee)
        }
        let online: KeyValuePairs<String, MessagePack> = ["votekey": keys, "selkey": keys]
        #expect(try !dangers(2_000_000, members: online))
        #expect(try dangers(2_000_001, members: online))
        #expect(try dangers(1_999_999, members: online))
        #expect(try dangers(2_000_000, members: [:]))
        #expect(try dangers(2_000_000, "pay", members: [:]))
    }
}
