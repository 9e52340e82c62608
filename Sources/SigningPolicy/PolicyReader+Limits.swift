// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// The most limits of one rule.
    static let limitCountMax = 16

    /// `limit = [{ count = 60, per = "1h" }]`.
    mutating func readLimits(_ node: TOMLNode) -> [CountLimit] {
        guard case .array(let items) = node.value, !items.isEmpty else {
            report.error(
                .limit, "limit takes a list such as [{ count = 60, per = \"1h\" }]",
                at: node.position)
            return []
        }
        guard items.count <= Self.limitCountMax else {
            report.error(
                .tooMuch, "a rule has \(Self.limitCountMax) limits at most", at: node.position)
            return []
        }
        var limits: [CountLimit] = []
        for item in items {
            guard let limit = readLimit(item) else { continue }
            if limits.contains(where: { $0.seconds == limit.seconds }) {
                report.error(
                    .limit, "another limit of the rule has the same window", at: item.position)
            }
            limits.append(limit)
        }
        return limits
    }

    private mutating func readLimit(_ node: TOMLNode) -> CountLimit? {
        guard case .table(let members) = node.value else {
            report.error(
                .limit, "a limit is a table such as { count = 60, per = \"1h\" }",
                at: node.position)
            return nil
        }
        var count: Int64?
        var seconds: Int64?
        for member in members {
            switch member.key {
            case "count": count = readLimitCount(member)
            case "per": seconds = readWindow(member)
            default:
                report.error(
                    .unknownKey, "unknown key \(quoted(member.key)) in a limit",
                    at: member.keyPosition,
                    suggestion: Suggestion.closest(to: member.key, among: ["count", "per"]))
            }
        }
        for key in ["count", "per"] where !members.contains(where: { $0.key == key }) {
            report.error(.missingKey, "the limit has no \"\(key)\"", at: node.position)
        }
        guard let count, let seconds else { return nil }
        return CountLimit(count: count, seconds: seconds)
    }

    private mutating func readLimitCount(_ node: TOMLNode) -> Int64? {
        guard case .integer(let count) = node.value, count >= 1 else {
            report.error(.limit, "count takes an integer of at least 1", at: node.position)
            return nil
        }
        return count
    }

    private mutating func readWindow(_ node: TOMLNode) -> Int64? {
        guard case .text(let text) = node.value, let seconds = WrittenDuration.seconds(of: text),
            seconds >= 1
        else {
            report.error(
                .limit, "per takes a duration such as \"90s\", \"5m\", \"1h\" or \"1d\"",
                at: node.position)
            return nil
        }
        return seconds
    }

    mutating func readOnExceed(_ node: TOMLNode, hasLimit: Bool) -> RuleEffect? {
        if !hasLimit {
            report.error(
                .notHere, "\"on_exceed\" says nothing in a rule without a limit",
                at: node.keyPosition)
        }
        switch node.value {
        case .text("ask"): return .ask
        case .text("deny"): return .deny
        default:
            report.error(.limit, "on_exceed must be \"ask\" or \"deny\"", at: node.position)
            return nil
        }
    }
}
