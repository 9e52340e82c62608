// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Algorand

@Suite("Words of questions about assets, applications and consensus") struct CostWarningTests {
    private func draft(_ type: String, _ fields: KeyValuePairs<String, MessagePack>) -> Draft {
        Draft(type: type, fields)
    }

    private func warnings(_ draft: Draft) throws -> String {
        try SigningItem.own(draft).warnings.joined(separator: "\n")
    }

    @Test("ALGO that are locked by creating and participating are shown")
    func locked() throws {
        let key = try SampleKeys.publicKey(seed: SampleKeys.a)
        #expect(
            try warnings(draft("axfer", ["xaid": .unsigned(7), "arcv": .binary(key)]))
                .contains("0.1 ALGO of your account stay locked while it accepts the asset"))
        #expect(
            try warnings(draft("acfg", ["apar": .map([.init(name: "t", value: .unsigned(9))])]))
                .contains("while the new asset exists"))
        let program = MessagePack.binary([0x0a, 0x81, 0x01])
        #expect(
            try warnings(draft("appl", ["apap": program, "apsu": program]))
                .contains("anyone can call its code"))
        #expect(
            try warnings(draft("appl", ["apid": .unsigned(7), "apan": .unsigned(1)]))
                .contains("which keeps data in it"))
        #expect(try !warnings(Draft()).contains("locked"))
    }

    @Test("going online gives no other key power over the account, and says what a node refuses")
    func consensus() throws {
        let keys: KeyValuePairs<String, MessagePack> = [
            "votekey": .binary([UInt8](repeating: 1, count: 32)),
            "selkey": .binary([UInt8](repeating: 2, count: 32)),
            "votelst": .unsigned(3_000_000), "votekd": .unsigned(100),
        ]
        let without = draft("keyreg", keys)
        let item = try SigningItem.own(without)
        #expect(item.effects == [.spends] && item.dangers.contains(.keyRegistration))
        let text = try warnings(without)
        #expect(text.contains("until round 3000000; they cannot spend"))
        #expect(text.contains("nodes refuse it"))
        let whole = without.with("sprfkey", .binary([UInt8](repeating: 3, count: 64)))
        #expect(try !warnings(whole).contains("nodes refuse it"))
        #expect(try warnings(draft("keyreg", [:])).contains("no longer votes"))
    }

    @Test("a name that is not UTF-8 is shown as bytes, and signed as it came")
    func bytes() throws {
        let parameters = MessagePack.map([
            .init(name: "an", value: .textBytes([0xff, 0x41])),
            .init(name: "t", value: .unsigned(9)), .init(name: "un", value: .text("OK")),
        ])
        let item = try SigningItem.own(draft("acfg", ["apar": parameters]))
        let text = item.summary.text
        #expect(text.contains("hex ff41") && text.contains("OK"))
        let facts = try item.operation.facts.map(\.name)
        #expect(!facts.contains("asset.name") && facts.contains("asset.unit"))
        let transaction = try Transaction(canonical: item.wire.bytes.span)
        #expect(transaction == item.wire.transaction)
        // Nodes accept only text for these members, and so does the decoder.
        for name in ["gen", "type"] {
            #expect(throws: (any Error).self) {
                try SigningItem.own(Draft().with(name, .textBytes([0xff])))
            }
        }
    }
}
