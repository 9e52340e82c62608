// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The limits of a question to several approvers from another machine: no policy or hub of this
/// program can exceed them.
package enum JointLimits {
    /// The random bytes of a question.
    static let nonceCount = 16
    /// The length of a SHA-256 digest in bytes.
    static let digestCount = 32
    /// The lengths of an Ed25519 public key and of a signature in bytes.
    static let keyCount = 32
    static let signatureCount = 64
    /// The longest name of an approver or a rule, and the longest id of a key, in bytes.
    static let nameBytesMax = 64
    /// The most demands of one question: the maximum number of rules in a policy.
    static let demandsMax = 10_000
    /// The most approver keys of all hubs of one owner.
    static let ownKeysMax = 1_024
    /// The largest difference between the clocks of two machines, in seconds, before a question
    /// seems to end too late.
    static let clockSeconds: Int64 = 3_600
}

extension JointQuestion {
    /// True if a hub can have written the question: all lengths and numbers are within their
    /// limits.
    package var isPossible: Bool {
        binding.isPossible && text.utf8.count <= Self.textBytesMax
            && (1...JointLimits.demandsMax).contains(demands.count)
            && demands.allSatisfy(\.isPossible)
            && ownKeys.count <= JointLimits.ownKeysMax
            && ownKeys.allSatisfy { $0.count == JointLimits.keyCount }
    }

    /// Whether the question ends within the longest time that a rule can give, seen from `now`.
    package func endsInTime(after now: Timestamp) -> Bool {
        let longest = ApproverDemand.secondsRange.upperBound + JointLimits.clockSeconds
        return binding.expires <= now.adding(seconds: longest)
    }
}

extension ApprovalBinding {
    fileprivate var isPossible: Bool {
        nonce.count == JointLimits.nonceCount && requestDigest.count == JointLimits.digestCount
            && policyHash.count == JointLimits.digestCount && expires.isPossible
            && keys.allSatisfy { (1...JointLimits.nameBytesMax).contains($0.text.utf8.count) }
    }
}

extension ApproverDemand {
    /// True if a policy can contain the demand.
    var isPossible: Bool {
        (1...Self.membersMax).contains(members.count) && (1...members.count).contains(minimum)
            && Self.secondsRange.contains(seconds)
            && (1...JointLimits.nameBytesMax).contains(rule.utf8.count)
            && members.allSatisfy { member in
                member.key.count == JointLimits.keyCount
                    && (1...JointLimits.nameBytesMax).contains(member.name.utf8.count)
            }
    }
}

extension JointAnswer {
    /// True if an approver can have signed the answer.
    var isPossible: Bool {
        publicKey.count == JointLimits.keyCount && signature.count == JointLimits.signatureCount
    }
}

extension Timestamp {
    /// True if a clock can show the time: from 1970 to the end of the year 9999.
    var isPossible: Bool { (0...Self.latestSecond).contains(seconds) }

    /// The last second of the year 9999.
    static let latestSecond: Int64 = 253_402_300_799

    /// The seconds left at `now`; 0 if the question is over.
    package func secondsLeft(at now: Timestamp) -> Int64 {
        let (left, hasOverflown) = seconds.subtractingReportingOverflow(now.seconds)
        return hasOverflown ? (seconds < now.seconds ? 0 : .max) : max(0, left)
    }
}
