// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningService
internal import Socket

/// Accepts answers from all places.
extension QuestionQueue {
    /// Answers a waiting question for a client that has been authorised; `body` as in `POST
    /// /v1/questions/ID/answer`.
    ///
    /// The record says whether a program of the owner answered.
    func answer(
        _ id: String, _ body: [UInt8], isByProgram: Bool = false
    ) async -> HTTPResponse {
        let given: QuestionAnswer
        do throws(QuestionAnswer.ParseError) {
            given = try QuestionAnswer(body)
        } catch {
            return .problem(400, error.code, error.detail)
        }
        guard let held = find(id) else { return missing(id) }
        if let refusal = Self.refusal(of: given, to: held) { return refusal }
        let said: ApprovalAnswer
        do throws(AnswerError) {
            said = try given.answer(to: held.question)
        } catch {
            return .problem(422, "not_offered", error.detail)
        }
        let answer = isByProgram ? said.byProgram : said
        // The hub alone decides whether the answer counts; this only informs the sender.
        let obstacle = given.isYes ? obstacle(to: held.question) : nil
        guard held.give(answer) else {
            return await Self.over(held.waitForEnd() ?? .answered(answer))
        }
        // Another place may have answered first.
        guard let ending = await held.waitForEnd() else {
            return .busy("the answer was given, and is not recorded yet")
        }
        guard ending == .answered(answer) else { return Self.over(ending) }
        if let obstacle {
            return .problem(409, "void", "the answer has no effect: \(obstacle)")
        }
        return HTTPResponse(200, ["id": .string(id), "ending": .string(ending.word)])
    }

    /// The response for a question that is not waiting.
    func missing(_ id: String) -> HTTPResponse {
        guard let ended = findEnded(id) else { return .notFound }
        return Self.over(ended.ending)
    }

    private static func over(_ ending: QuestionOutcome) -> HTTPResponse {
        switch ending {
        case .answered:
            .problem(409, "already_answered", "the question was answered before: \(ending.word)")
        case .expired:
            .problem(
                410, "expired", "the question expired without an answer, so the request was denied")
        case .unanswered:
            .problem(410, "expired", "the delay of the rules passed without an answer")
        case .withdrawn: .problem(410, "withdrawn", "the question was withdrawn")
        }
    }

    /// An answer counts only for the text that was shown, and a yes only if all of it was shown.
    private static func refusal(
        of given: QuestionAnswer, to held: HeldQuestion
    ) -> HTTPResponse? {
        if given.seen == held.digest, !(given.isYes && held.words.isCut) { return nil }
        if given.seen == HeldQuestion.digest(of: held.words.details) { return nil }
        guard given.seen == held.digest else {
            return .problem(
                409, "other_words", "seen is not the digest of this question's text")
        }
        return .problem(
            409, "details_not_seen",
            "only a part was shown: for a yes, seen must be the digest of the details")
    }
}

extension ApprovalAnswer {
    /// This answer, marked as given by a program of the owner.
    fileprivate var byProgram: ApprovalAnswer {
        guard case .approved(let binding, let remembering, let granting, _) = self else {
            return self
        }
        return .approved(
            binding, remembering: remembering, granting: granting, isByProgram: true)
    }
}
