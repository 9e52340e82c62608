// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
internal import SigningCore
internal import SigningService

/// A question in the inbox, with the texts that the agent sent.
package struct InboxQuestion: Hashable, Sendable {
    /// The id of the question, unique at the agent.
    package let id: String
    let headline: String
    /// The outflow, its recipient and the gravest danger; nil if an older agent does not send them.
    let gist: QuestionGist?
    let client: String
    let act: String
    let keys: [String]
    let expires: ContinuousClock.Instant
    let spansOfYes: [String]
    let spansOfNo: [String]
    let needsDetails: Bool
    /// True if rules allow the request when the time ends.
    let isAllowedUnanswered: Bool
    /// The approver keys here that may answer, for a question to several people; nil for others.
    let approvers: Approvers?
    /// The text of the question with its digest; nil until it arrives.
    package var words: Words?
    /// The details with their digest; nil until they arrive.
    package var details: Words?

    /// The approver keys of this home that may answer a question.
    package struct Approvers: Hashable, Sendable {
        let mayApprove: [String]
        let mayDeny: [String]
    }

    /// The row below a question of a request that rules allow when the time ends.
    package static let allowedText = "! without an answer your rules allow this"

    /// True if the question is for several people, whose answers use another API path.
    package var isForApprovers: Bool { approvers != nil }

    /// True if the other item is this question with no additional answers.
    func isSame(as other: InboxQuestion) -> Bool {
        id == other.id && headline == other.headline && approvers == other.approvers
    }

    /// A text, and the digest that an answer to it names.
    package struct Words: Hashable, Sendable {
        let text: String
        let digest: String
        /// The requests that a remembered answer would cover, and the client's wishes.
        let below: [String]

        /// Parses the text; nil if a member is missing.
        package init?(_ json: JSON) {
            guard let text = json["text"]?.text, let digest = json["digest"]?.text else {
                return nil
            }
            self.text = text
            self.digest = digest
            below = ["others", "offer", "wishes", "standing"].compactMap { json[$0]?.text }
        }
    }

    /// Parses an item of the question list; nil if a member is missing or has another type.
    package init?(_ json: JSON, now: ContinuousClock.Instant) {
        func texts(_ list: JSON?) -> [String] { list?.list?.compactMap(\.text) ?? [] }
        guard let id = json["id"]?.text, let headline = json["headline"]?.text,
            let client = json["client"]?["name"]?.text,
            let known = json["client"]?["known_by"]?.text, let act = json["act"]?.text,
            let left = json["seconds_left"]?.integerValue,
            let needsDetails = json["needs_details"]?.flag
        else { return nil }
        self.id = id
        self.headline = headline
        gist = QuestionGist(json["gist"])
        self.client = Self.described(client, known, json["client"])
        self.act = act
        self.needsDetails = needsDetails
        isAllowedUnanswered = json["without_answer"]?.text == "allow"
        approvers = nil
        keys = texts(json["keys"])
        expires = now + .seconds(left)
        spansOfYes = texts(json["remember"]?["yes"])
        spansOfNo = texts(json["remember"]?["no"])
    }

    /// Parses an item of the list of questions to several people; nil if a member is missing or has
    /// another type.
    package init?(approval json: JSON, now: ContinuousClock.Instant) {
        guard let id = json["id"]?.text, let headline = json["headline"]?.text,
            let approved = json["approved"]?.text, let left = json["seconds_left"]?.integerValue
        else { return nil }
        self.id = id
        self.headline = "\(approved): \(headline)"
        gist = QuestionGist(json["gist"])
        client = "several people"
        act = "approve"
        keys = []
        needsDetails = false
        isAllowedUnanswered = false
        expires = now + .seconds(left)
        spansOfYes = []
        spansOfNo = []
        func names(_ member: String) -> [String] {
            json[member]?.list?.compactMap(\.text) ?? []
        }
        approvers = Approvers(mayApprove: names("may_approve"), mayDeny: names("may_deny"))
    }

    /// The client's name from the owner, its id for rules, and the proof of that id.
    static func described(_ client: String, _ known: String, _ json: JSON?) -> String {
        let called = json?["called"]?.text.map { "\($0), " } ?? ""
        let profile = json?["profile"]?.text.map { " \($0)" } ?? ""
        return "\(called)\(listed(client)) (\(known)\(profile))"
    }

    /// The name of a client, cut so that its id fits beside it.
    static func listed(_ client: String) -> String { VisibleText.listed(client, countMax: 30) }

    /// The heading under which questions of the same client and kind are listed.
    var group: String { "\(client): \(act)" }
}

/// A connected client in the inbox.
package struct InboxConnection: Hashable, Sendable {
    /// The id of the connection; nil if the inbox cannot end it.
    package let id: String?
    let row: String

    /// Creates a connection; `row` is the line of text that the inbox shows for it.
    package init(id: String?, _ row: String) {
        self.id = id
        self.row = row
    }
}

/// An ended question in the history.
package struct InboxEnded: Hashable, Sendable {
    let row: String

    /// Parses an item of the list; nil if a member is missing.
    package init?(_ json: JSON) {
        guard let ended = json["ended"]?.text, let ending = json["ending"]?.text,
            let headline = json["headline"]?.text, let client = json["client"]?.text,
            let known = json["known_by"]?.text
        else { return nil }
        let word = ending + String(repeating: " ", count: max(0, 10 - ending.utf8.count))
        let called = json["called"]?.text.map { "\($0), " } ?? ""
        let profile = json["profile"]?.text.map { " \($0)" } ?? ""
        let described = "\(called)\(InboxQuestion.listed(client)), \(known)\(profile)"
        row = "\(ended)  \(word) (\(described))  \(headline)"
    }
}
