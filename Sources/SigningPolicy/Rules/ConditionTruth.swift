// SPDX-License-Identifier: Apache-2.0
package import SigningCore

/// The quantifier by which a condition applies to the values of a list.
package enum ListReading: Sendable {
    /// All values must match: in allow rules, and in exceptions from deny or ask rules.
    case every
    /// One value must match: in deny or ask rules, and in exceptions from allow rules.
    case some

    /// The quantifier for the conditions of a rule.
    package init(of effect: RuleEffect) { self = effect == .allow ? .every : .some }

    /// The quantifier for the rule's `unless`.
    package var inException: ListReading { self == .every ? .some : .every }
}

extension Condition {
    /// Whether the condition can hold for a value of a fully decoded request, for tools.
    package func mayHold(for value: FactValue?, _ reading: ListReading, own: [String]) -> Bool {
        truth(of: value, reading, in: FactView(own: own)) == .yes
    }

    /// Whether all matchers hold: `no` wins over `unknown`, which wins over `yes`.
    package func truth(of value: FactValue?, _ reading: ListReading, in view: FactView) -> Truth {
        if field.isList, case .list(let elements) = value {
            return truth(ofList: elements, value, reading, in: view)
        }
        var result = Truth.yes
        for matcher in matchers {
            result = min(result, matcher.truth(of: value, field: field, in: view))
            if result == .no { return .no }
        }
        return result
    }

    private func truth(
        ofList elements: [FactValue], _ list: FactValue?, _ reading: ListReading,
        in view: FactView
    ) -> Truth {
        var result = Truth.yes
        for matcher in matchers where matcher.isOfWholeField {
            result = min(result, matcher.truth(of: list, field: field, in: view))
        }
        guard result != .no, matchers.contains(where: { !$0.isOfWholeField }) else { return result }
        guard !elements.isEmpty else { return min(result, truthWhenEmpty) }
        guard !field.isSetByOwner else {
            return matchers.reduce(result) { min($0, $1.truth(ofGroups: elements, field, view)) }
        }
        var found = reading == .every ? Truth.yes : .no
        for element in elements {
            let truth = truth(ofElement: element, in: view)
            found = reading == .every ? min(found, truth) : max(found, truth)
        }
        return min(result, found)
    }

    /// Whether one value satisfies all matchers.
    private func truth(ofElement element: FactValue, in view: FactView) -> Truth {
        var result = Truth.yes
        for matcher in matchers where !matcher.isOfWholeField {
            result = min(result, matcher.truth(ofSingle: element, field, view))
            if result == .no { break }
        }
        return result
    }

    /// The truth for an empty list: `no` for the matcher `has`, usually `unknown` for other
    /// matchers of elements.
    private var truthWhenEmpty: Truth {
        var result = Truth.yes
        for matcher in matchers where !matcher.isOfWholeField {
            switch matcher {
            case .has: return .no
            // An empty list of the engine is certain: it contains none of the values.
            case .notIn where EngineFact(rawValue: field.name) != nil: break
            default: result = .unknown
            }
        }
        return result
    }
}

extension PolicyField {
    /// True if only the owner sets the values, as for the groups of a key; a condition on them then
    /// means the same in rules of every effect.
    var isSetByOwner: Bool { name == EngineFact.keyTags.rawValue }
}

extension Matcher {
    /// Whether a key with these tags is in one of the named groups.
    fileprivate func truth(
        ofGroups tags: [FactValue], _ field: PolicyField, _ view: FactView
    ) -> Truth {
        let truths = tags.map { truth(ofSingle: $0, field, view) }
        switch self {
        case .exists, .count: return .yes
        case .has: return truths.max() ?? .no
        default: return truths.min() ?? .unknown
        }
    }
}
