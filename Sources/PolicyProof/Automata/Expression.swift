// SPDX-License-Identifier: Apache-2.0
import SigningPolicy

/// A regular expression over numbers: Unicode scalars of a text, or the bytes of a byte string.
indirect enum Expression: Sendable {
    /// One symbol of these ranges.
    case symbol([ClosedRange<UInt32>])
    case sequence([Expression])
    case either([Expression])
    /// Any number of repetitions, also none.
    case many(Expression)

    static let empty = Expression.sequence([])

    static func literal(_ symbols: [UInt32]) -> Expression {
        .sequence(symbols.map { .symbol([$0...$0]) })
    }

    /// An upper bound of the automaton's states.
    var size: Int {
        switch self {
        case .symbol: 2
        case .sequence(let parts), .either(let parts): parts.reduce(2) { $0 + $1.size }
        case .many(let part): part.size + 2
        }
    }
}

extension [ClosedRange<UInt32>] {
    /// Every Unicode scalar.
    static let scalars: Self = [0...0xD7FF, 0xE000...0x10FFFF]
    static let bytes: Self = [0...0xFF]

    /// The scalars that are in none of the ranges.
    var complement: Self {
        var kept = Self.scalars
        for range in self {
            kept = kept.flatMap { part -> Self in
                guard part.overlaps(range) else { return [part] }
                var rest: Self = []
                if part.lowerBound < range.lowerBound {
                    rest.append(part.lowerBound...(range.lowerBound - 1))
                }
                if part.upperBound > range.upperBound {
                    rest.append((range.upperBound + 1)...part.upperBound)
                }
                return rest
            }
        }
        return kept
    }
}

extension Expression {
    /// The texts that match a pattern written `glob`.
    init(glob: String) {
        let within = Expression.symbol(
            "/?#@\\".unicodeScalars.map { $0.value...$0.value }.complement)
        var parts: [Expression] = []
        var rest = glob.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*":
                if rest.first == "*" {
                    rest.removeFirst()
                    parts.append(.many(.symbol(.scalars)))
                } else {
                    parts.append(.many(within))
                }
            case "?": parts.append(within)
            default: parts.append(.symbol([scalar.value...scalar.value]))
            }
        }
        self = .sequence(parts)
    }
}
