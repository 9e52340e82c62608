// SPDX-License-Identifier: Apache-2.0
import SigningCore
package import SigningPolicy

/// A rule that differs between two policies.
package struct RuleChange: Sendable {
    package let id: String
    /// The rule before and after; `before` is nil for an added rule, `after` for a removed one.
    package let before: PolicyRule?
    package let after: PolicyRule?
    /// True if this change provably makes no answer milder.
    package let isProvedNotToWiden: Bool
    /// A request that gets a milder answer; nil if none was found.
    package var widening: PolicyDifference.Witness?

    /// `added`, `removed` or `changed`.
    package var word: String {
        if before == nil { return "added" }
        return after == nil ? "removed" : "changed"
    }

    /// The rule's effect, such as `allow`, or `deny -> allow`.
    package var effects: String {
        let effects = [before?.effect, after?.effect].compactMap { $0?.rawValue }
        return effects.count == 2 && effects[0] == effects[1]
            ? effects[0] : effects.joined(separator: " -> ")
    }

    /// True if the change may allow more than before although no request shows it.
    package var mayWidenUnseen: Bool { !isProvedNotToWiden && widening == nil }

    /// The moments at which the rule may be in force in one policy and not in the other.
    func moments(at now: Timestamp) -> [Timestamp] {
        var moments = [now]
        func isOpen(_ rule: PolicyRule?, _ time: Timestamp) -> Bool {
            guard let rule, !rule.isExpired(at: time) else { return false }
            return rule.schedule?.isOpen(at: time) ?? true
        }
        for expiry in [before?.expires, after?.expires].compactMap({ $0 }) where now <= expiry {
            moments.append(expiry)
        }
        guard before?.schedule != nil || after?.schedule != nil else { return moments }
        for (isFirst, isSecond) in [(false, true), (true, false), (true, true)] {
            let found = (0..<Self.minutesMax).lazy.map {
                Timestamp(seconds: now.seconds.addingReportingOverflow($0 * 60).partialValue)
            }.first { isOpen(before, $0) == isFirst && isOpen(after, $0) == isSecond }
            if let found, !moments.contains(found) { moments.append(found) }
        }
        return moments
    }

    /// Eight days: within them a schedule reaches all its hours and days.
    private static let minutesMax: Int64 = 8 * 24 * 60
}

extension RuleChange {
    /// The change of one rule between two documents.
    init(_ id: String, _ before: PolicyRule?, _ after: PolicyRule?, fallback: RuleEffect) {
        self.id = id
        self.before = before
        self.after = after
        isProvedNotToWiden =
            switch (before, after) {
            case (nil, let added?):
                added.effect == .deny || (added.effect == .ask && fallback == .ask)
            // A used-up rule may deny an operation that the default asks about.
            case (let removed?, nil):
                removed.effect == .allow && (removed.limits.isEmpty || removed.onExceed == nil)
            case (let old?, let new?): new.isNarrowing(of: old)
            case (nil, nil): true
            }
    }
}

extension PolicyRule {
    /// True if no answer becomes milder when this rule replaces the other one; false if that is
    /// unknown.
    fileprivate func isNarrowing(of old: PolicyRule) -> Bool {
        guard effect == old.effect else { return false }
        let isSameMatch =
            conditions.count == old.conditions.count && old.implied(by: self)
            && implied(by: old) && hasSameTerms(as: old)
        guard effect == .allow else {
            guard let demanded = old.demand else { return isSameMatch }
            return isSameMatch && demand?.isAsStrict(as: demanded) ?? false
        }
        if !old.limits.isEmpty {
            return isSameMatch && isAsStrictWhenUsedUp(as: old)
                && old.limits.allSatisfy { limit in limits.contains { $0.isAsStrict(as: limit) } }
                // A value to count may be missing, so that the rule does not apply.
                && limits.allSatisfy { limit in old.limits.contains { $0.countsLike(limit) } }
        }
        let isNoLonger = old.expires.map { last in expires.map { $0 <= last } ?? false } ?? true
        let isInHours = old.schedule == nil || schedule == old.schedule
        return old.implied(by: self) && isNoLonger && isInHours && coversNoMore(than: old)
            && (old.exception == nil || hasSameException(as: old))
    }

