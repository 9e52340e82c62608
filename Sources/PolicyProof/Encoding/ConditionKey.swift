// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// The content of a condition, equal for conditions of two files that always agree.
struct ConditionKey: Hashable {
    private enum Part: Hashable {
        case values(Int, Set<ExactValue>, includesOwn: Bool)
        case bound(Int, Int128)
        case parts(Int, Set<ExactValue>)
        case exists(Bool)
        case count(ClosedRange<Int>)
    }

    private let parts: [Part]

    init(_ condition: Condition) {
        parts = condition.matchers.map { matcher in
            switch matcher {
            case .isIn(let list): Self.values(0, list)
            case .notIn(let list): Self.values(1, list)
            case .has(let list): Self.values(2, list)
            case .atLeast(let bound): .bound(0, bound)
            case .atMost(let bound): .bound(1, bound)
            case .hasPrefix(let texts): .parts(0, Self.exact(texts))
            case .hasSuffix(let texts): .parts(1, Self.exact(texts))
            case .contains(let texts): .parts(2, Self.exact(texts))
            case .glob(let patterns): .parts(3, Self.exact(patterns.map { .text($0.text) }))
            case .regex(let patterns): .parts(4, Self.exact(patterns.map { .text($0.text) }))
            case .exists(let wanted): .exists(wanted)
            case .count(let range): .count(range)
            }
        }
    }

    private static func values(_ kind: Int, _ list: ValueList) -> Part {
        .values(kind, exact(list.known), includesOwn: list.includesOwn)
    }

    private static func exact(_ values: [FactValue]) -> Set<ExactValue> {
        Set(values.map(ExactValue.init(value:)))
    }
}

extension Matcher {
    /// True if the matcher applies to the field as a whole, not to single values.
    var isOfWhole: Bool {
        switch self {
        case .exists, .count: true
        default: false
        }
    }

    /// The list of values that the matcher compares with.
    var list: ValueList? {
        switch self {
        case .isIn(let list), .notIn(let list), .has(let list): list
        default: nil
        }
    }

    var isPattern: Bool {
        switch self {
        case .hasPrefix, .hasSuffix, .contains, .glob, .regex: true
        default: false
        }
    }
}

extension Condition {
    /// The truth of the condition for a value; `own` are the addresses that `"@own"` means.
    func truth(
        of value: FactValue?, _ reading: ListReading, own: [String], isFullyDecoded: Bool
    ) -> Truth {
        truth(of: value, reading, in: FactView(own: own, isFullyDecoded: isFullyDecoded))
    }

    /// The condition with some of its matchers.
    func with(_ matchers: [Matcher]) -> Condition {
        Condition(field: field, position: position, matchers: matchers)
    }
}
