// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningTesting
import TestHome
import Testing

@testable import ARC27
@testable import Algorand

@Suite("The first screen of a question") struct ScreenTests {
    private func own(_ draft: Draft) throws -> Draft {
        draft.with("snd", .binary(try SampleKeys.publicKey(seed: SampleKeys.a)))
    }

    private func address(_ byte: UInt8) -> String {
        AlgorandAddress.text(publicKey: Draft.key(byte).span)
    }

    private func payment(_ algo: UInt64, to byte: UInt8) throws -> Draft {
        try own(
            Draft().with("amt", .unsigned(algo * 1_000_000)).with("rcv", .binary(Draft.key(byte))))
    }

    /// The question text after the hub's additions.
    private func screen(_ drafts: [Draft], _ provider: TestProvider? = nil) throws -> String {
        let provider = try provider ?? TestProvider()
        let hub = TestRig(provider.accounts, domains: provider.adapter.domains).hub(.ask)
        let frame = Frame([UInt8](Wire.signing(drafts.map(\.bytes)).utf8))
        return try hub.explain(frame, with: provider.adapter).summary.text
    }

    /// A call with so many lines that the lines after it do not fit.
    private func longCall() throws -> Draft {
        let boxes = (0..<30).map {
            Draft.map(["n": Draft.bytes(3, UInt8($0 + 1))])
        }
        return try own(
            Draft(type: "appl").with("apid", .unsigned(5))
                .with("apaa", .array((0..<16).map { Draft.bytes(8, UInt8($0)) }))
                .with("apbx", .array(boxes)))
    }

    @Test("no call hides the payment behind it")
    func hidden() throws {
        let text = try screen([longCall(), payment(1_000_000, to: 9)])
        #expect(text.contains("more lines"))
        #expect(text.contains("a payment of 1000000 ALGO to \(address(9))"))
        #expect(text.contains("in all"))
        #expect(text.contains("1000000.002 ALGO on testnet"))
    }

    @Test("of sixteen payments every amount and receiver is visible, and their sum")
    func many() throws {
        let drafts = try (1...16).map { try payment(UInt64($0), to: UInt8($0)) }
        let text = try screen(drafts)
        for number in 1...16 {
            let line = "\(number). a payment of \(number) ALGO to \(address(UInt8(number)))"
            #expect(text.contains(line), "\(number)")
        }
        #expect(text.contains("136.016 ALGO on testnet"))
        #expect(text.contains("  network "))
    }

    @Test("the gravest comes first, wherever the client put it")
    func order() throws {
        let small = try payment(1, to: 9)
        let optIn = try own(Draft(type: "axfer").with("xaid", .unsigned(7)))
            .with("arcv", .binary(SampleKeys.publicKey(seed: SampleKeys.a)))
        let graves: [(Draft, String)] = [
            (
                small.with("rekey", .binary(Draft.key(8))),
                "You lose this account: anyone with the key of \(address(8)) controls it"
            ),
            (
                small.with("close", .binary(Draft.key(8))),
                "You lose all that is left in this account: it is closed, and \(address(8)) gets"
            ),
            (
                try own(
                    Draft(type: "acfg").with("caid", .unsigned(7))
                        .with("apar", Draft.map(["c": .binary(Draft.key(8))]))),
                "manager nobody, reserve nobody, freeze nobody, clawback \(address(8))"
            ),
            (
                try own(
                    Draft(type: "keyreg").with("votekey", .binary(Draft.key(8)))
                        .with("selkey", .binary(Draft.key(8)))), "vote key hex 0808"
            ),
            (
                try own(
                    Draft(type: "appl").with("apid", .unsigned(5)).with("apan", .unsigned(4))
                        .with("apap", Draft.bytes(3)).with("apsu", Draft.bytes(3))
                ),
                "an app update: app 5, approval code "
            ),
            (
                try own(
                    Draft(type: "axfer").with("xaid", .unsigned(7))
                        .with("asnd", .binary(Draft.key(8))).with("aamt", .unsigned(3))),
                "from \(address(8)) to "
            ),
        ]
        let many = [Draft](repeating: optIn, count: 40)
        for (draft, words) in graves {
            let text = try screen(many + [small, draft])
            let lines = text.split(separator: "\n").map(String.init)
            let first = try #require(lines.firstIndex { $0.hasPrefix("  42. ") })
            let second = try #require(lines.firstIndex { $0.hasPrefix("  41. ") })
            let third = try #require(lines.firstIndex { $0.hasPrefix("  1. ") })
            #expect(first < second && second < third)
            #expect(lines[first].contains(words), "\(lines[first])")
            #expect(text.contains("... and 20 that move no value or power"))
        }
    }

