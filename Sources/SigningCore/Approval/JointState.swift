// SPDX-License-Identifier: Apache-2.0

/// The reasons that an answer to a question does not count.
public enum JointAnswerError: String, Error, Hashable, Sendable, CaseIterable {
    /// The key is not named by any rule of the question.
    case notAsked = "stranger"
    /// The key was retired.
    case retired
    /// The key belongs to the home that received the request, and no rule lets it count.
    case ownRequest
    /// The question does not follow the form of either kind of question.
    case ambiguous
    /// The signature is not valid for this question.
    ///
    /// The signature may be for another question or policy, an earlier form of this one, or forged.
    case unsigned
    /// The question had expired.
    case late
    /// This person answered before.
    case repeated
    /// The question does not exist or no longer waits.
    case unknown = "gone"

    /// The reason in words.
    public var text: String {
        switch self {
        case .notAsked: "no rule asks the approver who has this key"
        case .retired: "the key of this approver was retired"
        case .ownRequest: "an approver cannot approve a request that was made in their own home"
        case .ambiguous: "the question looks like one of another kind: it can only be denied"
        case .unsigned: "the signature is not by this approver, or not over this question"
        case .late: "the question has expired"
        case .repeated: "this approver has answered already"
        case .unknown:
            "no such question waits: it was used, denied or withdrawn, or never asked here"
        }
    }
}

/// The inputs for checking answers.
public struct JointCheck: Sendable {
    /// SHA-256 of the question's bytes.
    public let digest: [UInt8]
    /// The keys that were retired.
    public let retired: Set<[UInt8]>
    /// More keys that count as keys of the home that receives the answer, besides those in the
    /// question.
    public let own: Set<[UInt8]>
    /// True if statements of older programs count, as in existing records.
    public let acceptsOlder: Bool
    /// The time of the check.
    public let now: Timestamp
    /// Returns whether a signature over a message is valid for a key.
    public let isSigned:
        @Sendable (_ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8]) -> Bool

    /// Makes a check.
    public init(
        digest: [UInt8], retired: Set<[UInt8]>, own: Set<[UInt8]> = [],
        acceptsOlder: Bool = false, now: Timestamp,
        isSigned: @escaping @Sendable ([UInt8], [UInt8], [UInt8]) -> Bool
    ) {
        self.digest = digest
        self.retired = retired
        self.own = own
        self.acceptsOlder = acceptsOlder
        self.now = now
        self.isSigned = isSigned
    }
}

/// The state of a question.
public enum JointState: Hashable, Sendable {
    /// More people have to say yes; the names of those who did.
    case open([String])
    /// Enough people said yes; their answers.
    case approved([JointAnswer])
    /// A person said no, which ends the question; the name.
    case refused(by: String)
}

extension JointQuestion {
    /// Returns the reason that this person's answer would not count; nil if it would.
    public func refusal(
        ofSaying isYes: Bool, by publicKey: [UInt8], retired: Set<[UInt8]>, own: Set<[UInt8]> = []
    ) -> JointAnswerError? {
        let asked = demands.filter { $0.members.contains { $0.key == publicKey } }
        guard !asked.isEmpty else { return .notAsked }
        guard !retired.contains(publicKey) else { return .retired }
        guard !isYes || isOfOneKind else { return .ambiguous }
        // Any member may say no.
        let isOwn = ownKeys.contains(publicKey) || own.contains(publicKey)
        return !isYes || !isOwn || asked.contains(where: \.submitterMayApprove)
            ? nil : .ownRequest
    }

    /// Returns the reason that an answer does not count; nil if it counts.
    public func refusal(of answer: JointAnswer, by check: JointCheck) -> JointAnswerError? {
        let isYes = answer.isYes
        let key = answer.publicKey
        if let refusal = refusal(ofSaying: isYes, by: key, retired: check.retired, own: check.own) {
            return refusal
        }
        let kinds = check.acceptsOlder ? [kind, .older] : [kind]
        let isSigned = kinds.contains { kind in
            let message = statement(digest: check.digest, isYes: isYes, by: key, of: kind)
            return check.isSigned(answer.signature, message, key)
        }
        guard isSigned else { return .unsigned }
        return check.now <= binding.expires ? nil : .late
    }

    /// Returns the state of the question after these answers; invalid answers are skipped.
    public func state(of answers: [JointAnswer], by check: JointCheck) -> JointState {
        var counted: [[UInt8]: JointAnswer] = [:]
        for answer in answers where refusal(of: answer, by: check) == nil {
            guard answer.isYes else {
                return .refused(by: name(of: answer.publicKey) ?? "an approver")
            }
            counted[answer.publicKey] = answer
        }
        let isMet = demands.allSatisfy { demand in
            demand.counted(besides: ownKeys + check.own)
                .count { counted[$0.key] != nil } >= demand.minimum
        }
        let yeses = counted.values.sorted {
            $0.publicKey.lexicographicallyPrecedes($1.publicKey)
        }
        guard isMet, !demands.isEmpty else {
            return .open(yeses.compactMap { name(of: $0.publicKey) }.sorted())
        }
        return .approved(yeses)
    }
}

/// A joint yes in the form that goes on record.
public struct JointApproval: Hashable, Sendable {
    /// One person's yes.
    public struct Yes: Hashable, Sendable {
        /// The person's name in the policy.
        public let name: String
        /// The signed answer with its public key.
        public let answer: JointAnswer
    }

    /// SHA-256 of the question's bytes.
    public let digest: [UInt8]
    /// The last moment at which the approval counts.
    public let expires: Timestamp
    /// The amounts that leave accounts, as they were shown.
    public let totals: [String]
    /// The answers with yes, sorted by key.
    public let yeses: [Yes]

    /// Makes an approval from answers that count; called by hubs and ledgers.
    package init(_ question: JointQuestion, _ answers: [JointAnswer], digest: [UInt8]) {
        self.digest = digest
        expires = question.binding.expires
        totals = question.totals
        yeses = answers.map { Yes(name: question.name(of: $0.publicKey) ?? "", answer: $0) }
    }
}
