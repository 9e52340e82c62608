// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension AgentConsent {
    var headline: Summary.Headline { .init(isGrant ? .authority : .flagged, phrase) }

    /// Every value of the message in a line, those of a known policy with words for a label.
    var lines: [Summary.Line] {
        [.init("consent", phrase)] + leaves.map(Self.line)
    }

    /// Warnings about rules that set no bound.
    var warnings: [String] {
        let rules = leaves.map { (Self.rule($0.path), $0.values) }
        func has(_ path: [String], _ values: [JSON]) -> Bool {
            rules.contains { $0.0 == path && $0.1 == values }
        }
        var warnings: [String] = []
        let spans = ["daily_usd", "weekly_usd", "monthly_usd"]
        let hasRules = rules.contains { $0.0 != nil }
        let isBounded = rules.contains { path, values in
            path?.first == "budget" && path.map { spans.contains($0.last ?? "") } == true
                && values != [.null]
        }
        if hasRules, !isBounded {
            warnings.append("the agent's rules set no bound in USD on what it may spend")
        }
        if has(["destinations", "mode"], ["any"]) {
            warnings.append("the agent may send to any address")
        }
        if has(["assets"], ["any"]) { warnings.append("the agent may spend every asset it has") }
        return warnings
    }

    private static let labels: [[String]: String] = [
        ["frozen"]: "agent is stopped", ["actions"]: "agent may",
        ["confidential"]: "agent may hide", ["owner_approval"]: "agent asks you",
        ["assets"]: "with assets", ["max_actions_per_hour"]: "actions an hour",
        ["destinations", "mode"]: "sends to", ["timelock_ms"]: "waits, in ms",
        ["budget", "daily_usd"]: "USD a day", ["budget", "weekly_usd"]: "USD a week",
        ["budget", "monthly_usd"]: "USD a month",
    ]
    private static let limits = [
        "per_transaction": "at most at once", "hourly": "at most an hour",
        "daily": "at most a day", "monthly": "at most a month",
    ]
    private static let unbounded = ["USD a day", "USD a week", "USD a month", "actions an hour"]

    /// Returns the path inside of a policy; nil for other members.
    private static func rule(_ path: [String]) -> [String]? {
        path.lastIndex(of: "policy").map { Array(path[($0 + 1)...]) }
    }

    private static func line(_ leaf: Leaf) -> Summary.Line {
        let texts = leaf.values.map { $0.text ?? String(decoding: $0.write(), as: UTF8.self) }
        guard let rule = rule(leaf.path) else { return said(leaf.path, texts) }
        if rule.count == 3, rule[0] == "limits", let label = limits[rule[1]] {
            return .init(label, "\(texts.joined(separator: ", ")) of \(rule[2])", by: .client)
        }
        guard let label = labels[rule] else { return said(leaf.path, texts) }
        if leaf.values == [.null], unbounded.contains(label) { return .init(label, "no bound") }
        return .init(label, parts: texts, by: .client)
    }

    /// A member without words of its own, with its path as the client wrote it.
    private static func said(_ path: [String], _ texts: [String]) -> Summary.Line {
        .init(
            "says", "\(path.joined(separator: ".")): \(texts.joined(separator: ", "))", by: .client)
    }
}
