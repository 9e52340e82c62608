// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningService
import SigningTesting
import Testing

@testable import SigningTerminal

@Suite("The rows of a list of questions")
struct QuestionGistTests {
    private static let near = Asset(
        id: "near/mainnet", network: "mainnet", name: "yoctoNEAR",
        unit: AmountUnit(symbol: "NEAR", decimals: 24, smallest: "yoctoNEAR"))

    private static func gist(
        _ headlines: [Summary.Headline], listed: [Summary.Headline] = [], warnings: [String] = [],
        pays amount: Int128 = 0
    ) -> QuestionGist {
        var summary = Summary(title: "t", headlines: headlines, lines: [], warnings: warnings)
        summary.listed = listed
        let sample = SampleQuestion.make()
        return QuestionGist(
            ApprovalQuestion(
                binding: sample.binding, act: .sign, summary: summary, client: nil, accounts: [],
                totals: [Outflow(near, amount)]))
    }

    @Test("the gravest is first, even if a client puts others before it")
    func gravest() throws {
        let key = "ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847"
        let gist = Self.gist(
            [
                .init(.authority, "takes the key from alice.near"), .init(.value, "pays"),
                .init(.loss, "gives the key \(key) full power over alice.near"),
            ], warnings: ["harmless"], pays: 1_632_000_000_000_000_000_000_001)
        #expect(gist.pays == ["about 1.632 NEAR on mainnet"])
        #expect(gist.danger?.hasPrefix("gives the key") == true)
        #expect(gist.dangers == 0 && gist.others == 2)
        #expect(gist.actionText == "pays about 1.632 NEAR on mainnet (and 2 more)")
        #expect(
            gist.dangerText.map(QuestionGist.short)
                == "! gives the key ed25519:Dc..oJ9kZ847 full power over alice.near")
        #expect(QuestionGist(try JSON.parse(gist.json.write().span)) == gist)
    }

    @Test("one payment shows amount and receiver, and its first warning")
    func payment() {
        let gist = Self.gist(
            [], listed: [.init(.value, "transfers 1 NEAR to bob.near")], warnings: ["a", "b"],
            pays: 1_000_000_000_000_000_000_000_000)
        #expect(gist.actionText == "pays 1 NEAR on mainnet: transfers 1 NEAR to bob.near")
        #expect(gist.dangerText == "! a (and 1 more)")
        #expect(Self.gist([]).actionText == nil && Self.gist([]).dangerText == nil)
    }

    @Test("text of clients stays harmless in a list")
    func hostile() {
        let gist = Self.gist([.init(.value, "calls \u{1B}[2J\nx")])
        #expect(gist.does == #"calls \u{1B}[2J\nx"#)
    }

    @Test("the rows of a question to several people are those of the asking hub")
    func several() {
        let text = "t\n  in all     0.5 NEAR on testnet\n  warning: it ends\n    |   warning: no"
        let gist = QuestionGist(ofText: text, totals: ["5 near/testnet"])
        #expect(gist.pays == ["0.5 NEAR on testnet"])
        #expect(gist.danger == "it ends" && gist.dangers == 0)
        #expect(QuestionGist(ofText: "t", totals: ["5 x"]).pays == ["5 x"])
    }

    @Test("at 24 rows and 80 columns a row shows amount, receiver, danger and the time left")
    func rows() throws {
        let receiver = String(repeating: "A", count: 58)
        let gist = Self.gist(
            [
                .init(.value, "a payment of 0.5 NEAR to \(receiver); with treasury"),
                .init(.loss, "You lose this account: whoever holds \(receiver) controls it"),
            ], pays: 508_000_000_000_000_000_000_000)
        let paying = Self.gist(
            [], listed: [.init(.value, "a payment of 0.5 NEAR to \(receiver); with treasury")],
            pays: 508_000_000_000_000_000_000_000)
        var state = InboxState()
        let now = ContinuousClock.now
        let items = try [gist, paying].enumerated().map { place, gist in
            let item: JSON = [
                "id": .string("\(place)"), "headline": "Sign and send", "act": "sign",
                "keys": ["alice"], "gist": gist.json, "seconds_left": 60,
                "client": ["name": "bot", "known_by": "token"],
                "remember": ["yes": [], "no": []], "needs_details": false,
            ]
            return try #require(InboxQuestion(item, now: now))
        }
        state.take(items, [], now: now)
        let rows = state.screen(rows: 24, columns: 80, now: now).map(\.text)
        #expect(rows.allSatisfy { $0.count <= 80 })
        #expect(rows[2].contains(" 60 s ") && rows[2].contains("pays 0.508 NEAR on mainnet"))
        #expect(rows[3].contains("! You lose this account: whoever holds AAAAAAAAAA..AAAAAAAA"))
        #expect(rows[4].contains(" 60 s ") && rows[4].contains("pays 0.508 NEAR on mainnet"))
        #expect(rows[5] == "       a payment of 0.5 NEAR to AAAAAAAAAA..AAAAAAAA; with treasury")
    }
}

@Suite("Amounts at a glance")
struct RoundedAmountTests {
    @Test(
        "an amount has six decimals at most, and says where it is rounded",
        arguments: [
            (475_999_999_999_999_999_999_565, "about 0.476 NEAR"),
            (500_000_000_000_000_000_000_000, "0.5 NEAR"), (1, "less than 0.000001 NEAR"),
            (500_000_000_000_000_000, "about 0.000001 NEAR"),
            (-1_632_000_000_000_000_000_000_001, "about -1.632 NEAR"), (0, "0 NEAR"),
            (Int128.max, "170141183460469.231731687303715884105727 NEAR"),
        ] as [(Int128, String)])
    func rounded(amount: Int128, text: String) {
        let unit = AmountUnit(symbol: "NEAR", decimals: 24, smallest: "yoctoNEAR")
        #expect(unit.roundedText(of: amount) == text)
    }
}
