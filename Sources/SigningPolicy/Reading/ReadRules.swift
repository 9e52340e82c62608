// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// The keys of a rule that are not conditions.
    static let ruleKeys = [
        "id", "effect", "unless", "acknowledge", "limit", "on_exceed", "expires", "hours", "days",
        "tz", "approvers", "budget", "all", "any", "delay",
    ]
    /// The shortest and the longest delay of a rule, in seconds: one week.
    static let delayRange: ClosedRange<Int64> = 1...604_800
    /// The longest id of a rule, in bytes.
    static let ruleIDMax = 64

    /// Reads one rule; nil if its id cannot be read.
    mutating func readRule(_ node: TOMLNode) -> PolicyRule? {
        guard case .table(let members) = node.value else { return nil }
        let parts = Dictionary(members.map { ($0.key, $0) }) { first, _ in first }
        let id = readID(parts["id"], in: node)
        let effect = readEffect("effect", parts, node, .effect)
        let scope = readScope(parts["protocol"])
        let fields = members.filter { !Self.ruleKeys.contains($0.key) && $0.key != "protocol" }
        let written =
            (scope.condition(at: parts["protocol"]).map { [$0] } ?? [])
            + readConditions(fields, scope: scope)
        let pinned = pinned(written, by: parts, scope, effect ?? .allow)
        let acknowledged = parts["acknowledge"].map { readDangers($0, scope) }
        let zone = parts["tz"].flatMap { readZone($0) }
        let batch = readBatch(parts, scope)
        let exceptions = parts["unless"].map { readExceptions($0, scope, zone, parts["tz"]) }
        var context = LimitContext(
            scope: scope, zone: zone, conditions: pinned, acknowledged: acknowledged ?? [])
        let limits = parts["limit"].map { readLimits($0, context) }
        let conditions = tabled(pinned, by: limits ?? [], at: parts["limit"])
        context.conditions = conditions
        let budgets = parts["budget"].map { readDrawing($0, context, effect: effect) }
        let onExceed = readOnExceed(parts["on_exceed"], effect, hasLimit: limits != nil)
        let expires = parts["expires"].flatMap { readExpiry($0) }
        let schedule = readSchedule(
            hours: parts["hours"], days: parts["days"], zone: zone, tz: parts["tz"])
        let demand = parts["approvers"].flatMap { readDemand($0, of: id) }
        guard let id, let effect else { return nil }
        if effect != .ask, let node = parts["approvers"] {
            report.error(.notHere, "\"approvers\" is for ask rules only", at: node.keyPosition)
        }
        if effect != .allow {
            refuseOutsideAllow([
                parts["acknowledge"], parts["limit"], parts["on_exceed"], parts["delay"],
            ])
        }
        let delay = parts["delay"].flatMap { readDelay($0, .wrongValue) } ?? 0
        let rule = PolicyRule(
            id: id, position: node.position, effect: effect, conditions: conditions,
            batch: batch, exceptions: exceptions ?? [], acknowledged: acknowledged ?? [],
            ownLimits: limits ?? [], budgets: budgets ?? [], onExceed: onExceed, expires: expires,
            delay: delay, schedule: schedule, demand: demand)
        if let tz = parts["tz"], parts["hours"] == nil, parts["days"] == nil,
            !rule.ownLimits.contains(where: \.isByCalendar),
            !rule.exceptions.contains(where: { $0.schedule?.zone == zone })
        {
            report.error(.notHere, "tz needs hours, days or a calendar limit", at: tz.keyPosition)
        }
        warn(of: rule, hasLimit: limits != nil || budgets != nil)
        return rule
    }

    private mutating func readID(_ node: TOMLNode?, in rule: TOMLNode) -> String? {
        guard let node else {
            report.error(.ruleID, "id is missing", at: rule.position)
            return nil
        }
        guard case .text(let id) = node.value, !id.isEmpty, id.utf8.count <= Self.ruleIDMax,
            id.utf8.allSatisfy(Self.isNameByte)
        else {
            report.error(
                .ruleID, "an id is 1 to \(Self.ruleIDMax) of a-z, 0-9 and -", at: node.position)
            return nil
        }
        return id
    }

    mutating func readEffect(
        _ key: String, _ parts: [String: TOMLNode], _ table: TOMLNode, _ code: DiagnosticCode
    ) -> RuleEffect? {
        guard let node = parts[key] else {
            report.error(code, "\(key) is missing", at: table.position)
            return nil
        }
        guard case .text(let name) = node.value, let effect = RuleEffect(rawValue: name) else {
            var suggestion: String?
            if case .text(let name) = node.value {
                suggestion = Suggestion.closest(
                    to: name, among: RuleEffect.allCases.map(\.rawValue))
            }
            report.error(
                code, "\(key) must be \"allow\", \"ask\" or \"deny\"", at: node.position,
                suggestion: suggestion)
            return nil
        }
        return effect
    }

    /// Reads the protocols that decide which fields the rule may name.
    private mutating func readScope(_ node: TOMLNode?) -> PolicyVocabulary.Scope {
        guard let node else { return .any }
        let items = node.items
        let protocols = vocabulary.protocols
        let names = items.compactMap { item -> String? in
            guard case .text(let name) = item.value, protocols.contains(name) else {
                reportUnknownName(item, of: "protocol", among: protocols, .any)
                return nil
            }
            return name
        }
        if items.isEmpty {
            report.error(.wrongValue, "the list is empty: it never matches", at: node.position)
        }
        return names.isEmpty || names.count != items.count
            ? .broken : .protocols(Set(names).sorted())
    }

    private mutating func readDangers(
        _ node: TOMLNode, _ scope: PolicyVocabulary.Scope
    ) -> [Danger] {
        guard case .array(let items) = node.value, !items.isEmpty else {
            report.error(
                .wrongShape, "acknowledge takes a list of dangers, such as [\"rekey\"]",
                at: node.position)
            return []
        }
        let names = vocabulary.dangers(in: scope)
        let known = items.compactMap { item -> String? in
            guard case .text(let name) = item.value, names.contains(name) else {
                reportUnknownName(item, of: "danger", among: names, scope)
                return nil
            }
            return name
        }
        return Set(known).sorted().map { Danger($0) }
    }

    /// Reads the verdict of a used-up rule of version 1, which denies without `on_exceed`.
    private mutating func readOnExceed(
        _ node: TOMLNode?, _ effect: RuleEffect?, hasLimit: Bool
    ) -> RuleEffect? {
        guard let node else { return version == 1 && effect == .allow ? .deny : nil }
        guard version == 1 else {
            report.error(
                .notHere,
                "\"on_exceed\" is for version = 1: from version 2 on, a rule whose limit is used "
                    + "up does not apply",
                at: node.keyPosition)
            return nil
        }
        if !hasLimit {
            report.error(
                .notHere, "\"on_exceed\" has no effect in a rule without a limit",
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

    private mutating func readExpiry(_ node: TOMLNode) -> Timestamp? {
        guard case .time(let time) = node.value else {
            report.error(
                .wrongValue,
                "expires takes a date-time with its offset, such as 2027-01-01T00:00:00Z",
                at: node.position)
            return nil
        }
        return time
    }

    /// Reads a delay in seconds; nil after an error.
    mutating func readDelay(_ node: TOMLNode, _ code: DiagnosticCode) -> Int64? {
        let range = Self.delayRange
        guard case .text(let text) = node.value, let seconds = WrittenDuration.seconds(of: text),
            range.contains(seconds)
        else {
            report.error(
                code,
                "delay takes a number with s, m, h or d, such as \"90m\", of at most "
                    + "\"\(WrittenDuration.text(of: range.upperBound))\"", at: node.position)
            return nil
        }
        return seconds
    }

    private mutating func refuseOutsideAllow(_ nodes: [TOMLNode?]) {
        for node in nodes.compactMap({ $0 }) {
            report.error(.notHere, "\"\(node.key)\" is for allow rules only", at: node.keyPosition)
        }
    }
}

extension PolicyLimit {
    var isByCalendar: Bool {
        if case .calendar = window { true } else { false }
    }
}

extension PolicyVocabulary.Scope {
    /// The condition that the rule's `protocol` expresses.
    fileprivate func condition(at node: TOMLNode?) -> Condition? {
        guard case .protocols(let names) = self, let node else { return nil }
        return Condition(
            field: EngineFact.protocolID.field, position: node.keyPosition,
            matchers: [.isIn(ValueList(names.map { .text($0) }))])
    }
}
