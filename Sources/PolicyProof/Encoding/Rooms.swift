// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// Whether the limits of each rule have room, for the same history under both policies.
final class Rooms {
    private let model: RequestModel
    private var known: [String: [(limits: Set<PolicyLimit>, literal: Literal)]] = [:]

    init(_ model: RequestModel) { self.model = model }

    /// A literal that is the same for rules that count with the same limits in one place.
    func room(_ rule: PolicyRule) -> Literal {
        let limits = Set(rule.limits)
        let others = known[rule.counterOwner] ?? []
        if let same = others.first(where: { $0.limits == limits }) { return same.literal }
        let literal = model.circuit.variable()
        for other in others {
            relate(literal, limits, to: other.literal, other.limits)
            relate(other.literal, other.limits, to: literal, limits)
        }
        bound(literal, by: rule)
        known[rule.counterOwner, default: []].append((limits, literal))
        return literal
    }

    /// Demands that the looser limits have room wherever the others have, but for the values to
    /// which a table of theirs gives less.
    private func relate(
        _ room: Literal, _ limits: Set<PolicyLimit>, to other: Literal, _ others: Set<PolicyLimit>
    ) {
        guard let exceptions = others.exceptions(toRoomLeftBy: limits) else { return }
        model.circuit.demand(
            [!room, other] + exceptions.map { model.truth(of: $0, .every).yes })
    }

    /// A literal without a relation to the limits of other rules.
    func separateRoom(_ rule: PolicyRule) -> Literal {
        let literal = model.circuit.variable()
        bound(literal, by: rule)
        return literal
    }

    /// An amount above a maximum never has room.
    private func bound(_ literal: Literal, by rule: PolicyRule) {
        for condition in rule.countingConditions {
            guard case .atMost = condition.matchers[0] else { continue }
            model.circuit.demand([!literal, !model.truth(of: condition, .every).no])
        }
        for bound in rule.tableBounds {
            model.circuit.demand([
                !literal, !model.truth(of: bound.value, .every).yes,
                !model.truth(of: bound.amount, .every).no,
            ])
        }
        if rule.limits.contains(where: { $0.measure == .operations && $0.maximum < 1 }) {
            model.circuit.demand([!literal])
        }
    }
}

extension PolicyRule {
    /// The name that counters of the rule's limits begin with.
    var counterOwner: String { ownLimits.isEmpty ? budgets.first?.name ?? id : id }
}

extension PolicyDocument {
    /// True if each rule counts in one place: with its own limits, or with one budget that has no
    /// unit, asks no approvers and is not final, for allow rules only.
    ///
    /// A final budget also counts what people approve, which the encoding does not have.
    var countsSimply: Bool {
        rules.allSatisfy { rule in
            guard let budget = rule.budgets.first else { return true }
            return rule.effect == .allow && rule.ownLimits.isEmpty && rule.budgets.count == 1
                && budget.unit == nil && budget.demand == nil && !budget.isFinal
                && !rules.contains { $0.id == budget.name && !$0.ownLimits.isEmpty }
        }
    }
}

extension Set<PolicyLimit> {
    /// The values for which one of these limits may lack room although all of the others have it;
    /// nil if that may be for any value.
    fileprivate func exceptions(toRoomLeftBy others: Set<PolicyLimit>) -> [Condition]? {
        var exceptions: [Condition] = []
        for limit in self {
            let alike = others.filter { $0.countsNoLess(than: limit) }
            if alike.contains(where: { $0.values(tightenedBy: limit)?.isEmpty ?? false }) {
                continue
            }
            guard let found = alike.lazy.compactMap({ $0.exception(before: limit) }).first
            else { return nil }
            exceptions.append(found)
        }
        return exceptions
    }
}

extension PolicyLimit {
    /// Whether every use that counts for the other limit counts for this one.
    fileprivate func countsNoLess(than other: PolicyLimit) -> Bool {
        measure == other.measure && scope == other.scope && window.covers(other.window)
    }
}

extension PolicyLimit.Window {
    /// Whether every use that counts in the other window counts in this one.
    fileprivate func covers(_ other: Self) -> Bool {
        switch (self, other) {
        case (.ever, _): true
        case (.sliding(let seconds), .sliding(let others)): seconds >= others
        case (.sliding(let seconds), .calendar(let unit, _)): seconds >= unit.longestSeconds
        case (.calendar(let unit, let zone), .calendar(let other, let otherZone)):
            zone == otherZone && unit.contains(other)
        default: false
        }
    }
}

extension CalendarUnit {
    /// An upper bound of the unit's length, with any change of clocks.
    fileprivate var longestSeconds: Int64 {
        let day: Int64 = 86_400
        return switch self {
        case .hour: 2 * 3_600
        case .day: 2 * day
        case .week: 8 * day
        case .month: 32 * day
        case .year: 367 * day
        }
    }

    /// Whether each unit of the other kind lies within one unit of this kind.
    fileprivate func contains(_ other: Self) -> Bool {
        switch (self, other) {
        case (.week, .day), (.month, .day), (.year, .day), (.year, .month): true
        default: self == other
        }
    }
}
