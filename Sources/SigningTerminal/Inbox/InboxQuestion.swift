// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
internal import SigningCore

/// A question as the inbox knows it: what the agent said of it, and whose words it shows.
package struct InboxQuestion: Hashable, Sendable {
    /// What the agent calls it; no other question has that name.
    package let id: String
    let headline: String
    /// What leaves, to whom, and the gravest danger; nil where an older agent does not tell.
    let gist: QuestionGist?
    let client: String
    let act: String
    let keys: [String]
    let expires: ContinuousClock.Instant
    let spansOfYes: [String]
    let spansOfNo: [String]
    let needsDetails: Bool
    /// Who may answer it here, where it is for several people.
    let approvers: Approvers?
    /// What is shown, with its digest; nil until it has come.
    package var words: Words?
    /// The same for the details.
    package var details: Words?

    /// The approver keys of this home that may answer a question.
    package struct Approvers: Hashable, Sendable {
        let mayApprove: [String]
        let mayDeny: [String]
    }

    /// Whether it is for several people, whose answers go another way.
    package var isForApprovers: Bool { approvers != nil }

    /// Whether another is this one, with no more answers.
    func stands(as other: InboxQuestion) -> Bool {
        id == other.id && headline == other.headline && approvers == other.approvers
    }

    /// A text, and the digest that an answer to it names.
    package struct Words: Hashable, Sendable {
        let text: String
        let digest: String
        /// What a remembered answer would cover, and what the client wishes besides.
        let below: [String]

        /// Reads them; nil where the agent speaks otherwise.
        package init?(_ json: JSON) {
            guard let text = json["text"]?.text, let digest = json["digest"]?.text else {
                return nil
            }
            self.text = text
            self.digest = digest
            below = ["others", "offer", "wishes", "standing"].compactMap { json[$0]?.text }
        }
    }

    /// Reads an item of the list; nil where the agent speaks otherwise.
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
        self.client = Self.who(client, known, json["client"])
        self.act = act
        self.needsDetails = needsDetails
        approvers = nil
        keys = texts(json["keys"])
        expires = now + .seconds(left)
        spansOfYes = texts(json["remember"]?["yes"])
        spansOfNo = texts(json["remember"]?["no"])
    }

    /// Reads an item of the list of what waits for several people; nil where the agent speaks
    /// otherwise.
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
        expires = now + .seconds(left)
        spansOfYes = []
        spansOfNo = []
        func names(_ member: String) -> [String] {
            json[member]?.list?.compactMap(\.text) ?? []
        }
        approvers = Approvers(mayApprove: names("may_approve"), mayDeny: names("may_deny"))
    }

    /// A client by the owner's name for it, by what rules know it, and what proves that.
    static func who(_ client: String, _ known: String, _ json: JSON?) -> String {
        let called = json?["called"]?.text.map { "\($0), " } ?? ""
        let profile = json?["profile"]?.text.map { " \($0)" } ?? ""
        return "\(called)\(listed(client)) (\(known)\(profile))"
    }

    /// So much of a name that what it is known by has room beside it.
    static func listed(_ client: String) -> String { VisibleText.listed(client, countMax: 30) }

    /// Questions of one client and kind stand together.
    var group: String { "\(client): \(act)" }
}

/// A client that is connected, as the inbox shows it.
package struct InboxConnection: Hashable, Sendable {
    /// What the agent calls the connection; nil where it is ended elsewhere.
    package let id: String?
    let row: String

    /// Shows it in a row.
    package init(id: String?, _ row: String) {
        self.id = id
        self.row = row
    }
}

/// A question that has ended, as the history shows it.
package struct InboxEnded: Hashable, Sendable {
    let row: String

    /// Reads an item of the list; nil where the agent speaks otherwise.
    package init?(_ json: JSON) {
        guard let ended = json["ended"]?.text, let ending = json["ending"]?.text,
            let headline = json["headline"]?.text, let client = json["client"]?.text,
            let known = json["known_by"]?.text
        else { return nil }
        let word = ending + String(repeating: " ", count: max(0, 10 - ending.utf8.count))
        let called = json["called"]?.text.map { "\($0), " } ?? ""
        let profile = json["profile"]?.text.map { " \($0)" } ?? ""
        let who = "\(called)\(InboxQuestion.listed(client)), \(known)\(profile)"
        row = "\(ended)  \(word) (\(who))  \(headline)"
    }
}
