// SPDX-License-Identifier: Apache-2.0
package import SigningCore

/// The values that a matcher compares with: literals, those of sets, and `@own`.
package final class ValueList: Sendable {
    /// The literal values in the rule.
    package let literals: ValueGroup
    /// The sets that the rule names, with all their values.
    package let sets: [(name: String, values: ValueGroup)]
    /// True if the rule itself contains `"@own"`.
    package let namesOwn: Bool
    /// True if the rule or one of its sets contains `"@own"`.
    package let includesOwn: Bool

    package init(
        _ literals: [FactValue], sets: [(name: String, values: ValueGroup)] = [],
        namesOwn: Bool = false, includesOwn: Bool = false
    ) {
        self.literals = ValueGroup(literals)
        self.sets = sets
        self.namesOwn = namesOwn
        self.includesOwn = includesOwn
    }

    /// Every value except those that `@own` means.
    package var known: [FactValue] { literals.values + sets.flatMap(\.values.values) }

    func contains(_ value: FactValue, own: [String]) -> Bool {
        if literals.contains(value) { return true }
        if sets.contains(where: { $0.values.contains(value) }) { return true }
        guard includesOwn, case .text(let text) = value else { return false }
        return own.contains { $0.isExactly(text) }
    }
}

/// Values of one type.
package struct ValueGroup: Sendable {
    /// The size up to which values are compared one by one; longer groups use a hash.
    static let scannedMax = 8

    package let values: [FactValue]
    private let index: Set<ExactValue>

    init(_ values: [FactValue]) {
        self.values = values
        index = values.count > Self.scannedMax ? Set(values.map(ExactValue.init)) : []
    }

    func contains(_ value: FactValue) -> Bool {
        if index.isEmpty { return values.contains { $0.isExactly(value) } }
        return index.contains(ExactValue(value: value))
    }
}

/// A value that is equal only to a value with the same bytes.
package struct ExactValue: Hashable, Sendable {
    package let value: FactValue

    package init(value: FactValue) { self.value = value }

    package static func == (left: Self, right: Self) -> Bool { left.value.isExactly(right.value) }

    package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

/// A text that is equal only to a text with the same bytes.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package static func == (left: Self, right: Self) -> Bool { left.text.isExactly(right.text) }

    package func hash(into hasher: inout Hasher) { text.hash(into: &hasher) }
}

extension FactValue {
    /// Compares bytes, unlike `==` of texts, which uses Unicode's canonical equivalence.
    package func isExactly(_ other: FactValue) -> Bool {
        switch (self, other) {
        case (.text(let left), .text(let right)): left.isExactly(right)
        default: self == other
        }
    }

    /// The number that `min` and `max` compare.
    package var number: Int128? {
        switch self {
        case .integer(let number): number
        case .time(let time): Int128(time.seconds)
        case .bool, .text, .bytes, .list: nil
        }
    }
}

extension String {
    /// The text without its first byte if that is an `@`.
    var withoutAt: String? {
        guard utf8.first == UInt8(ascii: "@") else { return nil }
        // Works on bytes, as dropping a character would drop combining marks with it.
        return String(decoding: utf8.dropFirst(), as: UTF8.self)
    }

    /// Whether both have the same bytes.
    package func isExactly(_ other: String) -> Bool {
        self == other && utf8.elementsEqual(other.utf8)
    }
}
