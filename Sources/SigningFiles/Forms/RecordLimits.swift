// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The limits of questions to several approvers that other machines wrote into a shared ledger.
///
/// No question that this program writes exceeds them.
package enum JointLimits {
    /// The number of random bytes in a question.
    package static let nonceCount = 16
    /// The length of a SHA-256 digest in bytes.
    static let digestCount = 32
    /// The length of an Ed25519 public key in bytes.
    package static let keyCount = 32
    /// The length of an Ed25519 signature in bytes.
    package static let signatureCount = 64
    /// The maximum length in bytes of the name of an approver or a rule, and of the id of a key.
    package static let nameBytesMax = 64
    /// The maximum number of demands in one question: that of rules in a policy.
    static let demandsMax = 10_000
    /// The maximum number of approver keys in all homes of one owner.
    package static let ownKeysMax = 1_024
    /// The tolerated difference between the clocks of two machines, in seconds.
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

    /// Whether the question ends within the longest time that a rule can give approvers from `now`
    /// on; tolerates a clock that differs by `clockSeconds`.
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
    package var isPossible: Bool {
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
    /// True if key and signature have the right lengths; the signature is not verified.
    package var isPossible: Bool {
        publicKey.count == JointLimits.keyCount && signature.count == JointLimits.signatureCount
    }
}

extension Timestamp {
    /// True if the time is between 1970 and the end of the year 9999.
    package var isPossible: Bool { (0...Self.latestSecond).contains(seconds) }

    /// The last second of the year 9999.
    static let latestSecond: Int64 = 253_402_300_799

    /// The number of seconds from `now` until this time; 0 if this time is past.
    package func secondsLeft(at now: Timestamp) -> Int64 {
        let (left, hasOverflown) = seconds.subtractingReportingOverflow(now.seconds)
        return hasOverflown ? (seconds < now.seconds ? 0 : .max) : max(0, left)
    }
}
