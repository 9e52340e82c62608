// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// The result of a condition; `unknown` if the fact is absent or its type is in doubt.
package enum Truth: Int, Comparable, Sendable {
    case no, unknown, yes

    init(_ holds: Bool) { self = holds ? .yes : .no }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    var negated: Truth {
        switch self {
        case .no: .yes
        case .unknown: .unknown
        case .yes: .no
        }
    }
}

extension Matcher {
    /// True if the matcher applies to the field as a whole, not to single values.
    var isOfWholeField: Bool {
        switch self {
        case .exists, .count: true
        default: false
        }
    }

    /// Whether the matcher holds for a single value, or for a list as a whole.
    func truth(of value: FactValue?, field: PolicyField, in view: FactView) -> Truth {
        if case .exists(let wanted) = self {
            guard value == nil else { return Truth(wanted) }
            // The part of the request that was not decoded may contain the fact.
            return view.isFullyDecoded ? Truth(!wanted) : .unknown
        }
        guard let value else { return .unknown }
        guard field.isList else { return truth(ofSingle: value, field, view) }
        guard case .list(let elements) = value, case .count(let range) = self else {
            return .unknown
        }
        return Truth(range.contains(elements.count))
    }

    /// Whether the matcher holds for one value.
    func truth(
        ofSingle value: FactValue, _ field: PolicyField, _ view: FactView
    ) -> Truth {
        guard field.accepts(value) else { return .unknown }
        switch self {
        case .isIn(let values), .has(let values):
            return Truth(values.contains(value, own: view.ownAddresses))
        case .notIn(let values): return Truth(!values.contains(value, own: view.ownAddresses))
        case .atLeast(let bound): return value.number.map { Truth($0 >= bound) } ?? .unknown
        case .atMost(let bound): return value.number.map { Truth($0 <= bound) } ?? .unknown
        case .glob(let patterns), .regex(let patterns):
            guard case .text(let text) = value else { return .unknown }
            return Truth(patterns.contains { $0.matches(text) })
        case .hasPrefix(let prefixes): return Truth(prefixes.contains { value.begins(with: $0) })
        case .hasSuffix(let suffixes): return Truth(suffixes.contains { value.ends(with: $0) })
        case .contains(let parts): return Truth(parts.contains { value.holds($0) })
        // `truth(of:field:in:)` decides these; they never apply to a single value.
        case .exists, .count: return .unknown
        }
    }
}

extension FactValue {
    fileprivate func begins(with prefix: FactValue) -> Bool {
        switch (self, prefix) {
        case (.text(let text), .text(let prefix)): text.utf8.starts(with: prefix.utf8)
        case (.bytes(let bytes), .bytes(let prefix)): bytes.starts(with: prefix)
        default: false
        }
    }

    fileprivate func holds(_ part: FactValue) -> Bool {
        guard case .text(let text) = self, case .text(let part) = part else { return false }
        var rest = Substring(text).utf8
        while rest.count >= part.utf8.count {
            if rest.starts(with: part.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    fileprivate func ends(with suffix: FactValue) -> Bool {
        switch (self, suffix) {
        case (.text(let text), .text(let suffix)):
            text.utf8.reversed().starts(with: suffix.utf8.reversed())
        case (.bytes(let bytes), .bytes(let suffix)):
            bytes.reversed().starts(with: suffix.reversed())
        default: false
        }
    }
}
