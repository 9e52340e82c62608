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

    /// Returns the answer to a question; nil if the question does not offer it.
    package func answer(to question: ApprovalQuestion) -> ApprovalAnswer? {
        switch self {
        case .yes(nil): return .approved(question.binding)
        case .yes(let grant?):
            return grant.remembering(for: question).map {
                .approved(question.binding, remembering: $0)
            }
        case .no(nil): return .denied()
        case .no(let span?):
            guard question.canRememberNo, question.spans.contains(span) else { return nil }
            return .denied(remembering: Remembering(span))
        case .account(let name): return question.otherAccount(called: name).map { .another($0.id) }
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

        /// Returns the amount of the asset with this name; nil if it is not exactly one.
        ///
        /// A token or a second network may use the same name.
        func outflow(of question: ApprovalQuestion) -> Outflow? {
            let assets = question.totals.map(\.asset).filter { $0.isCalled(unit) }
            guard assets.count == 1, let asset = assets.first,
                let amount = asset.amount(ofNumber: number), amount > 0
            else { return nil }
            return Outflow(asset, amount)
        }
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

    /// Returns the grant in the terms of a question; nil if the question does not offer it.
    func remembering(for question: ApprovalQuestion) -> Remembering? {
        guard question.canRememberYes, question.spans.contains(span) else { return nil }
        // Without a number or an amount, nothing would count.
        guard per == nil || usesMax != nil || total != nil else { return nil }
        guard let total else {
            // The shown amount is for all requests together, not for each hour of a year.
            guard per == nil || question.totals.isEmpty else { return nil }
            return Remembering(span, usesMax: usesMax, per: per)
        }
        guard let outflow = total.outflow(of: question) else { return nil }
        return Remembering(span, usesMax: usesMax, totals: [outflow], per: per)
    }
}

extension ApprovalQuestion {
    /// The spans for which an answer can be remembered; `session` needs a login of the client.
    package var spans: [Remembering.Span] {
        Remembering.Span.allCases.filter { hasLogin || $0 != .session }
    }
}
