// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

/// An answer to one question, bound to the words that were on the screen.
package struct InboxDecision: Hashable, Sendable {
    /// The id of the question.
    package let id: String
    let seen: String
    let answer: InboxAnswer
    /// True if the answer is that of an approver to a question for several people.
    var isForApprovers = false

    /// The API path that takes the answer.
    package var path: String {
        isForApprovers ? "/v1/approvals/\(id)/answer" : "/v1/questions/\(id)/answer"
    }

    /// The body of the API request.
    package var body: JSON {
        let word = isForApprovers ? (answer.isYes ? "yes" : "no") : answer.word
        var members: [JSONObject.Member] = [
            .init(name: "answer", value: .string(word)),
            .init(name: "seen", value: .string(seen)),
        ]
        if let uses = answer.uses { members.append(.init(name: "uses", value: .integer(uses))) }
        if let total = answer.total { members.append(.init(name: "total", value: .string(total))) }
        if let account = answer.account {
            members.append(.init(name: "account", value: .string(account)))
        }
        if let grant = answer.grant { members.append(.init(name: "grant", value: .string(grant))) }
        return .object(JSONObject(members))
    }
}

/// The answer of a person to a question.
package struct InboxAnswer: Hashable, Sendable {
    /// `once`, `5m`, `1h`, `1d`, `session`, `always`, `no`, `never` or `use`.
    let word: String
    var uses: Int64?
    var total: String?
    var grant: String?
    /// The name of another account for which the question is asked again.
    var account: String?

    /// True if the answer is a yes.
    var isYes: Bool { word != "no" && word != "never" && word != "use" }

    /// The span for which the answer is remembered; nil for once.
    var span: String? {
        switch word {
        case "once", "no", "use": nil
        case "never": "always"
        default: word
        }
    }

    init(_ word: String) { self.word = word }

    /// The keys that answer, each with its answer.
    static let keys: [(Character, String)] = [
        ("o", "once"), ("5", "5m"), ("h", "1h"), ("d", "1d"), ("s", "session"), ("a", "always"),
        ("n", "no"), ("v", "never"),
    ]

    /// Parses a line such as `y 1h 20 ALGO`, `n always` or `use 1`.
    ///
    /// Nil if the line is invalid. The agent decides whether the answer is offered.
    init?(line: String) {
        let words = line.lowercased().split(separator: " ").map(String.init)
        guard let first = words.first else { return nil }
        if ["u", "use"].contains(first) {
            let name = line.split(separator: " ", maxSplits: 1).dropFirst().first
            guard let name else { return nil }
            self.init("use")
            account = String(name)
            return
        }
        let isYes = ["y", "yes"].contains(first)
        guard isYes || ["n", "no"].contains(first) else { return nil }
        let span = words.count > 1 ? words[1] : "once"
        guard isYes else {
            guard words.count <= 2, ["once", "always"].contains(span) else { return nil }
            self.init(span == "always" ? "never" : "no")
            return
        }
        guard Self.keys.contains(where: { $0.1 == span }), span != "no", span != "never" else {
            return nil
        }
        self.init(span)
        var rest = words.dropFirst(2)
        if rest.count == 1 || rest.dropFirst().first.flatMap({ Int128($0) }) != nil {
            guard let count = rest.popFirst().flatMap({ Int64($0) }), count > 0 else { return nil }
            uses = count
        }
        if !rest.isEmpty { total = rest.joined(separator: " ") }
        guard span != "once" || (uses == nil && total == nil) else { return nil }
    }
}