    @Test("a long detail does not push out the receiver, amount, fee or network")
    func alone() throws {
        let call = try longCall().with("rekey", .binary(Draft.key(8)))
        let lines = try screen([call]).split(separator: "\n").map(String.init)
        for (label, text) in [
            ("new key", address(8)), ("fee", "0.001 ALGO"), ("network", "testnet"),
        ] {
            #expect(lines.contains { $0.hasPrefix("  \(label) ") && $0.contains(text) })
        }
    }

    @Test("two keys that sign one payment let it leave once, and limits count both signatures")
    func shared() throws {
        let p = try Parties()
        let multisig = p.multisig(2, p.a, p.b)
        let key = try Multisig(multisig).publicKey()
        let request = try TestProvider(seeds: p.seeds).decode(
            Wire.signing([p.item(from: key, ["msig": multisig])]))
        #expect(request.operations.map { $0.outflows.map(\.amount) } == [[1_000], [1_000]])
        #expect(request.operations.map(\.isCosigning) == [false, true])
    }

    @Test("the outflow is the fee and the payments to other accounts")
    func outflows() throws {
        func amounts(_ draft: Draft) throws -> [String: Int128] {
            let request = try TestProvider().decode(Wire.signing([draft.bytes]))
            let flows = try #require(request.operations.first).outflows
            return Dictionary(uniqueKeysWithValues: flows.map { ($0.asset.id, $0.amount) })
        }
        let own = MessagePack.binary(try SampleKeys.publicKey(seed: SampleKeys.a))
        let algo = "algorand/testnet/algo"
        let gold = "algorand/testnet/asset/7"
        let asset = try self.own(Draft(type: "axfer").with("xaid", .unsigned(7)))
            .with("aamt", .unsigned(5))
        #expect(try amounts(payment(2, to: 9)) == [algo: 2_001_000])
        #expect(try amounts(payment(2, to: 9).with("rcv", own)) == [algo: 1_000])
        #expect(try amounts(payment(2, to: 9).with("rcv", nil)) == [algo: 2_001_000])
        #expect(try amounts(asset) == [algo: 1_000, gold: 5])
        #expect(try amounts(asset.with("arcv", own)) == [algo: 1_000])
        #expect(try amounts(asset.with("asnd", .binary(Draft.key(9)))) == [algo: 1_000])
        #expect(try amounts(longCall()) == [algo: 1_000])
        // A close transfers the whole remainder, so the outflow has no bound.
        let nine = MessagePack.binary(Draft.key(9))
        #expect(try amounts(payment(2, to: 9).with("close", nine)) == [algo: .max])
        #expect(try amounts(payment(2, to: 9).with("rcv", own).with("close", nine)) == [algo: .max])
        #expect(try amounts(asset.with("aclose", nine)) == [algo: 1_000, gold: .max])
        #expect(
            try amounts(asset.with("arcv", own).with("aclose", nine)) == [algo: 1_000, gold: .max])
        let whole = try screen([payment(2, to: 9).with("close", nine)])
        #expect(whole.contains("any amount of ALGO on testnet"))
    }
}
