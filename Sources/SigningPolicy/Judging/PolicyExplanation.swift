// SPDX-License-Identifier: Apache-2.0
public import SigningCore

/// The reasons for a policy's verdict on one request.
public struct PolicyExplanation: Hashable, Sendable {
    /// The verdict of the policy.
    public let judgement: Judgement
    /// The result of every rule for every operation, sorted by operation and rule id.
    public let rules: [RuleTrace]
    /// The dangers found, each with the allow rules that match and acknowledge it, sorted by id.
    public let dangers: [DangerTrace]
    /// True if the default decided at least one operation.
    public let usedDefault: Bool
    /// The file's name as the caller gave it.
    public let file: String

    /// The hash of the policy, 32 bytes.
    public var policyHash: [UInt8] { judgement.policyHash }
}

/// A danger of the request, and the rules that acknowledge it.
public struct DangerTrace: Hashable, Sendable {
    /// The danger.
    public let danger: Danger
    /// The ids of the allow rules that match and acknowledge the danger.
    public let acknowledgedBy: [String]
}

/// The result of one rule for one operation.
public struct RuleTrace: Hashable, Sendable {
    /// The stage at which the evaluation of the rule ended.
    public enum State: Hashable, Sendable {
        /// All conditions hold.
        case matched
        /// The first condition that does not hold.
        case unmatched(field: String, actual: String, wanted: String)
        /// The condition `all` or `any` on these fields does not hold for the operations.
        case unmatchedBatch(String, fields: [String])
        /// Every condition holds or is unknown; these fields are absent or of a doubtful type.
        case unknown(fields: [String])
        /// The conditions of `unless` hold.
        case excepted
        /// The rule matches and does not acknowledge these dangers.
        case unacknowledged([Danger])
        /// The rule has expired.
        case expired
        /// The time is outside the rule's hours or days; `until` is the next time within a week at
        /// which the rule is open.
        case closed(until: Timestamp?)
        /// The rule has hours, days or an end, and the clock is behind the latest time on record.
        case clockBehind
    }

    /// Before the id of an asset, among unknown fields: a budget in a common unit lacks its rate.
    package static let missingRate = "rate for "

    /// The rule's id.
    public let rule: String
    /// `allow`, `ask` or `deny`.
    public let effect: String
    /// The line of the file at which the rule begins.
    public let line: Int
    /// The operation's number, from 0; nil for a request without operations.
    public let operation: Int?
    /// The stage at which the evaluation ended.
    public let state: State
    /// True if the rule contributed to the verdict.
    public let fires: Bool
    /// The rule's limits, if it covers the operation.
    public let limits: [LimitTrace]
}

/// The state of one limit in the snapshot.
public struct LimitTrace: Hashable, Sendable {
    /// The id of the counter.
    public let counter: String
    /// The name of the budget; nil for a limit of a rule.
    public let budget: String?
    /// The most that may be used in a window, in smallest units.
    public let maximum: Int128
    /// The amount used before this request.
    public let used: Int128
    /// The amount that earlier operations of this request would use.
    public let earlier: Int128
    /// The amount that this operation would use.
    public let asked: Int128
    /// The time at which the next calendar window begins; nil for sliding windows and for limits
    /// without a window.
    public let resets: Timestamp?
    /// The field with the unit of the amounts; nil for counts.
    let field: PolicyField?
    /// The window in words, such as `per 1h`.
    package let span: String

    /// Makes the state of a claim; its maximum leaves out what was used by the name of a key.
    package init(
        _ compiled: CompiledLimit, _ claim: LimitClaim, used: Int128, byName: Int128 = 0,
        earlier: Int128 = 0, at time: Timestamp
    ) {
        let limit = compiled.limit
        counter = claim.counter
        budget = compiled.budget?.name
        maximum = claim.maximum + byName
        self.used = used.addingReportingOverflow(byName).overflow ? .max : used + byName
        self.earlier = earlier
        asked = claim.amount
        field = limit.shownField
        resets = limit.window.end(at: time)
        span = limit.window.text
    }

    /// The amount left for this operation; never negative.
    public var left: Int128 {
        let (rest, overflow) = maximum.subtractingReportingOverflow(used)
        return overflow ? 0 : max(0, rest - min(rest, earlier))
    }

    /// The effect of a yes on the budget, in words.
    var question: String {
        let rest = "the \(shown(left)) left (\(shown(maximum)) \(span))"
        return "\(budget ?? ""): "
            + (asked > left
                ? "\(shown(asked)) is above \(rest), and not counted"
                : "this uses \(shown(asked)) of \(rest)")
    }

    /// An amount of the limit, rounded for people.
    package func shown(_ amount: Int128) -> String {
        if case .amount(let unit)? = field?.type { return unit.roundedText(of: amount) }
        return field?.shown(amount) ?? String(amount)
    }
}

extension PolicyLimit.Window {
    /// The time at which the next window begins; nil for windows without a fixed end.
    package func end(at time: Timestamp) -> Timestamp? {
        guard case .calendar(let unit, let zone) = self else { return nil }
        return unit.end(at: time, in: zone)
    }

    /// The window in words: `per 1h`, `per day (UTC)`, `in all`.
    package var text: String {
        switch self {
        case .sliding(let seconds): "per \(WrittenDuration.text(of: seconds))"
        case .calendar(let unit, let zone): "per \(unit.rawValue) (\(zone.name))"
        case .ever: "in all"
        }
    }
}

extension Judgement {
    /// The verdict with its delay, such as `allow after 1h`.
    package var words: String { Self.words(verdict.name, after: delay) }

    package static func words(_ verdict: String, after delay: Int64) -> String {
        verdict + (delay > 0 ? " after \(WrittenDuration.text(of: delay))" : "")
    }
}
