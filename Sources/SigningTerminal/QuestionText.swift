// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore

/// The texts of a question, the same on every screen.
package struct QuestionText: Sendable {
    private let question: ApprovalQuestion
    private let approval: TerminalApproval

    /// Creates the texts; `schemas` format the values.
    package init(_ question: ApprovalQuestion, schemas: [FactSchema]) {
        self.question = question
        approval = TerminalApproval(schemas: schemas)
    }

    /// The question as the terminal shows it.
    package var text: String {
        question.summary.text + (question.summary.isCut ? "\n" + Self.cutNote : "")
    }

    /// The line below a question that is not shown in full.
    static let cutNote = "  shown in part: the details show the rest"

    /// True if a yes requires a look at the details first.
    package var isCut: Bool { question.summary.isCut }

    /// The question in full, with the keys, reasons and digests to which a yes is bound.
    package var details: String {
        ([question.summary.fullText] + TerminalApproval.bound(question)).joined(separator: "\n")
    }

    /// The requests that a remembered answer would cover.
    package var offer: String { approval.coverage(of: question) }

    /// The additional permissions that the client requests; nil if none can be granted now.
    package var wishes: String? {
        question.wishes.contains { $0.state == .open }
            ? TerminalApproval.list(of: question) : nil
    }

    /// The other accounts that can be chosen; nil if there are none.
    package var otherAccounts: String? { TerminalApproval.otherAccounts(of: question) }

    /// The spans for which a yes can be remembered; empty if a yes counts once only.
    package var spansOfYes: [Remembering.Span] { question.canRememberYes ? spans : [] }

    /// The spans for which a no can be remembered; empty if a no counts once only.
    package var spansOfNo: [Remembering.Span] { question.canRememberNo ? spans : [] }

    private var spans: [Remembering.Span] {
        Remembering.Span.allCases.filter { question.hasLogin || $0 != .session }
    }

    /// Parses an answer such as `y`, `n always` or `y 1h 20 ALGO`; nil if it is invalid or not
    /// offered.
    package func answer(_ line: String) -> ApprovalAnswer? {
        if ["u", "use"].contains(line.split(separator: " ").first ?? "") {
            // Names of accounts are case-sensitive.
            return TerminalApproval.otherAccount(line, in: question).map { .another($0.id) }
        }
        return TerminalApproval.answer(line.lowercased(), to: question)
    }

    /// Parses a choice of wishes such as `1,3 1d`; nil if it is invalid.
    package func wishes(_ line: String) -> GrantedWishes? {
        TerminalApproval.choice(line.lowercased(), in: question)
    }
}

extension TerminalApproval {
    /// The keys, reasons and digests to which a yes is bound.
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
