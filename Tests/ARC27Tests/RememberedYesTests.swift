// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import ARC27
@testable import Algorand

/// A person says yes for an hour, then the client sends requests that differ in one value.
@Suite("A remembered yes about a transaction") struct RememberedYesTests {
    struct Base: Sendable, CustomTestStringConvertible {
        let name: String
        let draft: Draft
        /// True if a remembered yes covers the request.
        var isRemembered = true
        var testDescription: String { name }
    }

    private static func map(_ members: KeyValuePairs<String, MessagePack>) -> MessagePack {
        Draft.map(members)
    }
    private static func key(_ byte: UInt8) -> MessagePack { .binary(Draft.key(byte)) }

    private static func draft(
        _ type: String, _ members: KeyValuePairs<String, MessagePack>
    ) -> Draft {
        members.reduce(Draft(type: type)) { $0.with($1.key, $1.value) }
    }

    private static let call = draft(
        "appl",
        [
            "apid": .unsigned(5), "apaa": .array([Draft.bytes(4)]),
            "apat": .array([key(3)]), "apas": .array([.unsigned(9)]),
            "apfa": .array([.unsigned(8)]), "apbx": .array([map(["n": Draft.bytes(2)])]),
        ])

    static let bases = [
        Base(name: "payment", draft: draft("pay", ["amt": .unsigned(500), "rcv": key(9)])),
        Base(
            name: "asset transfer",
            draft: draft(
                "axfer", ["xaid": .unsigned(7), "aamt": .unsigned(500), "arcv": key(9)])),
        Base(
            name: "asset creation",
            draft: draft(
                "acfg", ["apar": map(["t": .unsigned(100), "m": key(9), "an": .text("x")])])),
        Base(
            name: "freeze",
            draft: draft("afrz", ["faid": .unsigned(7), "fadd": key(9), "afrz": .bool(true)])),
        Base(name: "call", draft: call),
        Base(
            name: "call with one list",
            draft: draft(
                "appl",
                [
                    "apid": .unsigned(5),
                    "al": .array([map(["d": key(3)]), map(["p": .unsigned(8)])]),
                ]
            )),
        Base(
            name: "app creation",
            draft: draft(
                "appl", ["apap": Draft.bytes(3), "apsu": Draft.bytes(4)])),
        Base(name: "going offline", draft: draft("keyreg", [:]), isRemembered: false),
        Base(
            name: "going online",
            draft: draft(
                "keyreg",
                [
                    "votekey": key(4), "selkey": key(5), "sprfkey": Draft.bytes(64),
                    "votefst": .unsigned(1), "votelst": .unsigned(9), "votekd": .unsigned(3),
                ]), isRemembered: false),
        Base(
            name: "app update",
            draft: draft(
                "appl",
                [
                    "apid": .unsigned(5), "apan": .unsigned(4), "apap": Draft.bytes(3),
                    "apsu": Draft.bytes(4),
                ]), isRemembered: false),
        Base(
            name: "app deletion",
            draft: draft("appl", ["apid": .unsigned(5), "apan": .unsigned(5)]),
            isRemembered: false),
        Base(
            name: "closing", draft: draft("pay", ["rcv": key(9), "close": key(9)]),
            isRemembered: false),
        Base(
            name: "closing of an asset",
            draft: draft("axfer", ["xaid": .unsigned(7), "aclose": key(9)]),
            isRemembered: false),
        Base(name: "rekey", draft: draft("pay", ["rekey": key(9)]), isRemembered: false),
        Base(
            name: "clawback",
            draft: draft("axfer", ["xaid": .unsigned(7), "asnd": key(9), "aamt": .unsigned(1)]),
            isRemembered: false),
        Base(
            name: "reconfiguration",
            draft: draft("acfg", ["caid": .unsigned(7), "apar": map(["m": key(9)])]),
            isRemembered: false),
        Base(
            name: "destruction", draft: draft("acfg", ["caid": .unsigned(7)]),
            isRemembered: false),
    ]

    /// One or more other values for each field.
    static let changes: [String: [MessagePack?]] = {
        var changes: [String: [MessagePack?]] = [
            "fee": [.unsigned(1_001)], "fv": [.unsigned(5)], "lv": [.unsigned(1_011)],
            "gen": [.text("testnet-v1.1"), .text("mainnet-v1.0")], "gh": [key(200)],
            "grp": [key(1)], "lx": [key(1)],
            "note": [Draft.bytes(3), .binary(Array("memo 2".utf8))],
            "rekey": [key(8)], "snd": [key(8)], "type": [.text("pay"), .text("axfer")],
            "amt": [.unsigned(501)], "close": [key(8)], "rcv": [key(8), nil],
            "aamt": [.unsigned(501)], "aclose": [key(8)], "arcv": [key(8), nil],
            "asnd": [key(8)], "xaid": [.unsigned(8), nil],
            "apar": [
                map(["t": .unsigned(101), "m": key(9), "an": .text("x")]),
                map(["t": .unsigned(100), "m": key(8), "an": .text("x")]),
                map(["t": .unsigned(100), "m": key(9), "an": .text("y")]),
                map(["t": .unsigned(100), "an": .text("x")]),
            ],
            "caid": [.unsigned(8)], "afrz": [nil], "fadd": [key(8)], "faid": [.unsigned(8)],
            "nonpart": [.bool(true)], "selkey": [key(8)], "votekey": [key(8)],
            "sprfkey": [Draft.bytes(64, 2)], "votefst": [.unsigned(2)],
            "votelst": [.unsigned(10)], "votekd": [.unsigned(4)],
        ]
        for name in ["r", "f", "c"] {
            changes["apar"]?.append(
                map(["t": .unsigned(100), "m": key(9), "an": .text("x"), name: key(8)]))
        }
        let texts: [(String, MessagePack)] = [
            ("un", .text("U")), ("au", .text("https://x.example")), ("am", key(1)),
            ("dc", .unsigned(1)), ("df", .bool(true)),
        ]
        for (name, value) in texts {
            changes["apar"]?.append(
                map(["t": .unsigned(100), "m": key(9), "an": .text("x"), name: value]))
        }
        return changes.merging(ofCalls) { $1 }
    }()

