// SPDX-License-Identifier: Apache-2.0
import SigningCodecs
package import SigningCore

extension PolicyDocument {
    /// The canonical form that is hashed: keys, rules, conditions and values sorted, integers as
    /// text.
    ///
    /// Values are in the schema's smallest unit, times in seconds since 1970. A text that begins
    /// with `@` names a set; a text that begins with `@@` is a literal text with one `@`.
    public var canonicalJSON: String {
        let sets = self.sets.map { ($0.name, JSONValue.array($0.canonicalMembers)) }
        var members: [String: JSONValue] = [
            "version": .text(String(version)),
            "default": .text(fallback.rawValue),
            "sets": .object(Dictionary(uniqueKeysWithValues: sets)),
            "rules": .array(rules.map(\.json)),
        ]
        // A policy without approvers keeps the hash that it had before approvers existed.
        if !approvers.isEmpty {
            members["approvers"] = .object(approvers.mapValues { .text($0.approverText) })
        }
        if !governance.isEmpty { members["governance"] = governance.json }
        if !budgets.isEmpty {
            members["budgets"] = .object(
                Dictionary(uniqueKeysWithValues: budgets.map { ($0.name, $0.json) }))
        }
        if !assets.isEmpty {
            members["assets"] = .object(
                Dictionary(uniqueKeysWithValues: assets.map { ($0.name, $0.json) }))
        }
        if !assertions.isEmpty { members["never"] = .array(assertions.map(\.json)) }
        return JSONValue.object(members).written
    }
}

extension Governance {
    fileprivate var json: JSONValue {
        .object(
            Dictionary(uniqueKeysWithValues: demands.map { ($0.rawValue, $1.json) }))
    }
}

extension PolicyDocument {
    /// Every part of the canonical form except the version, one text each, for comparison.
    package var canonicalParts: [String] { parts { _ in false } }

    /// The parts of the canonical form; a set whose name is to be split yields one part for each
    /// member.
    package func parts(splitting isSplit: (String) -> Bool) -> [String] {
        let people = approvers.map { "approver \($0) = \($1.approverText)" }
        let acts = governance.demands.map { "\($0.rule) = \($1.json.written)" }
        let named = sets.flatMap { set in
            isSplit(set.name)
                ? set.canonicalMembers.map { "set \(set.name) has \($0.written)" }
                : ["set \(set.name) \(JSONValue.array(set.canonicalMembers).written)"]
        }
        return ["default = \(fallback.rawValue)"] + people.sorted() + acts.sorted()
            + named.sorted() + assets.map { "asset \($0.name) \($0.json.written)" }
            + budgets.map { "budget \($0.name) \($0.json.written)" }
            + rules.flatMap(\.parts)
            + assertions.map { "never \($0.json.written)" }
    }
}

extension PolicyRule {
    /// The rule, and each entry of its table by itself.
    fileprivate var parts: [String] {
        guard let limit = tabledLimit, let table = limit.table else {
            return ["rule \(json.written)"]
        }
        var rest = self
        rest.conditions.removeAll(where: isOfTable)
        for index in rest.ownLimits.indices where rest.ownLimits[index].table != nil {
            rest.ownLimits[index].table = MaximumTable([:])
        }
        let field = limit.shownField
        let entries = table.entries.map { value, maximum in
            "rule \(id) lets \(limit.scope[0].shown(value, isWhole: true)) have at most "
                + (field?.shown(maximum) ?? String(maximum))
        }
        return ["rule \(rest.json.written)"] + entries
    }

    /// The rule in the canonical form with the budgets that it draws on, for comparison.
    package var canonicalText: String {
        ([json] + budgets.map(\.json)).map(\.written).joined(separator: " ")
    }

    /// Whether the rule's protocol and operation conditions can match a method.
    package func mayMatch(_ protocolID: ProtocolID, _ method: String) -> Bool {
        conditions.allSatisfy { condition in
            guard condition.isIndexed else { return true }
            let isProtocol = condition.field.name == EngineFact.protocolID.rawValue
            let name = isProtocol ? protocolID.name : method
            return condition.truth(of: .text(name), .every, in: .withoutFacts) == .yes
        }
    }
}

extension PolicySet {
    fileprivate var canonicalMembers: [JSONValue] {
        members.map(\.value.json).canonicallySorted
    }
}

extension TOMLValue {
    fileprivate var json: JSONValue {
        switch self {
        case .text(let text): .text(text)
        case .integer(let integer): .text(String(integer))
        case .bool(let bool): .bool(bool)
        case .time(let time): .text(String(time.seconds))
        // No field has these types, so a set that contains one is not used.
        case .table, .array, .unusable: .text("")
        }
    }
}

extension PolicyAssertion {
    /// The assertion in the canonical form.
    package var json: JSONValue {
        var members = rule.members
        members["effect"] = nil
        members["because"] = .text(because)
        return .object(members)
    }
}

extension PolicyRule {
    fileprivate var json: JSONValue { .object(members) }

    fileprivate var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "id": .text(id),
            "effect": .text(effect.rawValue),
            "conditions": conditions.json,
        ]
        for condition in batch {
            members[condition.quantifier.rawValue] = condition.conditions.json
        }
        if !exceptions.isEmpty { members["unless"] = exceptions.json }
        if effect == .allow {
            members["acknowledge"] = .array(acknowledged.map { .text($0.name) })
            members["limits"] = .array(ownLimits.map(\.json).canonicallySorted)
            if let onExceed { members["on_exceed"] = .text(onExceed.rawValue) }
            if delay > 0 { members["delay"] = .text(String(delay)) }
        }
        if !budgets.isEmpty { members["budgets"] = .array(budgets.map { .text($0.name) }) }
        if let expires { members["expires"] = .text(String(expires.seconds)) }
        if let schedule { members["schedule"] = schedule.json }
        if let demand { members["approvers"] = demand.json }
        return members
    }
}

