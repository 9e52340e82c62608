// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningCrypto
internal import SigningDigests
internal import SigningService
internal import Socket
internal import Synchronization

/// A question that waits for the first answer.
final class HeldQuestion: Approval {
    private struct State {
        /// The answer given here, even if another place answered first.
        var given: ApprovalAnswer?
        /// True once an answer would come too late.
        var isClosed = false
        var ending: QuestionOutcome?
        /// The gates of tasks that wait for the end.
        var waiting: [Gate] = []
    }

    /// The id of the request, in hex.
    let id: String
    let question: ApprovalQuestion
    let words: QuestionText
    /// The text that is shown.
    let text: String
    let asked: Timestamp
    private let gate = Gate()
    private let state = Mutex(State())

    init(_ question: ApprovalQuestion, schemas: [FactSchema], asked: Timestamp) {
        let requestID = question.requestID ?? Randomness.bytes(16)
        id = Hex.encode(requestID.span)
        self.question = question
        self.asked = asked
        words = QuestionText(question, schemas: schemas)
        text = words.text
    }

    /// The digest that an answer to the shown text must name.
    var digest: String { Self.digest(of: text) }

    /// The digest of words; an answer names the digest of the text or of the details.
    static func digest(of words: String) -> String {
        Hex.encode(Digest.sha256(words.utf8.span).span)
    }

    /// The outcome; nil while the question waits.
    var ending: QuestionOutcome? { state.withLock { $0.ending } }

    /// Waits for an answer to this question that is given in this agent, not at another place.
    func decide(_: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        await withTaskCancellationHandler {
            await gate.wait()
        } onCancel: {
            gate.open()
        }
        let given = state.withLock { state in
            state.isClosed = true
            return state.given
        }
        guard let given else { throw .timedOut }
        return given
    }

    /// Stores an answer; false if there is one already, or the question has ended.
    func give(_ answer: ApprovalAnswer) -> Bool {
        let isFirst = state.withLock { state in
            guard state.given == nil, !state.isClosed, state.ending == nil else { return false }
            state.given = answer
            return true
        }
        if isFirst { gate.open() }
        return isFirst
    }

    func finish(_ ending: QuestionOutcome) {
        let waiting = state.withLock { state in
            state.ending = ending
            defer { state.waiting = [] }
            return state.waiting
        }
        for gate in waiting { gate.open() }
    }

    /// Waits for the outcome; nil if the task is cancelled first.
    func waitForEnd() async -> QuestionOutcome? {
        let own = Gate()
        let isOver = state.withLock { state in
            guard state.ending == nil else { return true }
            state.waiting.append(own)
            return false
        }
        if !isOver {
            await withTaskCancellationHandler {
                await own.wait()
            } onCancel: {
                own.open()
            }
        }
        return ending
    }
}

/// The outcome of a question.
enum QuestionOutcome: Hashable, Sendable {
    /// A person or a program answered, here or at another place.
    case answered(ApprovalAnswer)
    /// The time ended without an answer.
    case expired
    /// The delay of the rules passed without an answer; the hub alone knows the outcome.
    case unanswered
    /// The client disconnected, or the agent stops.
    case withdrawn

    /// The word for the outcome, such as `once`, `1h`, `always`, `no` or `never`.
    var word: String {
        switch self {
        case .answered(.approved(_, let remembering, _, _)): remembering?.span.rawValue ?? "once"
        case .answered(.denied(nil)): "no"
        case .answered(.another): "use"
        case .answered(.denied(let remembering?)):
            remembering.span == .always ? "never" : "no \(remembering.span.rawValue)"
        case .expired: "expired"
        case .unanswered: "delay passed"
        case .withdrawn: "withdrawn"
        }
    }

    /// True if the request was approved.
    var isYes: Bool {
        if case .answered(.approved) = self { return true }
        return false
    }
}
