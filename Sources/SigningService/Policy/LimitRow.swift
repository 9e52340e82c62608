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

    /// The counter with the name of its key, for people.
    private let namedCounter: String

    /// Returns every limit of a policy; limits that count separately have a row for each value.
    ///
    /// `accounts` give counters the names of their keys.
    package static func all(
        of policy: TOMLPolicy, in ledger: SQLiteLedger, accounts: [Account], at now: Timestamp
    ) throws(LedgerError) -> [LimitRow] {
        let names = Dictionary(
            accounts.map { (CompiledLimit.escaped($0.counterID), CompiledLimit.escaped($0.name)) },
            uniquingKeysWith: { first, _ in first })
        let time = max(now, try ledger.latestTime() ?? now)
        var rows: [LimitRow] = []
        for (owner, compiled) in policy.limits {
            for counter in try counters(of: compiled, names, in: ledger) {
                let claims = counter.stored.map { compiled.claim($0, as: counter.named, at: time) }
                guard let claim = claims.last else { continue }
                let used = { (now: Timestamp) throws(LedgerError) in
                    try Self.used(claims, in: ledger, at: now)
                }
                let trace = LimitTrace(compiled, claim, used: try used(time), at: time)
                rows.append(
                    LimitRow(
                        owner, trace, as: counter.named,
                        frees: try frees(claim, used, at: time),
                        separators: compiled.limit.scope.map(\.name)))
            }
        }
        return rows
    }

    /// One subject of a limit: its counter by the key's name, and those in the record.
    private struct Counter {
        let named: String
        var stored: [String]
    }

    /// The counters of a limit that were used, in order of their names; one if there are none.
    private static func counters(
        of limit: CompiledLimit, _ names: [String: String], in ledger: SQLiteLedger
    ) throws(LedgerError) -> [Counter] {
        guard let field = limit.limit.scope.first else {
            return [Counter(named: limit.base, stored: [limit.base])]
        }
        var counters: [String: Counter] = [:]
        for stored in try ledger.counters(beginningWith: limit.base + "[") {
            // The counter with a key's name, of an earlier version, comes before that with its id.
            let named = CompiledLimit.counter(stored) { names[String($0)] }
            let own = counters[named]?.stored ?? []
            counters[named] = Counter(
                named: named, stored: stored == named ? [stored] + own : own + [stored])
        }
        // A table that was edited may not have a maximum for each counter.
        let known = counters.values.filter { limit.maximum(of: $0.named) != nil }
            .sorted { $0.named < $1.named }
        guard known.isEmpty else { return known }
        // Before its first use, the limit has one row for every value.
        let each = "\(limit.base)[each \(field.name), at most]"
        let name = limit.limit.table == nil ? limit.base : each
        return [Counter(named: name, stored: [name])]
    }

    /// The uses of several counters together.
    private static func used(
        _ claims: [LimitClaim], in ledger: SQLiteLedger, at time: Timestamp
    ) throws(LedgerError) -> Int128 {
        var sum: Int128 = 0
        for claim in claims {
            let (next, hasOverflown) = sum.addingReportingOverflow(try ledger.used(claim, at: time))
            sum = hasOverflown ? .max : next
        }
        return sum
    }

    /// Makes the row of a limit as it was when a request was judged.
    ///
    /// `counter` is its counter with the name of the key; nil if it is that of the trace.
    package init(
        _ rule: String, _ trace: LimitTrace, as counter: String? = nil, frees: Timestamp? = nil,
        separators: [String] = []
    ) {
        namedCounter = counter ?? trace.counter
        self.rule = rule
        self.trace = trace
        self.frees = frees
        self.separators = separators
    }

    /// Returns the first second in which less of a sliding limit is used.
    ///
    /// It searches by halving: the used amount only shrinks as the window moves on.
    private static func frees(
        _ claim: LimitClaim, _ uses: (Timestamp) throws(LedgerError) -> Int128, at now: Timestamp
    ) throws(LedgerError) -> Timestamp? {
        let used = try uses(now)
        guard case .sliding(let seconds) = claim.window, used > 0 else { return nil }
        var (early, late) = (now.seconds, now.seconds + seconds)
        guard try uses(Timestamp(seconds: late)) < used else { return nil }
        while late - early > 1 {
            let middle = early + (late - early) / 2
            if try uses(Timestamp(seconds: middle)) < used {
                late = middle
            } else {
                early = middle
            }
        }
        return Timestamp(seconds: late)
    }

    /// The row as a line for people.
    public var text: String {
        let scope =
            namedCounter.firstIndex(of: "[").map { " \(namedCounter[$0...])" } ?? ""
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
            "counter": .string(namedCounter),
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
