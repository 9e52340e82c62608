// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension AgentConsent {
    var headline: Summary.Headline { .init(meaning.gravity, meaning.phrase) }

    /// Every value of the message in a line, those of a known policy with words for a label.
    ///
    /// The words of the consent are left out if the reader is not the one who signs.
    func lines(isOwn: Bool) -> [Summary.Line] {
        let title =
            isOwn
            ? Summary.Line("consent", meaning.phrase)
            : Summary.Line("consent", purpose, by: .client)
        return [title] + leaves.map(line)
    }

    /// Warnings about rules that set no bound.
    var warnings: [String] {
        // A policy at another place bounds nothing, but what it allows is warned about.
        let rules = leaves.filter { $0.path.contains("policy") }
        func has(_ path: [String], _ values: [JSON]) -> Bool {
            rules.contains { $0.path.suffix(path.count) == path[...] && $0.values == values }
        }
        var warnings: [String] = []
        let hasRules = !rules.isEmpty || purpose == "budget_set"
        let isBounded = leaves.contains { leaf in
            Self.spans.contains { rule(leaf.path) == ["budget", $0] }
                && Self.isBound(leaf.values)
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
        ["confidential"]: "agent may hide", ["owner_approval"]: "asks its owner",
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

    /// The purposes whose messages have a policy, as a member of the message itself.
    private static let withPolicy = ["agent_create", "policy_update"]

    private static let spans = ["daily_usd", "weekly_usd", "monthly_usd"]

    /// Returns the path inside of the policy; nil for other members.
    private func rule(_ path: [String]) -> [String]? {
        if purpose == "budget_set", path.count == 1, Self.spans.contains(path[0]) {
            return ["budget"] + path
        }
        guard Self.withPolicy.contains(purpose), path.first == "policy" else { return nil }
        return Array(path.dropFirst())
    }

    /// Returns true for one amount, as digits with or without quotes.
    private static func isBound(_ values: [JSON]) -> Bool {
        guard values.count == 1 else { return false }
        let text = values[0].text ?? String(decoding: values[0].write(), as: UTF8.self)
        let isPlain = text.allSatisfy { "0123456789.".contains($0) }
        return isPlain && Double(text) != nil
    }

    private func line(_ leaf: Leaf) -> Summary.Line {
        let texts =
            leaf.values.isEmpty
            ? ["[]"] : leaf.values.map { $0.text ?? String(decoding: $0.write(), as: UTF8.self) }
        guard let rule = rule(leaf.path) else { return Self.said(leaf.path, texts) }
        if rule.count == 3, rule[0] == "limits", let label = Self.limits[rule[1]] {
            return .init(label, "\(texts.joined(separator: ", ")) of \(rule[2])", by: .client)
        }
        guard let label = Self.labels[rule] else { return Self.said(leaf.path, texts) }
        if leaf.values == [.null], Self.unbounded.contains(label) {
            return .init(label, "no bound")
        }
        return .init(label, parts: texts, by: .client)
    }

    /// A member without words of its own, with its path as the client wrote it.
    private static func said(_ path: [String], _ texts: [String]) -> Summary.Line {
        .init(
            "says", "\(path.joined(separator: ".")): \(texts.joined(separator: ", "))", by: .client)
    }
}
