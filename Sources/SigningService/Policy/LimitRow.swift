// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
public import SigningCore
public import SigningPolicy
package import SigningStorage

/// One limit of a policy with its used amount.
public struct LimitRow: Sendable {
    /// The id of the rule, or `budget` and the name of the budget.
    public let rule: String
    /// The limit with its maximum, used amount and rest, in smallest units.
    public let trace: LimitTrace
    /// The time at which the next part of a sliding limit becomes free; nil if it is unused.
    public let frees: Timestamp?
    /// The names of the fields by whose values the limit counts separately.
    package let separators: [String]

    /// Returns every limit of a policy; limits that count separately have a row for each value.
    package static func all(
        of policy: TOMLPolicy, in ledger: SQLiteLedger, at now: Timestamp
    ) throws(LedgerError) -> [LimitRow] {
        let time = max(now, try ledger.latestTime() ?? now)
        var rows: [LimitRow] = []
        for (owner, compiled) in policy.limits {
            var counters = [compiled.base]
            if !compiled.limit.scope.isEmpty {
                let used = try ledger.counters(beginningWith: compiled.base + "[")
                // Before its first use, the limit has one row for every value.
                if !used.isEmpty { counters = used }
            }
            if let field = compiled.limit.scope.first, compiled.limit.table != nil {
                // A table that was edited may not have a maximum for each counter.
                counters = counters.filter { compiled.maximum(of: $0) != nil }
                if counters.isEmpty {
                    counters = ["\(compiled.base)[each \(field.name), at most]"]
                }
            }
            for counter in counters {
                let maximum = compiled.maximum(of: counter) ?? compiled.limit.maximum
                let claim = LimitClaim(
                    counter: counter, window: compiled.window(at: time), maximum: maximum,
                    amount: 0)
                let used = try ledger.used(claim, at: time)
                let trace = LimitTrace(compiled, claim, used: used, at: time)
                rows.append(
                    LimitRow(
                        owner, trace, frees: try frees(claim, used, in: ledger, at: time),
                        separators: compiled.limit.scope.map(\.name)))
            }
        }
        return rows
    }

    /// Makes the row of a limit as it was when a request was judged.
    package init(
        _ rule: String, _ trace: LimitTrace, frees: Timestamp? = nil, separators: [String] = []
    ) {
        self.rule = rule
        self.trace = trace
        self.frees = frees
        self.separators = separators
    }

    /// Returns the first second in which less of a sliding limit is used.
    ///
    /// It searches by halving: the used amount only shrinks as the window moves on.
    private static func frees(
        _ claim: LimitClaim, _ used: Int128, in ledger: SQLiteLedger, at now: Timestamp
    ) throws(LedgerError) -> Timestamp? {
        guard case .sliding(let seconds) = claim.window, used > 0 else { return nil }
        var (early, late) = (now.seconds, now.seconds + seconds)
        guard try ledger.used(claim, at: Timestamp(seconds: late)) < used else { return nil }
        while late - early > 1 {
            let middle = early + (late - early) / 2
            if try ledger.used(claim, at: Timestamp(seconds: middle)) < used {
                late = middle
            } else {
                early = middle
            }
        }
        return Timestamp(seconds: late)
    }

    /// The row as a line for people.
    public var text: String {
        let scope = trace.counter.firstIndex(of: "[").map { " \(trace.counter[$0...])" } ?? ""
        let reset = trace.resets.map { ", starts again at \($0.utcText)" } ?? ""
        let next =
            trace.left == 0 ? frees.map { ", some is free again at \($0.utcText)" } ?? "" : ""
        let (maximum, used) = (trace.shown(trace.maximum), trace.shown(trace.used))
        let state =
            trace.budget != nil
            ? "\(used) of \(maximum) used \(trace.span)" : "\(maximum) \(trace.span): \(used) used"
        return "\(rule)\(VisibleText.escaped(scope)): \(state), \(trace.shown(trace.left)) left"
            + "\(reset)\(next)"
    }

    /// The row for programs; amounts are in smallest units, and in `shown` for people.
    package var json: JSON {
        [
            "rule": .string(rule), "budget": trace.budget.map { .string($0) } ?? .null,
            "counter": .string(trace.counter),
            "window": .string(trace.span), "maximum": .string(String(trace.maximum)),
            "used": .string(String(trace.used)), "left": .string(String(trace.left)),
            "resets": trace.resets.map { .string($0.utcText) } ?? .null,
            "frees": frees.map { .string($0.utcText) } ?? .null,
            "shown": [
                "maximum": .string(trace.shown(trace.maximum)),
                "used": .string(trace.shown(trace.used)),
                "left": .string(trace.shown(trace.left)),
            ],
        ]
    }
}
