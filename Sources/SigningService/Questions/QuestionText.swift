// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore

/// The texts of a question, the same on every screen.
package struct QuestionText: Sendable {
    package let question: ApprovalQuestion
    /// Formats the values of remembered answers.
    let words: GrantText

    /// Creates the texts; `schemas` format the values.
    package init(_ question: ApprovalQuestion, schemas: [FactSchema]) {
        self.question = question
        words = GrantText(schemas: schemas)
    }

    /// The question as the terminal shows it.
    package var text: String {
        question.summary.text + (question.summary.isCut ? "\n" + Self.cutNote : "")
    }

    /// The line below a question that is not shown in full.
    package static let cutNote = "  shown in part: the details show the rest"

    /// True if a yes requires a look at the details first.
    package var isCut: Bool { question.summary.isCut }

    /// The question in full, with the keys, reasons and digests to which a yes is bound.
    package var details: String {
        ([question.summary.fullText] + bound).joined(separator: "\n")
    }

    /// The keys, reasons and digests to which a yes is bound.
    package var bound: [String] {
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

    /// The additional permissions that the client requests; nil if none can be granted now.
    package var wishes: String? { question.hasOpenWishes ? question.wishList : nil }

    /// The other accounts that can be chosen; nil if there are none.
    package var otherAccounts: String? { question.otherAccountList }

    /// The spans for which a yes can be remembered; empty if a yes counts once only.
    package var spansOfYes: [Remembering.Span] { question.canRememberYes ? question.spans : [] }

    /// The spans for which a no can be remembered; empty if a no counts once only.
    package var spansOfNo: [Remembering.Span] { question.canRememberNo ? question.spans : [] }
}
