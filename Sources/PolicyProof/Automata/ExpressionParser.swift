// SPDX-License-Identifier: Apache-2.0

/// Reads regular expressions in RE2's syntax, as far as they are modelled.
///
/// Not modelled: flags, named groups, Unicode classes, names of classes such as `[:alpha:]`, word
/// boundaries, and line anchors inside. Then `parse` returns nil. Source: RE2's syntax page.
struct ExpressionParser {
    /// The largest automaton of one pattern, in states.
    static let sizeMax = 4_000
    private static let depthMax = 50

    private var rest: Substring.UnicodeScalarView
    private var depth = 0

    static func parse(_ text: String) -> Expression? {
        var parser = ExpressionParser(rest: Substring(text).unicodeScalars)
        // The whole text must match, so these anchors change nothing.
        _ = parser.take("^") || parser.take("\\A")
        if parser.rest.last == "$", parser.rest.dropLast().last != "\\" {
            parser.rest.removeLast()
        }
        // An anchor of one alternative would not be one of the whole.
        let hasAnchor = text.unicodeScalars.contains { "^$".unicodeScalars.contains($0) }
        guard let found = parser.alternatives(), parser.rest.isEmpty, found.size <= sizeMax,
            !hasAnchor || parser.isWithoutAlternatives
        else { return nil }
        return found
    }

    /// False once the outermost level had several alternatives.
    private var isWithoutAlternatives = true

    private init(rest: Substring.UnicodeScalarView) { self.rest = rest }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.unicodeScalars) else { return false }
        rest.removeFirst(text.unicodeScalars.count)
        return true
    }

    private mutating func alternatives() -> Expression? {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax, let first = sequence() else { return nil }
        var parts = [first]
        while take("|") {
            if depth == 1 { isWithoutAlternatives = false }
            guard let next = sequence() else { return nil }
            parts.append(next)
        }
        return parts.count == 1 ? first : .either(parts)
    }

    private mutating func sequence() -> Expression? {
        var parts: [Expression] = []
        while let scalar = rest.first, scalar != "|", scalar != ")" {
            guard let part = atom(), let repeated = repetition(of: part) else { return nil }
            parts.append(repeated)
        }
        return .sequence(parts)
    }

    private mutating func repetition(of part: Expression) -> Expression? {
        var part = part
        if take("*") {
            part = .many(part)
        } else if take("+") {
            part = .sequence([part, .many(part)])
        } else if take("?") {
            part = .either([.empty, part])
        } else if take("{") {
            guard let counted = counted(part) else { return nil }
            part = counted
        } else {
            return part
        }
        // A lazy operator matches the same texts; two operators are refused by RE2 or unusual.
        _ = take("?")
        if let next = rest.first, "*+?{".unicodeScalars.contains(next) { return nil }
        return part.size <= Self.sizeMax ? part : nil
    }

    private mutating func counted(_ part: Expression) -> Expression? {
        guard let least = number() else { return nil }
        guard part.size * max(1, least) <= Self.sizeMax else { return nil }
        var parts = Array(repeating: part, count: least)
        if take("}") { return .sequence(parts) }
        guard take(",") else { return nil }
        if take("}") { return .sequence(parts + [.many(part)]) }
        guard let most = number(), take("}"), most >= least else { return nil }
        parts += Array(repeating: .either([.empty, part]), count: most - least)
        guard part.size * max(1, parts.count) <= Self.sizeMax else { return nil }
        return .sequence(parts)
    }

    /// A number that RE2 accepts as a count.
    private mutating func number() -> Int? {
        var digits = ""
        while let scalar = rest.first, ("0"..."9").contains(scalar), digits.utf8.count < 4 {
            digits.unicodeScalars.append(scalar)
            rest.removeFirst()
        }
        return Int(digits).flatMap { $0 <= 1_000 ? $0 : nil }
    }

    private mutating func atom() -> Expression? {
        if take("(") {
            guard take("?:") || rest.first != "?", let inner = alternatives(), take(")") else {
                return nil
            }
            return inner
        }
        if take("[") { return set().map { .symbol($0) } }
        guard let scalar = rest.popFirst() else { return nil }
        switch scalar {
        case ".": return .symbol(([0x0A...0x0A] as [ClosedRange<UInt32>]).complement)
        case "\\": return escape().map { .symbol($0) }
        case "*", "+", "?", "{", "^", "$": return nil
        default: return .symbol([scalar.value...scalar.value])
        }
    }

    /// The symbols of a class, after its `[`.
    private mutating func set() -> [ClosedRange<UInt32>]? {
        let isNegated = take("^")
        var ranges: [ClosedRange<UInt32>] = []
        var isFirst = true
        while isFirst || rest.first != "]" {
            isFirst = false
            guard let low = member() else { return nil }
            if rest.first == "-", let after = rest.dropFirst().first, after != "]" {
                rest.removeFirst()
                guard let high = member(), low.count == 1, high.count == 1,
                    low[0].count == 1, high[0].count == 1,
                    low[0].lowerBound <= high[0].lowerBound
                else { return nil }
                ranges.append(low[0].lowerBound...high[0].lowerBound)
            } else {
                ranges += low
            }
        }
        rest.removeFirst()
        return isNegated ? ranges.complement : ranges
    }

    private mutating func member() -> [ClosedRange<UInt32>]? {
        guard let scalar = rest.popFirst() else { return nil }
        if scalar == "[", rest.first == ":" { return nil }
        return scalar == "\\" ? escape() : [scalar.value...scalar.value]
    }

    /// The symbols of an escape, after its backslash.
    private mutating func escape() -> [ClosedRange<UInt32>]? {
        guard let scalar = rest.popFirst() else { return nil }
        let digits: [ClosedRange<UInt32>] = [0x30...0x39]
        let word: [ClosedRange<UInt32>] = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
        let space: [ClosedRange<UInt32>] = [0x09...0x0A, 0x0C...0x0D, 0x20...0x20]
        switch scalar {
        case "d": return digits
        case "D": return digits.complement
        case "w": return word
        case "W": return word.complement
        case "s": return space
        case "S": return space.complement
        case "n": return [0x0A...0x0A]
        case "t": return [0x09...0x09]
        case "r": return [0x0D...0x0D]
        default:
            let isPlain =
                scalar.isASCII && scalar.value > 0x20 && scalar.value < 0x7F
                && !scalar.properties.isAlphabetic && !("0"..."9").contains(scalar)
            return isPlain ? [scalar.value...scalar.value] : nil
        }
    }
}
