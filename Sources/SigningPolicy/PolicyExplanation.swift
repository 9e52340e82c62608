// SPDX-License-Identifier: Apache-2.0
public import SigningCore

/// Why a policy says what it says about one request.
public struct PolicyExplanation: Hashable, Sendable {
    /// What the policy says.
    public let judgement: Judgement
    /// What became of every rule, for every operation, sorted by operation and rule id.
    public let rules: [RuleTrace]
    /// Whether some operation was left to the default.
    public let usedDefault: Bool
    /// The file's name as it was given.
    public let file: String

    /// The hash of the policy, 32 bytes.
    public var policyHash: [UInt8] { judgement.policyHash }
}

/// What became of one rule for one operation.
public struct RuleTrace: Hashable, Sendable {
    /// How far the rule came.
    public enum State: Hashable, Sendable {
        /// All conditions hold.
        case matched
        /// The first condition that does not hold.
        case unmatched(field: String, actual: String, wanted: String)
        /// No condition fails, but these fields are absent or of a doubtful type.
        case unknown(fields: [String])
        /// Its `unless` holds.
        case excepted
        /// It matches and does not name these dangers.
        case unacknowledged([Danger])
        /// It is out of force.
        case expired
    }

    /// The rule's id.
    public let rule: String
    /// `allow`, `ask` or `deny`.
    public let effect: String
    /// The line the rule stands at.
    public let line: Int
    /// The operation's number, from 0; nil for a request without operations.
    public let operation: Int?
    /// How far it came.
    public let state: State
    /// Whether the rule had a say.
    public let fires: Bool
    /// Its limits, where it covers the operation.
    public let limits: [LimitTrace]
}

/// One limit as the snapshot shows it.
public struct LimitTrace: Hashable, Sendable {
    /// The counter's identity.
    public let counter: String
    /// The most operations in a window.
    public let maximum: Int128
    /// The window in seconds.
    public let windowSeconds: Int64
    /// What was used before this request.
    public let used: Int128

    /// What is left for this request; never negative.
    public var left: Int128 {
        let (rest, overflow) = maximum.subtractingReportingOverflow(used)
        return overflow ? 0 : max(0, rest)
    }
}
