// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningPolicy
import SigningService
import SigningStorage
import SigningTerminal

extension Workspace {
    /// Every limit of a policy, with what was counted of it.
    func limitRows(_ policy: TOMLPolicy) throws(CLIError) -> [LimitRow] {
        let ledger = try openLedger()
        let now = SystemEnvironment().now()
        return try CLIError.wrapping { () throws(LedgerError) in
            let time = max(now, try ledger.latestTime() ?? now)
            var rows: [LimitRow] = []
            for (rule, compiled) in policy.limits {
                var counters = [compiled.base]
                if !compiled.limit.scope.isEmpty {
                    counters = try ledger.counters(beginningWith: compiled.base + "[")
                }
                for counter in counters {
                    let claim = LimitClaim(
                        counter: counter, window: compiled.window(at: time),
                        maximum: compiled.limit.maximum, amount: 0)
                    let used = try ledger.used(claim, at: time)
                    rows.append(
                        LimitRow(
                            rule: rule, LimitTrace(compiled.limit, claim, used: used, at: time)))
                }
            }
            return rows
        }
    }
}

/// One limit with what was counted.
struct LimitRow {
    let rule: String
    let trace: LimitTrace

    init(rule: String, _ trace: LimitTrace) {
        self.rule = rule
        self.trace = trace
    }

    var text: String {
        let scope = trace.counter.firstIndex(of: "[").map { " \(trace.counter[$0...])" } ?? ""
        let reset = trace.resets.map { ", begins anew at \($0.utcText)" } ?? ""
        return "\(rule)\(VisibleText.escaped(scope)): \(trace.shown(trace.maximum)) \(trace.span): "
            + "\(trace.shown(trace.used)) used, \(trace.shown(trace.left)) left\(reset)"
    }

    var json: JSON {
        [
            "rule": .string(rule), "counter": .string(trace.counter),
            "window": .string(trace.span), "maximum": .string(String(trace.maximum)),
            "used": .string(String(trace.used)), "left": .string(String(trace.left)),
            "resets": trace.resets.map { .string($0.utcText) } ?? .null,
        ]
    }

    /// The same for the inbox.
    var bar: InboxLimit { InboxLimit(text, used: trace.used, of: trace.maximum) }
}
