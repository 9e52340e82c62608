// SPDX-License-Identifier: Apache-2.0

import SigningService
import SigningTesting
import Testing

@testable import SigningCore
@testable import SigningTerminal

@Suite("Answers typed at the terminal")
struct AnswerLineTests {
    @Test(
        "each line is a typed answer",
        arguments: [
            ("y", .yes(nil)), ("YES once", .yes(nil)), ("n", .no(nil)), ("no once", .no(nil)),
            ("y 1h", .yes(GrantRequest(.hour))), ("n 1h", .no(.hour)), ("n always", .no(.always)),
            ("y 1d 20", .yes(GrantRequest(.day, usesMax: 20))),
            (
                "y 1h 20 ALGO",
                .yes(GrantRequest(.hour, total: GrantRequest.Total("20", "algo")))
            ),
            (
                "y 1h 2 20 ALGO",
                .yes(GrantRequest(.hour, usesMax: 2, total: GrantRequest.Total("20", "algo")))
            ),
            ("y this week", .yes(GrantRequest(.week))), ("n today", .no(.today)),
            ("y week 20 an hour", .yes(GrantRequest(.week, usesMax: 20, per: .hour))),
            (
                "y always 5 USDC a day",
                .yes(
                    GrantRequest(
                        .always, total: GrantRequest.Total("5", "usdc"), per: .day))
            ),
            (
                "y 1d 2 20 ALGO per week",
                .yes(
                    GrantRequest(
                        .day, usesMax: 2, total: GrantRequest.Total("20", "algo"), per: .week))
            ),
            ("use 2", .account("2")), ("u My work", .account("My work")),
        ] as [(String, GivenAnswer)])
    func typed(line: String, answer: GivenAnswer) throws {
        #expect(try GivenAnswer(line: line) == answer)
    }

    @Test(
        "other lines are no answers",
        arguments: [
            "", " ", "x", "1h", "y 2h", "y no", "y once 3", "n 1h 3", "y 1h 0", "y 1h -1", "use",
            "y this", "y 1h an hour", "y 1h 20 a year", "y 1h 0 a day", "n 1h 20 a day",
            "y week hour",
        ])
    func others(line: String) {
        #expect((try? GivenAnswer(line: line)) == nil)
    }

    @Test(
        "a yes or a no that cannot be read says why",
        arguments: [
            (
                "y tomorrow",
                "\"tomorrow\" is not a time for which an answer is remembered, such as "
                    + "1h or week"
            ),
            ("y week 5 ALGO a month", "\"month\" is not a period: an hour, a day or a week"),
            ("y week an hour", "name a number or an amount for each hour"),
            ("y 1h 0", "\"0\" is not a number of times; an amount needs its unit"),
            ("n always 5 a day", "a no has no number, amount or period: n always"),
            ("y once 3", "an answer for once has no number, amount or period"),
        ])
    func reasons(line: String, reason: String) {
        let error = #expect(throws: AnswerError.self) { try GivenAnswer(line: line) }
        #expect(error?.detail == reason)
    }

    @Test("the help offers only answers that are accepted")
    func offered() throws {
        let sample = SampleQuestion.make()
        let algo = Asset(
            id: "algorand/testnet", network: "testnet", name: "microAlgo",
            unit: AmountUnit(symbol: "ALGO", decimals: 6, smallest: "microAlgo"))
        let scope = Grant.Scope(
            client: "app", proof: .claimed, key: KeyID("k"), protocolID: ProtocolID("algorand"),
            method: "pay", facts: [])
        for (totals, count) in [([], 3), ([Outflow(algo, 0)], 2), ([Outflow(algo, 1_001_000)], 4)] {
            let account = Account(
                id: KeyID("k"), name: "k", protocolID: ProtocolID("algorand"), algorithm: .bip340,
                publicKey: [UInt8](repeating: 7, count: 32), address: "k", network: nil)
            let question = ApprovalQuestion(
                binding: sample.binding, act: .sign, summary: sample.summary,
                client: sample.client, accounts: [account], totals: totals, scopes: [scope])
            let text = TerminalApproval(schemas: []).offer(of: question)
            let lines = text.split(separator: "\"").map(String.init).filter { $0.hasPrefix("y ") }
            #expect(lines.count == count, "\(text)")
            for line in lines {
                #expect(throws: Never.self) { try TerminalApproval.answer(line, to: question) }
            }
        }
    }

    @Test("to decrypt more is allowed by one answer, for a time and a number of uses")
    func more() throws {
        let wish = Wish(
            method: "nip44_decrypt", facts: [], effects: [], dangers: [], title: "any contact",
            isGrantable: true)
        let sample = SampleQuestion.make()
        func question(_ act: ApprovalQuestion.Act) -> ApprovalQuestion {
            ApprovalQuestion(
                binding: sample.binding, act: act, summary: sample.summary, client: sample.client,
                accounts: [], wishes: [WishOffer(wish: wish, state: .open)])
        }
        let asked = question(.decrypt)
        #expect(asked.wishList.contains("a no denies all of them"))
        let granted = ApprovalAnswer.approved(
            sample.binding, granting: GrantedWishes([0], for: Remembering(.hour, usesMax: 500)))
        #expect(try TerminalApproval.answer("g 1 1h 500", to: asked) == granted)
        #expect(WishChoice("all 1h 500")?.granted(in: asked)?.remembering.usesMax == 500)
        for nonsense in ["g", "g 1", "g 2 1h", "g 1 1h 0", "g 1 1h -1", "g 500"] {
            #expect(try TerminalApproval.answer(nonsense, to: asked) == nil, "\(nonsense)")
        }
        // For a connection the wishes are a second question, so its answer cannot grant them.
        #expect(try TerminalApproval.answer("g 1 1h 500", to: question(.connect)) == nil)
    }
}
