// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
internal import SigningCore
package import SigningService

/// An answer to one question, bound to the words that were on the screen.
package struct InboxDecision: Hashable, Sendable {
    /// The id of the question.
    package let id: String
    let seen: String
    let answer: InboxAnswer
    /// True if the answer is that of an approver to a question for several people.
    var isForApprovers = false

    /// The act that gives the answer.
    package var act: RoutedAct {
        isForApprovers ? OwnerActs.approvalAnswer : OwnerActs.questionAnswer
    }

    /// The body of the API request.
    package var body: JSON {
        let approval = JSONObject.Member(
            name: "answer", value: .string(answer.isYes ? "yes" : "no"))
        var members = isForApprovers ? [approval] : answer.given.jsonMembers ?? []
        members.append(.init(name: "seen", value: .string(seen)))
        if let grant = answer.grant { members.append(.init(name: "grant", value: .string(grant))) }
        return .object(JSONObject(members))
    }
}

/// The answer of a person to a question, with the wishes that it grants.
package struct InboxAnswer: Hashable, Sendable {
    let given: GivenAnswer
    /// The wishes that are granted, in words such as `1,3 1d`.
    let grant: String?

    /// The word for the answer in the API.
    var word: String { given.word ?? "" }

    /// True if the answer is a yes.
    var isYes: Bool { given.isYes }

    /// True if the answer chooses another account.
    var isOfAccount: Bool { if case .account = given { true } else { false } }

    /// The span for which the answer is remembered; nil for once.
    var span: Remembering.Span? {
        switch given {
        case .yes(let grant): grant?.span
        case .no(let span): span
        case .account: nil
        }
    }

    init(_ given: GivenAnswer, granting grant: String? = nil) {
        self.given = given
        self.grant = grant
    }

    /// Parses a line such as `y 1h 20 ALGO`, `n always` or `use 1`.
    ///
    /// Nil if the line is no answer, or one for which the API has no word; throws if its time or
    /// its limits cannot be read. The agent decides whether the answer is offered.
    init?(line: String) throws(AnswerError) {
        guard let given = try GivenAnswer(line: line), given.word != nil else { return nil }
        self.init(given)
    }

    /// The keys that answer, each with its answer.
    static let keys: [(Character, GivenAnswer)] = [
        ("o", .yes(nil)), ("5", .yes(GrantRequest(.fiveMinutes))), ("h", .yes(GrantRequest(.hour))),
        ("d", .yes(GrantRequest(.day))), ("s", .yes(GrantRequest(.session))),
        ("a", .yes(GrantRequest(.always))), ("n", .no(nil)), ("v", .no(.always)),
    ]
}
