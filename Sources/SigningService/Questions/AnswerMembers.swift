// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
internal import SigningCore

/// The reason that a member of an answer's JSON is not accepted.
package struct AnswerError: Error, Hashable, Sendable {
    /// The problem, with the name of the member.
    package let detail: String

    /// Makes an error.
    package init(_ detail: String) { self.detail = detail }
}

/// The members of an answer in the JSON of the API: `answer`, `uses`, `total`, `per` and
/// `account`.
extension GivenAnswer {
    /// The names of the members.
    package static let members = ["answer", "uses", "total", "per", "account"]
    /// The longest text of a member, in bytes.
    package static let textBytesMax = 64

    /// The words for all answers; a span is a yes that is remembered.
    package static let words =
        ["once"] + Remembering.Span.allCases.map(\.rawValue) + ["no", "never", "use"]

    /// The word for the answer; nil for a no that is remembered for a limited time, which only the
    /// terminal offers.
    package var word: String? {
        switch self {
        case .yes(nil): "once"
        case .yes(let grant?): grant.span.rawValue
        case .no(nil): "no"
        case .no(.always): "never"
        case .no: nil
        case .account: "use"
        }
    }

    /// Creates an answer from a word; nil for another word, and for `use`, which needs an account.
    package init?(word: String) {
        switch word {
        case "once": self = .yes(nil)
        case "no": self = .no(nil)
        case "never": self = .no(.always)
        default:
            guard let span = Remembering.Span(rawValue: word) else { return nil }
            self = .yes(GrantRequest(span))
        }
    }

    /// Reads the members of a body.
    package init(_ json: JSON) throws(AnswerError) {
        guard let word = json["answer"]?.text, Self.words.contains(word) else {
            throw AnswerError("answer must be one of \(Self.words.joined(separator: ", "))")
        }
        let account = try Self.text("account", in: json)
        guard (word == "use") == (account != nil) else {
            throw AnswerError(
                "account must be the number or name of one of other_accounts, for \"use\"")
        }
        let span = Remembering.Span(rawValue: word)
        let grant = try GrantRequest.bounded(span, by: json)
        if let account {
            self = .account(account)
        } else if let grant {
            self = .yes(grant)
        } else {
            self = Self(word: word) ?? .no(nil)
        }
    }

    /// Writes the members; nil if the API has no word for the answer.
    package var jsonMembers: [JSONObject.Member]? {
        guard let word else { return nil }
        var members = [JSONObject.Member(name: "answer", value: .string(word))]
        switch self {
        case .yes(let grant?):
            if let uses = grant.usesMax {
                members.append(.init(name: "uses", value: .integer(uses)))
            }
            if let total = grant.total {
                members.append(.init(name: "total", value: .string(total.text)))
            }
            if let per = grant.per {
                members.append(.init(name: "per", value: .string(per.rawValue)))
            }
        case .account(let name): members.append(.init(name: "account", value: .string(name)))
        case .yes, .no: break
        }
        return members
    }

    /// Reads a member that is a short text; nil if it is missing.
    package static func text(_ name: String, in json: JSON) throws(AnswerError) -> String? {
        guard let member = json[name] else { return nil }
        guard let text = member.text, !text.isEmpty, text.utf8.count <= textBytesMax else {
            throw AnswerError("\(name) must be a string of at most \(textBytesMax) bytes")
        }
        return text
    }
}

extension GrantRequest {
    /// Reads the bounds of a remembered yes; nil if the answer is another, which has no bounds.
    fileprivate static func bounded(
        _ span: Remembering.Span?, by json: JSON
    ) throws(AnswerError) -> GrantRequest? {
        var uses: Int64?
        if let member = json["uses"] {
            guard let count = member.integerValue, count > 0, span != nil else {
                throw AnswerError("uses must be a number, and needs a remembered yes")
            }
            uses = count
        }
        var total: Total?
        if let text = try GivenAnswer.text("total", in: json) {
            let words = text.split(separator: " ").map(String.init)
            guard words.count > 1, Int128(words[1]) == nil, span != nil else {
                throw AnswerError(
                    "total must be an amount such as \"20 ALGO\", and needs a remembered yes")
            }
            total = Total(words[0], words.dropFirst().joined(separator: " "))
        }
        var per: Remembering.Period?
        if let text = try GivenAnswer.text("per", in: json) {
            guard let period = Remembering.Period(rawValue: text), uses != nil || total != nil
            else { throw AnswerError("per must be hour, day or week, and needs uses or a total") }
            per = period
        }
        return span.map { GrantRequest($0, usesMax: uses, total: total, per: per) }
    }
}