    private func isAsStrictWhenUsedUp(as old: PolicyRule) -> Bool {
        guard let onExceed, let other = old.onExceed else { return onExceed == old.onExceed }
        return onExceed >= other
    }

    private func coversNoMore(than old: PolicyRule) -> Bool {
        acknowledged.allSatisfy { old.covers($0) }
            && (!covers(.newClient) || old.covers(.newClient))
    }

    private func hasSameTerms(as old: PolicyRule) -> Bool {
        expires == old.expires && schedule == old.schedule && acknowledged == old.acknowledged
            && covers(.newClient) == old.covers(.newClient) && hasSameException(as: old)
    }

    private func hasSameException(as old: PolicyRule) -> Bool {
        guard let exception, let other = old.exception else {
            return exception == nil && old.exception == nil
        }
        return exception.count == other.count
            && exception.allSatisfy { one in other.contains { $0.isSame(as: one) } }
    }

    /// Whether each of this rule's conditions holds for every request that satisfies the other
    /// rule.
    private func implied(by other: PolicyRule) -> Bool {
        conditions.allSatisfy { old in
            other.conditions.contains { $0.field == old.field && $0.implies(old) }
        }
    }
}

extension PolicyLimit {
    fileprivate func countsLike(_ other: PolicyLimit) -> Bool {
        measure == other.measure && scope == other.scope
    }

    fileprivate func isAsStrict(as other: PolicyLimit) -> Bool {
        let isAsLong =
            switch (window, other.window) {
            case (.sliding(let seconds), .sliding(let others)): seconds >= others
            default: window == other.window
            }
        return isAsLong && measure == other.measure && scope == other.scope
            && maximum <= other.maximum
    }
}

extension Condition {
    fileprivate func isSame(as other: Condition) -> Bool {
        field == other.field && implies(other) && other.implies(self)
    }

    fileprivate func implies(_ other: Condition) -> Bool {
        other.matchers.allSatisfy { old in matchers.contains { $0.implies(old) } }
    }
}

extension Matcher {
    /// Whether the other matcher holds for every value for which this one holds; a pattern implies
    /// only itself.
    fileprivate func implies(_ other: Matcher) -> Bool {
        switch (self, other) {
        case (.isIn(let list), .isIn(let old)): list.isWithin(old)
        case (.notIn(let list), .notIn(let old)): old.isWithin(list)
        case (.has(let list), .has(let old)): list.isWithin(old)
        case (.atLeast(let bound), .atLeast(let old)): bound >= old
        case (.atMost(let bound), .atMost(let old)): bound <= old
        case (.hasPrefix(let parts), .hasPrefix(let old)),
            (.hasSuffix(let parts), .hasSuffix(let old)),
            (.contains(let parts), .contains(let old)):
            parts.allSatisfy { part in old.contains { $0.isExactly(part) } }
        case (.glob(let patterns), .glob(let old)), (.regex(let patterns), .regex(let old)):
            patterns.allSatisfy { part in old.contains { $0.text.isExactly(part.text) } }
        case (.exists(let wanted), .exists(let old)): wanted == old
        case (.count(let range), .count(let old)):
            old.contains(range.lowerBound) && old.contains(range.upperBound)
        default: false
        }
    }
}

extension ValueList {
    fileprivate func isWithin(_ other: ValueList) -> Bool {
        let known = Set(other.known.map { ExactValue(value: $0) })
        return self.known.allSatisfy { known.contains(ExactValue(value: $0)) }
            && (!includesOwn || other.includesOwn)
    }
}
