// SPDX-License-Identifier: Apache-2.0

/// Puts a question before several people and gathers their signed answers.
///
/// What it gathers the hub checks once more by itself.
public protocol SeveralPeople: Sendable {
    /// Whether there is a way to ask them at all.
    var canAsk: Bool { get }

    /// Asks, and waits until enough said yes, one said no, or its task is cancelled; a question
    /// that is given up is withdrawn.
    func decide(
        _ question: ApprovalQuestion, demands: [ApproverDemand]
    ) async throws(ApprovalError) -> JointAnswers

    /// By what answers to the question are checked at this moment.
    func check(
        _ question: JointQuestion, at now: Timestamp
    ) throws(ApprovalError) -> JointCheck

    /// Takes back a question that was answered and then not used, by SHA-256 of its bytes.
    func withdraw(_ digest: [UInt8]) async
}

/// What several people said to a question.
public struct JointAnswers: Hashable, Sendable {
    /// The question as it was put before them.
    public let question: JointQuestion
    /// What they said.
    public let answers: [JointAnswer]

    /// Pairs both.
    public init(to question: JointQuestion, _ answers: [JointAnswer]) {
        self.question = question
        self.answers = answers
    }
}

/// What goes on record of a yes that several people gave.
public struct JointApproval: Hashable, Sendable {
    /// One who said yes.
    public struct Yes: Hashable, Sendable {
        /// What the policy calls the person.
        public let name: String
        /// What was signed, and by whom.
        public let answer: JointAnswer
    }

    /// SHA-256 of the question's bytes.
    public let digest: [UInt8]
    /// The last moment it counts.
    public let expires: Timestamp
    /// What they were shown that leaves accounts.
    public let totals: [String]
    /// Who said yes, sorted by key.
    public let yeses: [Yes]

    /// Makes it of answers that count; hubs do, and ledgers.
    package init(_ question: JointQuestion, _ answers: [JointAnswer], digest: [UInt8]) {
        self.digest = digest
        expires = question.binding.expires
        totals = question.totals
        yeses = answers.map { Yes(name: question.name(of: $0.publicKey) ?? "", answer: $0) }
    }
}

/// Where several people cannot be asked.
public struct NoSeveralPeople: SeveralPeople {
    /// Makes it.
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