    private static let ofCalls: [String: [MessagePack?]] = [
        "apid": [.unsigned(6), nil], "apan": [.unsigned(1), .unsigned(2), .unsigned(3)],
        "apaa": [
            .array([Draft.bytes(4, 2)]), nil,
            .array([Draft.bytes(4), Draft.bytes(8)]),
        ],
        "apat": [.array([key(8)]), nil], "apas": [.array([.unsigned(8)]), nil],
        "apfa": [.array([.unsigned(7)]), nil],
        "apbx": [.array([map(["n": Draft.bytes(3)])]), nil],
        "al": [
            .array([map(["d": key(8)]), map(["p": .unsigned(8)])]),
            .array([map(["p": .unsigned(8)]), map(["d": key(3)])]),
            .array([
                map(["d": key(3)]), map(["p": .unsigned(8)]),
                map(["l": map(["d": .unsigned(1)])]),
            ]),
        ],
        "apls": [map(["nui": .unsigned(1)])], "apgs": [map(["nbs": .unsigned(1)])],
        "apap": [Draft.bytes(3, 2)], "apsu": [Draft.bytes(4, 2)],
        "apep": [.unsigned(1)], "aprv": [.unsigned(1)],
    ]

    private func frame(_ draft: Draft) -> String { Wire.signing([draft.bytes]) }

    private func held(_ draft: Draft) throws -> Draft {
        draft.with("snd", .binary(try SampleKeys.publicKey(seed: SampleKeys.a)))
    }

    private func hub() throws -> TestHub {
        TestHub(
            try TestProvider(
                seeds: [SampleKeys.a, [UInt8](repeating: 8, count: 32)],
                networks: [.testnet, .mainnet]))
    }

    @Test("every field of every type that is signed has another value in the table")
    func isWhole() {
        let types = TransactionType.allCases.filter { $0 != .stpf && $0 != .hb }
        let fields = Set(types.flatMap(\.fields) + TransactionType.headerFields)
        #expect(fields == Set(Self.changes.keys))
        #expect(
            Set(Self.bases.compactMap { $0.draft.members.last { $0.name == "type" }?.value }).count
                == 6)
    }

    @Test("is asked about again where one field has another value", arguments: bases)
    func mutated(_ base: Base) async throws {
        let hub = try hub()
        let draft = try held(base.draft)
        #expect(await hub.ending(frame(draft), saysYes: true) == "done")
        #expect((await hub.ending(frame(draft), saysYes: false) == "done") == base.isRemembered)
        let type = try #require(
            TransactionType.allCases.first {
                draft.members.contains(.init(name: "type", value: .text($0.rawValue)))
            })
        for name in TransactionType.headerFields + type.fields where name != "fv" {
            for value in try #require(Self.changes[name]) {
                let other = draft.with(name, value)
                guard other.bytes != draft.bytes else { continue }
                #expect(
                    await hub.ending(frame(other), saysYes: false) != "done",
                    "\(name): \(String(describing: value))")
            }
        }
        let later = draft.with("fv", .unsigned(90_000_000)).with("lv", .unsigned(90_001_000))
        #expect(await hub.ending(frame(later), saysYes: false) != "done")
    }

    @Test("covers less of the same, and other rounds", arguments: bases.filter(\.isRemembered))
    func covered(_ base: Base) async throws {
        let hub = try hub()
        let draft = try held(base.draft)
        #expect(await hub.ending(frame(draft), saysYes: true) == "done")
        var same = [
            draft.with("fee", .unsigned(999)), draft.with("lv", .unsigned(1_000)),
            draft.with("fv", .unsigned(2_000)).with("lv", .unsigned(3_000)),
        ]
        // The hash identifies the network; its name must match the hash or is refused.
        if ["payment", "asset transfer"].contains(base.name) {
            same.append(draft.with("gen", .text("testnet-v1.0")))
        }
        for name in ["amt", "aamt"] where draft.members.contains(where: { $0.name == name }) {
            same.append(draft.with(name, .unsigned(499)))
        }
        for other in same {
            #expect(await hub.ending(frame(other), saysYes: false) == "done")
        }
    }

    @Test("spends no more than was shown where no total was named")
    func totals() async throws {
        let hub = try hub()
        let draft = try held(Draft().with("amt", .unsigned(500)))
        #expect(await hub.ending(frame(draft), saysYes: true) == "done")
        // The person allowed 1,000 times the amount: 1,500,000 microAlgo.
        for _ in 0..<3 { #expect(await hub.ending(frame(draft), saysYes: false) == "done") }
        let request = try hub.provider.decode(frame(draft))
        let flows = try #require(request.operations.first).outflows
        #expect(
            flows.map(\.amount) == [1_500] && flows.map(\.asset.id) == ["algorand/testnet/algo"])
    }
}
