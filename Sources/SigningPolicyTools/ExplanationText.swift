// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
public import SigningPolicy

extension PolicyExplanation {
    /// The explanation for a terminal: plain lines, safe to print.
    public var text: String {
        var rows = ["verdict: \(judgement.words)"]
        rows += judgement.verdict.reasons.map { "  because \(VisibleText.escaped($0.text))" }
        rows += judgement.demands.map {
            "  approvers of \($0.rule): \($0.text), within \(WrittenDuration.text(of: $0.seconds))"
        }
        var last: Int?
        for trace in rules {
            if let operation = trace.operation, operation != last {
                rows.append("operation \(operation + 1):")
                last = operation
            }
            rows.append("  \(trace.rule) (\(trace.effect), \(file):\(trace.line)): \(trace.words)")
            rows += trace.limits.map { "    \($0.words)" }
        }
        rows += dangers.map { trace in
            let rules = trace.acknowledgedBy.joined(separator: ", ")
            return "danger \(trace.danger): "
                + (rules.isEmpty ? "acknowledged by no rule" : "acknowledged by \(rules)")
        }
        rows.append("default: \(usedDefault ? "used" : "not used")")
        rows.append("policy: \(Hex.encode(policyHash.span))")
        return rows.joined(separator: "\n")
    }

    /// The explanation as one JSON object; numbers that may be large are written as text.
    public var json: String {
        var members: [String: JSONValue] = [
            "verdict": .text(judgement.verdict.name),
            "reasons": .array(
                judgement.verdict.reasons.map { $0.json(isDenial: judgement.verdict.isDenial) }),
            "rules": .array(rules.map(\.json)),
            "dangers": .array(
                dangers.map { trace in
                    .object([
                        "danger": .text(trace.danger.name),
                        "acknowledged_by": .array(trace.acknowledgedBy.map { .text($0) }),
                    ])
                }),
            "default_used": .bool(usedDefault),
            "policy_hash": .text(Hex.encode(policyHash.span)),
            "file": .text(file),
        ]
        if judgement.delay > 0 { members["delay"] = .integer(Int(judgement.delay)) }
        if !judgement.demands.isEmpty {
            members["approvers"] = .array(judgement.demands.map(\.json))
        }
        return JSONValue.object(members).written
    }
}

extension ApproverDemand {
    fileprivate var json: JSONValue {
        .object([
            "rule": .text(rule), "min": .integer(minimum),
            "of": .array(members.map(\.name).sorted().map { .text($0) }),
            "within": .integer(Int(seconds)),
            "submitter_may_approve": .bool(submitterMayApprove),
        ])
    }
}

extension RuleTrace {
    private static func words(ofUnknown fields: [String]) -> String {
        let isRate = { (name: String) in name.hasPrefix(missingRate) }
        let others = fields.filter { !isRate($0) }
        let rates = fields.filter(isRate).map { "its budget has no \($0)" }
        let unknown = others.isEmpty ? [] : ["unknown \(others.joined(separator: ", "))"]
        return (rates + unknown).joined(separator: ", ")
    }

    private var isUsedUp: Bool { limits.contains { $0.asked > $0.left } }

    fileprivate var words: String {
        switch state {
        case .matched: isUsedUp ? "matches, but a limit has no room" : "matches"
        case .unmatched(let field, let actual, let wanted):
            "no match: \(field) is \(actual), wanted \(wanted)"
        case .unmatchedBatch(let quantifier, let fields):
            "no match: \"\(quantifier)\" does not hold for the operations: "
                + fields.joined(separator: ", ")
        case .unknown(let fields):
            "\(fires ? "applies, because a match cannot be ruled out" : "no match"): "
                + Self.words(ofUnknown: fields)
        case .excepted: "no match: its \"unless\" applies"
        case .unacknowledged(let dangers):
            "matches, but does not acknowledge \(dangers.map(\.name).joined(separator: ", "))"
        case .expired: "expired"
        case .closed(let opening):
            "outside its hours" + (opening.map { ", until \($0.utcText)" } ?? "")
        case .clockBehind: "closed: the clock is behind the latest time on record"
        }
    }

    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "rule": .text(rule), "effect": .text(effect), "line": .integer(line),
            "fires": .bool(fires), "limits": .array(limits.map(\.json)),
        ]
        if let operation { members["operation"] = .integer(operation) }
        switch state {
        case .matched: members["state"] = .text("matched")
        case .unmatched(let field, let actual, let wanted):
            members["state"] = .text("unmatched")
            members["field"] = .text(field)
            members["actual"] = .text(actual)
            members["wanted"] = .text(wanted)
        case .unmatchedBatch(let quantifier, let fields):
            members["state"] = .text("unmatched")
            members["operations"] = .text(quantifier)
            members["fields"] = .array(fields.map { .text($0) })
        case .unknown(let fields):
            members["state"] = .text("unknown")
            members["fields"] = .array(fields.map { .text($0) })
        case .excepted: members["state"] = .text("excepted")
        case .unacknowledged(let dangers):
            members["state"] = .text("unacknowledged")
            members["dangers"] = .array(dangers.map { .text($0.name) })
        case .expired: members["state"] = .text("expired")
        case .closed(let opening):
            members["state"] = .text("closed")
            if let opening { members["opens"] = .text(opening.utcText) }
        case .clockBehind: members["state"] = .text("clock_behind")
        }
        return .object(members)
    }
}

extension LimitTrace {
    fileprivate var words: String {
        let state =
            budget.map { "budget \($0): \(shown(used)) of \(shown(maximum)) used \(span)" }
            ?? "limit \(shown(maximum)) \(span): \(shown(used)) used"
        let before = earlier > 0 ? ", \(shown(earlier)) by operations before" : ""
        return "\(state)\(before), \(shown(asked)) asked, \(shown(left)) left"
            + (resets.map { ", starts again at \($0.utcText)" } ?? "")
    }

    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "counter": .text(counter), "maximum": .text(String(maximum)),
            "window": .text(span), "used": .text(String(used)), "asked": .text(String(asked)),
            "left": .text(String(left)),
        ]
        if earlier > 0 { members["earlier"] = .text(String(earlier)) }
        if let budget { members["budget"] = .text(budget) }
        if let resets { members["resets"] = .text(resets.utcText) }
        return .object(members)
    }
}

extension Reason {
    /// The reason as JSON; only a denial has a code.
    fileprivate func json(isDenial: Bool) -> JSONValue {
        var members: [String: JSONValue] = ["text": .text(text)]
        if isDenial { members["code"] = .text(code.rawValue) }
        if let rule { members["rule"] = .text(rule) }
        return .object(members)
    }
}

extension Verdict {
    fileprivate var isDenial: Bool {
        if case .deny = self { true } else { false }
    }
}
