// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// Values of one field that together cover every outcome of some conditions.
///
/// The values include each bound and its neighbours, one text that no condition names, and at the
/// end the absent field. Regular expressions are not inverted: only the pattern's own text is
/// tried.
package struct FieldSpace: Sendable {
    /// The most values of one field.
    static let valuesMax = 64
    /// A text that no policy names.
    static let otherText = "(something else)"

    package let field: PolicyField
    /// The values to try; nil means that the field is absent.
    private(set) var values: [FactValue?] = []
    private var seen: Set<ExactValue> = []

    /// Collects the values; `bounds` are values from limits.
    package init(
        _ field: PolicyField, conditions: [Condition], own: [String], bounds: [FactValue] = []
    ) {
        self.field = field
        var singles: [FactValue] = []
        for condition in conditions { singles += condition.joinedParts }
        for matcher in conditions.flatMap(\.matchers) { singles += matcher.edges(of: field, own) }
        singles += bounds
        singles += Self.others(field.type, beside: singles)
        guard field.isList else {
            for value in singles { add(value) }
            values.append(nil)
            return
        }
        let distinct = Self.distinct(singles)
        for value in distinct { add(.list([value])) }
        add(.list(distinct))
        for matcher in conditions.flatMap(\.matchers) {
            guard case .count(let range) = matcher, let first = distinct.first else { continue }
            for count in [range.lowerBound - 1, range.lowerBound, range.upperBound + 1]
            where (0...Self.valuesMax).contains(count) {
                add(.list(Array(repeating: first, count: count)))
            }
        }
        add(.list([]))
        values.append(nil)
    }

    /// A space of given values; the last is nil if the field may be absent.
    package init(_ field: PolicyField, values: [FactValue?]) {
        self.field = field
        self.values = values
    }

    private mutating func add(_ value: FactValue) {
        guard seen.insert(ExactValue(value: value)).inserted else { return }
        if values.count < Self.valuesMax { values.append(value) }
    }

    private static func distinct(_ values: [FactValue]) -> [FactValue] {
        var seen: Set<ExactValue> = []
        return values.filter { seen.insert(ExactValue(value: $0)).inserted }
    }

    /// Values that no condition names.
    private static func others(_ type: FactType, beside known: [FactValue]) -> [FactValue] {
        switch type {
        case .bool: return [.bool(true), .bool(false)]
        case .text, .account: return [.text(otherText)]
        case .bytes: return [.bytes([0x6F, 0x74])]
        case .time:
            let latest = known.compactMap(\.number).max() ?? 0
            return [.time(Timestamp(seconds: Int64(clamping: latest &+ 86_400)))]
        case .integer, .amount, .duration:
            let largest = known.compactMap(\.number).max() ?? 0
            let (next, hasOverflown) = largest.addingReportingOverflow(7)
            return [.integer(0), .integer(hasOverflown ? -1 : next)]
        }
    }
}

extension Condition {
    /// Texts that satisfy both a prefix and a suffix of the condition.
    fileprivate var joinedParts: [FactValue] {
        var prefixes: [FactValue] = []
        var suffixes: [FactValue] = []
        for matcher in matchers {
            if case .hasPrefix(let parts) = matcher { prefixes += parts }
            if case .hasSuffix(let parts) = matcher { suffixes += parts }
        }
        return prefixes.flatMap { prefix in
            suffixes.compactMap { suffix in
                guard case .text(let start) = prefix, case .text(let end) = suffix else {
                    return nil
                }
                return .text(start + end)
            }
        }
    }
}

extension Matcher {
    /// The values at which the matcher's result changes.
    fileprivate func edges(of field: PolicyField, _ own: [String]) -> [FactValue] {
        switch self {
        case .isIn(let list), .notIn(let list), .has(let list):
            // No request has a negative number, also where a condition lists one.
            return list.known.filter { field.isSigned || ($0.number ?? 0) >= 0 }
                .prefix(FieldSpace.valuesMax)
                + (list.includesOwn ? own.prefix(1).map { .text($0) } : [])
        case .atLeast(let bound), .atMost(let bound):
            return [
                bound.subtractingReportingOverflow(1), (bound, false),
                bound.addingReportingOverflow(1),
            ].filter { !$0.1 && ($0.0 >= 0 || field.isSigned) }.map { field.value(of: $0.0) }
        case .hasPrefix(let parts), .hasSuffix(let parts), .contains(let parts): return parts
        case .glob(let patterns):
            return patterns.map { .text(Self.filled($0.text)) }
        case .regex(let patterns): return patterns.map { .text($0.text) }
        case .exists, .count: return []
        }
    }

    private static func filled(_ glob: String) -> String {
        var text = ""
        var rest = glob.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "*" {
                if rest.first == "*" { rest.removeFirst() }
                text += "a"
            } else {
                text += scalar == "?" ? "a" : String(scalar)
            }
        }
        return text
    }
}

extension PolicyField {
    /// A number as a value of the field's type.
    func value(of number: Int128) -> FactValue {
        type == .time ? .time(Timestamp(seconds: Int64(clamping: number))) : .integer(number)
    }
}
