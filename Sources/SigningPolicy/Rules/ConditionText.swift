// SPDX-License-Identifier: Apache-2.0
import SigningCodecs
package import SigningCore

extension PolicyField {
    /// The most elements of a list that are shown.
    private static let shownMax = 5
    /// The most characters of a text and bytes of a byte string that are shown.
    private static let shownTextMax = 100

    /// A fact's value for people, in the notation of policy files; long values are cut unless
    /// `isWhole`.
    package func shown(_ value: FactValue?, isWhole: Bool = false) -> String {
        let textMax = isWhole ? Int.max : Self.shownTextMax
        return switch value {
        case nil: "absent"
        case .list(let elements): "[\(shown(elements, joinedBy: ", ", isWhole: isWhole))]"
        case .integer(0) where FirstUseField.base(of: name) != nil: "never"
        case .integer(let number): shown(number)
        case .bool(let bool): bool ? "true" : "false"
        case .text(let text): "\"\(VisibleText.quotable(text, countMax: textMax))\""
        case .bytes(let bytes):
            "\"\(Hex.encode(Array(bytes.prefix(textMax)).span))\""
                + (bytes.count > textMax ? " and more" : "")
        case .time(let time): time.utcText
        }
    }

    /// A bound for people.
    func shown(_ number: Int128) -> String {
        switch type {
        case .amount(let unit): unit.text(of: number)
        case .time: Int64(exactly: number).map { Timestamp(seconds: $0).utcText } ?? "?"
        case .duration: Int64(exactly: number).map { WrittenDuration.text(of: $0) } ?? "?"
        default: String(number)
        }
    }

    fileprivate func shown(
        _ values: [FactValue], joinedBy separator: String, isWhole: Bool = false
    ) -> String {
        let countMax = isWhole ? values.count : Self.shownMax
        var words = values.prefix(countMax).map { shown($0, isWhole: isWhole) }
        if values.count > countMax { words.append("\(values.count - countMax) more") }
        return words.joined(separator: separator)
    }

    fileprivate func shown(_ list: ValueList) -> String {
        let names = list.sets.map { "@" + $0.name } + (list.namesOwn ? ["@own"] : [])
        let literals =
            list.literals.values.isEmpty ? [] : [shown(list.literals.values, joinedBy: " or ")]
        return (literals + names).joined(separator: " or ")
    }
}

extension Condition {
    /// The requirement of the condition, for people.
    package func wanted(_ reading: ListReading) -> String {
        matchers.map { $0.wanted(of: shownField, reading) }.joined(separator: " and ")
    }
}

extension Matcher {
    fileprivate func wanted(of field: PolicyField, _ reading: ListReading) -> String {
        let isEvery = reading == .every || field.isSetByOwner
        let subject = field.isList ? (isEvery ? "all of them " : "some of them ") : ""
        switch self {
        case .isIn(let values): return subject + field.shown(values)
        case .notIn(let values):
            let negation = field.isList && isEvery ? "none of them " : subject + "not "
            return negation + field.shown(values)
        case .has(let values):
            return (field.isSetByOwner ? "some of them " : subject) + field.shown(values)
        default: return wanted(of: field)
        }
    }

    private func wanted(of field: PolicyField) -> String {
        switch self {
        case .isIn, .notIn, .has: ""
        case .contains(let parts): "containing \(field.shown(parts, joinedBy: " or "))"
        case .atLeast(let bound): "at least \(field.shown(bound))"
        case .atMost(let bound): "at most \(field.shown(bound))"
        case .hasPrefix(let ends): "beginning with \(field.shown(ends, joinedBy: " or "))"
        case .hasSuffix(let ends): "ending with \(field.shown(ends, joinedBy: " or "))"
        case .glob(let patterns): "like \(shown(patterns))"
        case .regex(let patterns): "matching \(shown(patterns))"
        case .exists(let wanted): wanted ? "present" : "absent"
        case .count(let range): "\(range.lowerBound) to \(range.upperBound) of them"
        }
    }

    private func shown(_ patterns: [TextPattern]) -> String {
        patterns.map { "\"\(VisibleText.quotable($0.text))\"" }.joined(separator: " or ")
    }
}
