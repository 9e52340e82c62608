// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore

/// A question in the words that every place shows, whichever screen it is.
package struct QuestionText: Sendable {
    private let question: ApprovalQuestion
    private let approval: TerminalApproval

    /// Values are shown by the vocabularies of `schemas`.
    package init(_ question: ApprovalQuestion, schemas: [FactSchema]) {
        self.question = question
        approval = TerminalApproval(schemas: schemas)
    }

    /// What is asked, as the terminal shows it.
    package var text: String {
        question.summary.text + (question.summary.isCut ? "\n" + Self.cutNote : "")
    }

    /// What stands below a question that is not shown whole.
    static let cutNote = "  not all of it is shown: details show the rest"

    /// Whether a yes needs a look at the details first.
    package var isCut: Bool { question.summary.isCut }

    /// All of it to the last byte, and what a yes is bound to.
    package var details: String {
        ([question.summary.fullText] + TerminalApproval.bound(question)).joined(separator: "\n")
    }

    /// What a remembered answer would be about.
    package var offer: String { approval.coverage(of: question) }

    /// What the client would like to be granted besides; nil where nothing of it is open.
    package var wishes: String? {
        question.wishes.contains { $0.standing == .open }
            ? TerminalApproval.list(of: question) : nil
    }

    /// The other accounts that may be chosen; nil where there are none.
    package var otherAccounts: String? { TerminalApproval.otherAccounts(of: question) }

    /// How long a yes can be remembered; empty where it counts once.
    package var spansOfYes: [Remembering.Span] { question.canRememberYes ? spans : [] }

    /// How long a no can be remembered.
    package var spansOfNo: [Remembering.Span] { question.canRememberNo ? spans : [] }

    private var spans: [Remembering.Span] {
        Remembering.Span.allCases.filter { question.hasLogin || $0 != .session }
    }

    /// What a line says, as at the terminal: `y`, `n always`, `y 1h 20 ALGO`; nil where it says
    /// nothing, or what is not offered.
    package func answer(_ line: String) -> ApprovalAnswer? {
        if ["u", "use"].contains(line.split(separator: " ").first ?? "") {
            // Names differ by their letters' case.
            return TerminalApproval.otherAccount(line, in: question).map { .another($0.id) }
        }
        return TerminalApproval.answer(line.lowercased(), to: question)
    }

    /// Which wishes a line grants, as at the terminal: `1,3 1d`; nil where it makes no sense.
    package func wishes(_ line: String) -> GrantedWishes? {
        TerminalApproval.choice(line.lowercased(), in: question)
    }
}

extension TerminalApproval {
    /// What a yes is bound to: keys, why a person is asked, and digests.
    static func bound(_ question: ApprovalQuestion) -> [String] {
        let keys = question.accounts.map {
            "  key      \(VisibleText.escaped($0.name)), \($0.protocolID) "
                + VisibleText.escaped($0.address)
        }
        let reasons = question.reasons.map { "  because  \(VisibleText.escaped($0.text))" }
        let digest = Hex.encode(question.binding.requestDigest.span)
        let policy = Hex.encode(question.binding.policyHash.span)
        return keys + reasons
            + ["  request  sha256 \(digest)", "  policy   sha256 \(policy)"]
    }
}
