// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningFiles
internal import SigningService

// Every text here is safe to print: text from outside is escaped.

extension ApproverItem {
    /// The digest that an answer must name, of the words that were shown.
    func wordsDigest(at now: Timestamp) -> String { HeldQuestion.digest(of: whole(at: now)) }

    /// The item in the list of open questions.
    func listed(at now: Timestamp) -> JSON { .object(JSONObject(members(at: now))) }

    /// The whole question with its state, and the digest that an answer must name.
    func json(at now: Timestamp) -> JSON {
        .object(
            JSONObject(
                members(at: now) + [
                    .init(name: "text", value: .string(whole(at: now))),
                    .init(name: "digest", value: .string(wordsDigest(at: now))),
                ]))
    }

    private func members(at now: Timestamp) -> [JSONObject.Member] {
        let expires = question.binding.expires
        let rules = progress.map { part -> JSON in
            [
                "rule": Self.safe(part.demand.rule), "min": .integer(Int64(part.demand.minimum)),
                "yes": .integer(Int64(part.yeses)),
                "of": .array(part.demand.members.map { Self.safe($0.name) }),
            ]
        }
        let answers = answers.map { name, isYes -> JSON in
            ["name": Self.safe(name), "answer": .string(isYes ? "yes" : "no")]
        }
        return [
            .init(name: "id", value: .string(digest.hexText)),
            .init(name: "headline", value: .string(headline)),
            .init(name: "gist", value: gist.json),
            .init(name: "expires", value: .string(expires.utcText)),
            .init(name: "seconds_left", value: .integer(expires.secondsLeft(at: now))),
            .init(name: "approved", value: .string(progressText)),
            .init(name: "rules", value: .array(rules)),
            .init(name: "said", value: .array(answers)),
            .init(name: "may_approve", value: .array(mayApprove.map { .string($0) })),
            .init(name: "may_deny", value: .array(mayDeny.map { .string($0) })),
            .init(name: "standing", value: .string(stateText)),
        ]
    }

    private var gist: QuestionGist {
        QuestionGist(ofText: question.text, totals: question.isGovernance ? [] : question.totals)
    }

    private static func safe(_ text: String) -> JSON { .string(VisibleText.escaped(text)) }
}
