// SPDX-License-Identifier: Apache-2.0
public import SigningCore

/// Why a policy says what it says about one request.
public struct PolicyExplanation: Hashable, Sendable {
    /// What the policy says.
    public let judgement: Judgement
    /// What became of every rule, for every operation, sorted by operation and rule id.
    public let rules: [RuleTrace]
    /// What was flagged, each with the allow rules that match and acknowledge it, sorted by id.
    public let dangers: [DangerTrace]
    /// Whether some operation was left to the default.
    public let usedDefault: Bool
    /// The file's name as it was given.
    public let file: String

    /// The hash of the policy, 32 bytes.
    public var policyHash: [UInt8] { judgement.policyHash }
}

/// A flag of the request, and who covers it.
public struct DangerTrace: Hashable, Sendable {
    /// The flag.
    public let danger: Danger
    /// The ids of the allow rules that match and name it.
    public let acknowledgedBy: [String]
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
        /// It is out of force for good.
        case expired
        /// It is outside its hours or days; the next time within a week at which it is not.
        case closed(until: Timestamp?)
        /// It has hours, days or an end, and the clock is behind the latest time on record.
        case clockBehind
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
    /// The most that may be used in a window, in smallest units.
    public let maximum: Int128
    /// What was used before this request.
    public let used: Int128
    /// What this operation would use.
    public let asked: Int128
    /// When a calendar window begins anew; nil for sliding windows and for ever.
    public let resets: Timestamp?
    /// The unit of the amounts; nil for counts.
    let field: PolicyField?
    /// The window in words, such as `per 1h`.
    package let span: String

    package init(_ limit: PolicyLimit, _ claim: LimitClaim, used: Int128, at time: Timestamp) {
        counter = claim.counter
        maximum = limit.maximum
        self.used = used
        asked = claim.amount
        if case .sum(let field) = limit.measure { self.field = field } else { field = nil }
        resets = limit.window.end(at: time)
        span = limit.window.text
    }

    /// What is left for this request; never negative.
    public var left: Int128 {
        let (rest, overflow) = maximum.subtractingReportingOverflow(used)
        return overflow ? 0 : max(0, rest)
    }

    /// An amount of the limit, for people.
    ///
    /// An amount is rounded; what is exact stands in smallest units beside it.
    package func shown(_ amount: Int128) -> String {
        if case .amount(let unit)? = field?.type { return unit.roundedText(of: amount) }
        return field?.shown(amount) ?? String(amount)
    }
}

extension PolicyLimit.Window {
    /// When it begins anew; nil where it never does at once.
    package func end(at time: Timestamp) -> Timestamp? {
        guard case .calendar(let unit, let zone) = self else { return nil }
        return unit.end(at: time, in: zone)
    }

    /// As a person says it: `per 1h`, `per day (UTC)`, `in all`.
    package var text: String {
        switch self {
        case .sliding(let seconds): "per \(WrittenDuration.text(of: seconds))"
        case .calendar(let unit, let zone): "per \(unit.rawValue) (\(zone.name))"
        case .ever: "in all"
        }
    }
}
