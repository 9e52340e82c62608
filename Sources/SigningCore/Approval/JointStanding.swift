// SPDX-License-Identifier: Apache-2.0

/// Why an answer to a question counts for nothing.
public enum JointAnswerError: String, Error, Hashable, Sendable, CaseIterable {
    /// No rule asks the holder of this key.
    case stranger
    /// The key was retired.
    case retired
    /// The key lies in the home that was asked, and no rule lets that count.
    case ownRequest
    /// The question poses as what it is not.
    case ambiguous
    /// The signature is not the key's over this question: it is for another one, or an earlier
    /// one, or for another policy, or forged.
    case unsigned
    /// The question had expired.
    case late
    /// The same person answered before.
    case repeated
    /// There is no such question that still waits.
    case gone

    /// The same in words.
    public var text: String {
        switch self {
        case .stranger: "no rule asks the holder of this key"
        case .retired: "the key of this approver was retired"
        case .ownRequest: "nobody approves what was asked of the own home"
        case .ambiguous: "the question poses as what it is not"
        case .unsigned: "the signature is not this approver's over this question"
        case .late: "the question has expired"
        case .repeated: "this approver has answered already"
        case .gone: "no such question waits: it was used, denied, taken back or never put here"
        }
    }
}

/// What answers are checked by.
public struct JointCheck: Sendable {
    /// SHA-256 of the question's bytes.
    public let digest: [UInt8]
    /// The keys that were retired.
    public let retired: Set<[UInt8]>
    /// The keys that count as the asking home's beside those that the question names.
    public let own: Set<[UInt8]>
    /// Whether statements of older programs count: for what is on record already.
    public let acceptsOlder: Bool
    /// When an answer is looked at.
    public let now: Timestamp
    /// Whether a signature is the key's over a message.
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

/// How a question stands.
public enum JointStanding: Hashable, Sendable {
    /// More have to say yes; the names of those who did.
    case open([String])
    /// Enough said yes; these.
    case approved([JointAnswer])
    /// Somebody said no, which ends it; the name.
    case refused(by: String)
}

extension JointQuestion {
    /// Why nothing counts that this person says; nil where it would.
    public func fault(
        ofSaying isYes: Bool, by publicKey: [UInt8], retired: Set<[UInt8]>, own: Set<[UInt8]> = []
    ) -> JointAnswerError? {
        let asked = demands.filter { $0.members.contains { $0.key == publicKey } }
        guard !asked.isEmpty else { return .stranger }
        guard !retired.contains(publicKey) else { return .retired }
        guard !isYes || isOfOneKind else { return .ambiguous }
        // A no may come from anybody who is asked.
        let isOwn = ownKeys.contains(publicKey) || own.contains(publicKey)
        return !isYes || !isOwn || asked.contains(where: \.submitterMayApprove)
            ? nil : .ownRequest
    }

    /// Why an answer counts for nothing; nil where it counts.
    public func fault(of answer: JointAnswer, by check: JointCheck) -> JointAnswerError? {
        let isYes = answer.isYes
        let key = answer.publicKey
        if let fault = fault(ofSaying: isYes, by: key, retired: check.retired, own: check.own) {
            return fault
        }
        let kinds = check.acceptsOlder ? [kind, .older] : [kind]
        let isSigned = kinds.contains { kind in
            let message = statement(digest: check.digest, isYes: isYes, by: key, of: kind)
            return check.isSigned(answer.signature, message, key)
        }
        guard isSigned else { return .unsigned }
        return check.now <= binding.expires ? nil : .late
    }

    /// How it stands by these answers; those that count for nothing are passed over.
    public func standing(of answers: [JointAnswer], by check: JointCheck) -> JointStanding {
        var counted: [[UInt8]: JointAnswer] = [:]
        for answer in answers where fault(of: answer, by: check) == nil {
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
