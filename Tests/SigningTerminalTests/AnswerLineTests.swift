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
    func typed(line: String, answer: GivenAnswer) {
        #expect(GivenAnswer(line: line) == answer)
    }

    @Test(
        "other lines are no answers",
        arguments: [
            "", " ", "x", "1h", "y 2h", "y no", "y once 3", "n 1h 3", "y 1h 0", "y 1h -1", "use",
            "y this", "y 1h an hour", "y 1h 20 a year", "y 1h 0 a day", "n 1h 20 a day",
            "y week hour",
        ])
    func others(line: String) {
        #expect(GivenAnswer(line: line) == nil)
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
        #expect(TerminalApproval.answer("g 1 1h 500", to: asked) == granted)
        #expect(WishChoice("all 1h 500")?.granted(in: asked)?.remembering.usesMax == 500)
        for nonsense in ["g", "g 1", "g 2 1h", "g 1 1h 0", "g 1 1h -1", "g 500"] {
            #expect(TerminalApproval.answer(nonsense, to: asked) == nil, "\(nonsense)")
        }
        // For a connection the wishes are a second question, so its answer cannot grant them.
        #expect(TerminalApproval.answer("g 1 1h 500", to: question(.connect)) == nil)
    }
}
