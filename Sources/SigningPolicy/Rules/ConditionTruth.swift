// SPDX-License-Identifier: Apache-2.0
package import SigningCore

/// How many values of a list have to be as a condition says.
package enum ListReading: Sendable {
    /// All of them: in what allows, and in what excepts from a deny or ask rule.
    case every
    /// Any of them: in what denies or asks, and in what excepts from an allow rule.
    case some

    /// That of the conditions of a rule.
    package init(of effect: RuleEffect) { self = effect == .allow ? .every : .some }

    /// That of the rule's `unless`.
    package var inException: ListReading { self == .every ? .some : .every }
}

extension Condition {
    /// Whether the condition holds for a value of a request that was decoded in full, for tools.
    package func mayHold(for value: FactValue?, _ reading: ListReading, own: [String]) -> Bool {
        truth(of: value, reading, in: FactView(own: own)) == .yes
    }

    /// Whether all its matchers hold: `no` wins over `unknown` wins over `yes`.
    func truth(of value: FactValue?, _ reading: ListReading, in view: FactView) -> Truth {
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
        guard !elements.isEmpty else { return min(result, truthOfNothing) }
        guard !field.isOwnersWord else {
            return matchers.reduce(result) { min($0, $1.truth(ofGroups: elements, field, view)) }
        }
        var found = reading == .every ? Truth.yes : .no
        for element in elements {
            let truth = truth(ofElement: element, in: view)
            found = reading == .every ? min(found, truth) : max(found, truth)
        }
        return min(result, found)
    }

    /// One value has to be as all matchers say.
    private func truth(ofElement element: FactValue, in view: FactView) -> Truth {
        var result = Truth.yes
        for matcher in matchers where !matcher.isOfWholeField {
            result = min(result, matcher.truth(ofSingle: element, field, view))
            if result == .no { break }
        }
        return result
    }

    /// An empty list has nothing; what else is said of its values cannot be told.
    private var truthOfNothing: Truth {
        var result = Truth.yes
        for matcher in matchers where !matcher.isOfWholeField {
            switch matcher {
            case .has: return .no
            // The engine's own lists are empty where there is nothing to name.
            case .notIn where EngineFact(rawValue: field.name) != nil: break
            default: result = .unknown
            }
        }
        return result
    }
}

extension PolicyField {
    /// Whether the owner of the keys wrote the values and no client can add to them: rules of
    /// every effect ask whether a key is in a group.
    var isOwnersWord: Bool { name == EngineFact.keyTags.rawValue }
}

extension Matcher {
    /// Whether a key with these tags is in one of the groups named.
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
