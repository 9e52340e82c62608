// SPDX-License-Identifier: Apache-2.0

/// Puts a question to several people and collects their signed answers.
///
/// The hub checks the answers again.
public protocol SeveralPeople: Sendable {
    /// True if several people can be asked.
    var canAsk: Bool { get }

    /// Asks, and waits until enough people said yes, one said no, or its task is cancelled.
    ///
    /// If `decide` throws, no question stays open.
    func decide(
        _ question: ApprovalQuestion, demands: [ApproverDemand]
    ) async throws(ApprovalError) -> JointAnswers

    /// Returns the current inputs for checking answers to the question.
    func check(
        _ question: JointQuestion, at now: Timestamp
    ) throws(ApprovalError) -> JointCheck

    /// Withdraws a question that was answered but not used; `digest` is SHA-256 of its bytes.
    func withdraw(_ digest: [UInt8]) async
}

/// The answers of several people to a question.
public struct JointAnswers: Hashable, Sendable {
    /// The question in the form that was shown.
    public let question: JointQuestion
    /// The answers.
    public let answers: [JointAnswer]

    /// Pairs a question with answers.
    public init(to question: JointQuestion, _ answers: [JointAnswer]) {
        self.question = question
        self.answers = answers
    }
}

/// The implementation for homes where several people cannot be asked.
public struct NoSeveralPeople: SeveralPeople {
    /// Makes the implementation.
    public init() {}

    /// False.
    public var canAsk: Bool { false }

    /// Throws `unavailable`.
    public func decide(
        _: ApprovalQuestion, demands _: [ApproverDemand]
    ) async throws(ApprovalError) -> JointAnswers {
        throw .unavailable
    }

    /// Throws `unavailable`.
    public func check(
        _: JointQuestion, at _: Timestamp
    ) throws(ApprovalError) -> JointCheck {
        throw .unavailable
    }

    /// Does nothing.
    public func withdraw(_: [UInt8]) async {}
}