extension [PolicyException] {
    /// One exception without hours and days keeps the form, and so the hash, that it always had.
    fileprivate var json: JSONValue {
        if count == 1, self[0].schedule == nil { return self[0].conditions.json }
        let all = map { exception -> JSONValue in
            var members = ["conditions": exception.conditions.json]
            if let schedule = exception.schedule { members["schedule"] = schedule.json }
            return .object(members)
        }
        return .array(all.canonicallySorted)
    }
}

extension ApproverDemand {
    /// The approvers are hashed by public key, so a new key changes the policy hash.
    fileprivate var json: JSONValue {
        .object([
            "min": .text(String(minimum)),
            "of": .array(members.map { .text($0.key.approverText) }),
            "within": .text(String(seconds)),
            "submitter_may_approve": .bool(submitterMayApprove),
        ])
    }
}

extension [UInt8] {
    /// An approver's public key as policy files write it.
    public var approverText: String { PolicyReader.approverKeyPrefix + Hex.encode(span) }
}

extension PolicyLimit {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "maximum": table?.json ?? .text(String(maximum))
        ]
        if let summed { members["of"] = .text(summed.name) }
        // The unit tells amounts in the common unit of a budget from those of an asset.
        if let commonUnit { members["unit"] = .text(commonUnit.symbol) }
        if !scope.isEmpty { members["by"] = .array(scope.map { .text($0.name) }) }
        switch window {
        case .sliding(let seconds): members["per"] = .text(String(seconds))
        case .calendar(let unit, let zone):
            members["per"] = .text(unit.rawValue)
            members["tz"] = .text(zone.name)
        case .ever: break
        }
        return .object(members)
    }
}

extension MaximumTable {
    fileprivate var json: JSONValue {
        .object(
            Dictionary(
                entries.map { (CompiledLimit.text(of: $0.value), .text(String($0.maximum))) },
                uniquingKeysWith: { first, _ in first }))
    }
}

extension PolicyAsset {
    fileprivate var json: JSONValue {
        .object([
            "protocol": .text(protocolName), "network": .text(network), "asset": identity.json,
            "decimals": .text(String(decimals)),
        ])
    }
}

extension PolicyBudget {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "limits": .array(limits.map(\.json).canonicallySorted)
        ]
        if isFinal { members["final"] = .bool(true) }
        if onExceed == .ask { members["escalate"] = demand?.json ?? .bool(true) }
        if let unit {
            members["unit"] = .text(unit.symbol)
            members["rate"] = .object(
                Dictionary(uniqueKeysWithValues: rates.map { ($0.asset, .text($0.rate)) }))
        }
        return .object(members)
    }
}

extension Schedule {
    fileprivate var json: JSONValue {
        .object([
            "hours": .array(hours.map { .text($0.text) }),
            "days": .array(days.map { .text(Self.dayNames[$0]) }), "tz": .text(zone.name),
        ])
    }
}

extension [Condition] {
    fileprivate var json: JSONValue {
        .object(Dictionary(uniqueKeysWithValues: map { ($0.field.name, $0.json) }))
    }
}

extension Condition {
    fileprivate var json: JSONValue {
        .object(Dictionary(uniqueKeysWithValues: matchers.map(\.json)))
    }
}

extension Matcher {
    fileprivate var json: (String, JSONValue) {
        switch self {
        case .isIn(let values): ("in", values.json)
        case .notIn(let values): ("not_in", values.json)
        case .has(let values): ("has", values.json)
        case .contains(let parts): ("has", .array(parts.map(\.json).canonicallySorted))
        case .atLeast(let bound): ("min", .text(String(bound)))
        case .atMost(let bound): ("max", .text(String(bound)))
        case .hasPrefix(let prefixes): ("prefix", .array(prefixes.map(\.json).canonicallySorted))
        case .hasSuffix(let suffixes): ("suffix", .array(suffixes.map(\.json).canonicallySorted))
        case .glob(let patterns):
            ("glob", .array(patterns.map { .text($0.text) }.canonicallySorted))
        case .regex(let patterns):
            ("regex", .array(patterns.map { .text($0.text) }.canonicallySorted))
        case .exists(let wanted): ("exists", .bool(wanted))
        case .count(let range):
            (
                "count",
                .object([
                    "min": .text(String(range.lowerBound)), "max": .text(String(range.upperBound)),
                ])
            )
        }
    }
}

extension ValueList {
    fileprivate var json: JSONValue {
        let named = sets.map { JSONValue.text("@" + $0.name) }
        let own = namesOwn ? [JSONValue.text("@" + PolicyReader.ownName)] : []
        return .array((literals.values.map(\.json) + named + own).canonicallySorted)
    }
}

extension FactValue {
    fileprivate var json: JSONValue {
        switch self {
        case .bool(let bool): .bool(bool)
        case .integer(let integer): .text(String(integer))
        case .text(let text): .text(text.utf8.first == UInt8(ascii: "@") ? "@" + text : text)
        case .bytes(let bytes): .text(Hex.encode(bytes.span))
        case .time(let time): .text(String(time.seconds))
        case .list(let values): .array(values.map(\.json))
        }
    }
}

extension [JSONValue] {
    /// The values without duplicates, sorted by their text.
    fileprivate var canonicallySorted: [JSONValue] {
        var last: String?
        return map { (text: $0.written, value: $0) }
            .sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
            .compactMap { item in
                defer { last = item.text }
                return last.map { $0.isExactly(item.text) } ?? false ? nil : item.value
            }
    }
}
