// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningService

/// The offers of a question with the syntax to accept them at the terminal.
extension TerminalApproval {
    /// The requests that a remembered answer would cover, with the syntax of such an answer.
    func offer(of question: ApprovalQuestion) -> String {
        ([QuestionText(question, schemas: schemas).offer] + Self.instructions(for: question))
            .joined(separator: "\n")
    }

    private static func instructions(for question: ApprovalQuestion) -> [String] {
        let spans = question.spans.map(\.rawValue).joined(separator: ", ")
        guard question.canRememberYes else {
            return question.canRememberNo ? ["a no can be remembered: n with \(spans)"] : []
        }
        let words = question.canRememberNo ? "y or n" : "y"
        let rows = ["answer \(words) with \(spans), such as \"y 1h\""]
        let times = "\"y 1d 20\" is for 20 more times"
        guard !question.totals.isEmpty else {
            return rows + [times + ", \"y week 20 an hour\" for 20 in each hour"]
        }
        guard let amount = question.sampleAmount else { return rows + [times] }
        return rows + [
            times,
            "\"y 1d \(amount)\" sets the most that may leave in total, and "
                + "\"y week \(amount) a day\" in each day",
        ]
    }

    /// Asks which wishes the person grants, after the question itself; nil for none.
    static func wishes(
        of question: ApprovalQuestion, at terminal: borrowing Terminal,
        until deadline: ContinuousClock.Instant
    ) throws(ApprovalError) -> GrantedWishes? {
        guard question.hasOpenWishes else { return nil }
        terminal.show(wishOffer(of: question) + "\n")
        while true {
            switch terminal.ask("grant which? (Enter for none): ", until: deadline) {
            case .hungUp: throw .unavailable
            case .timedOut: throw .timedOut
            case .line(let line):
                if line.allSatisfy({ $0 == " " }) { return nil }
                if let choice = WishChoice(line)?.granted(in: question) { return choice }
                terminal.show(
                    "please answer for example \"1,3 1d\", \"all 1h\", \"1 1h 500\", or nothing\n")
            }
        }
    }

    /// The wishes with the syntax to grant them.
    static func wishOffer(of question: ApprovalQuestion) -> String {
        let spans = question.spans.map(\.rawValue).joined(separator: ", ")
        // If wishes are granted in the answer itself, `g` distinguishes them from a yes.
        let word = question.offersMore ? "g " : ""
        return question.wishList
            + "\nanswer with numbers or \"all\", and for how long: \(spans); such as "
            + "\"\(word)1 1d\""
            + "\n\"\(word)1 1h 500\" is for 500 uses at most, of each number"
    }
}
