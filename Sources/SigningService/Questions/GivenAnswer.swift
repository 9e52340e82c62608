// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// An answer as a person gives it, not yet compared with its question.
///
/// The terminal makes it from a typed line, and the API from the members of a body.
package enum GivenAnswer: Hashable, Sendable {
    /// Yes, once or with a grant for later requests.
    case yes(GrantRequest?)
    /// No, once or for a span.
    case no(Remembering.Span?)
    /// The question is to be asked again about the account with this number or name.
    case account(String)

    /// True if the answer is a yes.
    package var isYes: Bool { if case .yes = self { true } else { false } }

    /// Returns the answer to a question; throws if the question does not offer it.
    package func answer(to question: ApprovalQuestion) throws(AnswerError) -> ApprovalAnswer {
        switch self {
        case .yes(nil): return .approved(question.binding)
        case .yes(let grant?):
            return .approved(question.binding, remembering: try grant.remembering(for: question))
        case .no(nil): return .denied()
        case .no(let span?):
            guard question.canRememberNo else {
                throw AnswerError("a no to this request cannot be remembered")
            }
            try question.check(span)
            return .denied(remembering: Remembering(span))
        case .account(let name):
            guard let account = question.otherAccount(called: name) else {
                throw AnswerError("\"\(VisibleText.quotable(name))\" is not an account to choose")
            }
            return .another(account.id)
        }
    }
}

/// The grant that a person gives with a yes.
package struct GrantRequest: Hashable, Sendable {
    /// A total in the words of the person, such as `20 ALGO`.
    package struct Total: Hashable, Sendable {
        let number: String
        let unit: String

        /// Creates a total from a number and the name of an asset.
        package init(_ number: String, _ unit: String) {
            self.number = number
            self.unit = unit
        }

        /// The total in words.
        package var text: String { unit.isEmpty ? number : "\(number) \(unit)" }
    }

    /// The span for which the yes is remembered.
    package let span: Remembering.Span
    /// The number of further uses; nil for any number.
    package let usesMax: Int64?
    /// The most that may leave in total; nil for the amounts that were shown.
    package let total: Total?
    /// The time in which both count; nil for once and all.
    package let per: Remembering.Period?

    /// Creates a grant for a span, with bounds.
    package init(
        _ span: Remembering.Span, usesMax: Int64? = nil, total: Total? = nil,
        per: Remembering.Period? = nil
    ) {
        self.span = span
        self.usesMax = usesMax
        self.total = total
        self.per = per
    }

    /// Returns the grant in the terms of a question; throws if the question does not offer it.
    func remembering(for question: ApprovalQuestion) throws(AnswerError) -> Remembering {
        guard question.canRememberYes else { throw AnswerError(question.onlyOnceWords) }
        try question.check(span)
        if let total {
            let outflow = try total.outflow(of: question)
            return Remembering(span, usesMax: usesMax, totals: [outflow], per: per)
        }
        guard let per else { return Remembering(span, usesMax: usesMax) }
        // Without a number or an amount, nothing would count.
        guard usesMax != nil else {
            throw AnswerError("name a number or an amount for each \(per.rawValue)")
        }
        // The shown amount is for all requests together, not for each hour of a year.
        guard question.totals.isEmpty else {
            let sample = question.sampleAmount.map { ", such as \"\($0)\"" } ?? ""
            throw AnswerError(
                "name the amount that may leave in each \(per.rawValue) too\(sample)")
        }
        return Remembering(span, usesMax: usesMax, per: per)
    }
}

extension ApprovalQuestion {
    /// The reason that a yes is not remembered.
    var onlyOnceWords: String {
        "a yes to this request counts once: "
            + (onlyOnce
                ?? (client == nil
                    ? "the client did not give a name"
                    : "it cannot be distinguished from other requests"))
    }

    /// Throws if an answer to this question cannot be remembered for a span.
    func check(_ span: Remembering.Span) throws(AnswerError) {
        guard !spans.contains(span) else { return }
        throw AnswerError("the login of the client is not known: use another time than \"session\"")
    }

    /// The spans for which an answer can be remembered; `session` needs a login of the client.
    package var spans: [Remembering.Span] {
        Remembering.Span.allCases.filter { hasLogin || $0 != .session }
    }
}
