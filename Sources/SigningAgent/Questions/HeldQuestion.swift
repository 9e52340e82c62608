// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningCrypto
internal import SigningDigests
internal import SigningTerminal
internal import Socket
internal import Synchronization

/// A question that waits for whoever answers it first.
final class HeldQuestion: Approval {
    private struct State {
        /// What was answered here, whether or not it was the first.
        var given: ApprovalAnswer?
        var ending: QuestionOutcome?
        /// Those who want to know how it ends.
        var waiting: [Gate] = []
    }

    /// The id of the request, in hex.
    let id: String
    let question: ApprovalQuestion
    let words: QuestionText
    /// What is shown of it.
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

    /// What an answer to the words that are shown names.
    var digest: String { Self.digest(of: text) }

    /// What an answer names to whom the details were shown.
    static func digest(of words: String) -> String {
        Hex.encode(Digest.sha256(words.utf8.span).span)
    }

    /// How it ended; nil while it waits.
    var ending: QuestionOutcome? { state.withLock { $0.ending } }

    /// Waits until somebody answers it here.
    func decide(_: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        await withTaskCancellationHandler {
            await gate.wait()
        } onCancel: {
            gate.open()
        }
        guard let given = state.withLock({ $0.given }) else { throw .timedOut }
        return given
    }

    /// Answers it; false where that was done before, or it has ended.
    func give(_ answer: ApprovalAnswer) -> Bool {
        let isFirst = state.withLock { state in
            guard state.given == nil, state.ending == nil else { return false }
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

    /// How it ends, once it has.
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

/// What became of a question.
enum QuestionOutcome: Hashable, Sendable {
    /// Somebody answered, here or at another place.
    case answered(ApprovalAnswer)
    /// Nobody did in time.
    case expired
    /// Whoever asked has left, or the agent stops.
    case withdrawn

    /// The word for it, such as `once`, `1h`, `always`, `no` or `never`.
    var word: String {
        switch self {
        case .answered(.approved(_, let remembering, _, _)): remembering?.span.rawValue ?? "once"
        case .answered(.denied(nil)): "no"
        case .answered(.another): "use"
        case .answered(.denied(let remembering?)):
            remembering.span == .always ? "never" : "no \(remembering.span.rawValue)"
        case .expired: "expired"
        case .withdrawn: "withdrawn"
        }
    }

    /// Whether somebody said yes.
    var isYes: Bool {
        if case .answered(.approved) = self { return true }
        return false
    }
}
