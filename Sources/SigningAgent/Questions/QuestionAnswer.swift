// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningService

/// An answer as parsed from a body, not yet compared with its question.
struct QuestionAnswer {
    /// An error in a body.
    struct ParseError: Error {
        let code: String
        let detail: String
    }

    /// The digest of the words that were shown.
    let seen: String
    let given: GivenAnswer
    /// The wishes that are granted, in words such as `1,3 1d`.
    let granting: String?

    var isYes: Bool { given.isYes }

    /// The longest body, in bytes.
    static let bodyBytesMax = 4_096
    private static let members = OwnerActs.questionAnswer.description.arguments.map(\.name)

    init(_ body: [UInt8]) throws(ParseError) {
        let json = try Self.object(body, members: Self.members)
        do throws(AnswerError) {
            given = try GivenAnswer(json)
            guard let seen = json["seen"]?.text, seen.utf8.count == 64 else {
                throw AnswerError("seen must be the digest of the words that were shown")
            }
            self.seen = seen
            granting = try GivenAnswer.text("grant", in: json)
            guard given.isYes || granting == nil else {
                throw AnswerError("a no cannot grant anything")
            }
        } catch {
            throw ParseError(code: "bad_member", detail: error.detail)
        }
    }

    /// Parses an object that has only these members.
    static func object(_ body: [UInt8], members: [String]) throws(ParseError) -> JSON {
        let json: JSON
        do throws(CodecError) {
            json = try JSON.parse(
                body.span, limits: JSONLimits(bytesMax: bodyBytesMax, depthMax: 2))
        } catch {
            throw ParseError(code: "bad_json", detail: "the body is not JSON: \(error.text)")
        }
        guard let object = json.object else {
            throw ParseError(code: "bad_json", detail: "the body is not a JSON object")
        }
        for name in object.names where !members.contains(name) {
            throw ParseError(
                code: "unknown_member",
                detail: "unknown member \"\(VisibleText.quotable(String(name.prefix(64))))\"")
        }
        return json
    }

    /// Returns the answer to a question; throws if the question does not offer it.
    func answer(to question: ApprovalQuestion) throws(AnswerError) -> ApprovalAnswer {
        let answer = try given.answer(to: question)
        guard let granting else { return answer }
        guard case .approved(let binding, let remembering, _, _) = answer, question.hasOpenWishes,
            let choice = WishChoice(granting)?.granted(in: question)
        else {
            throw AnswerError(
                "grant must name wishes that are open, and a time, such as \"1,3 1d\"")
        }
        return .approved(binding, remembering: remembering, granting: choice)
    }
}
