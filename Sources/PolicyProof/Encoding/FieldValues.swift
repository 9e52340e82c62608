// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// A value of a field, which stands for all values that no condition distinguishes from it.
struct SampleValue {
    let value: FactValue
    /// True if the value is an address held here.
    var isOwn = false
    /// True if no condition names the value itself.
    var isUnnamed = false
}

/// The values of a field by which all its conditions can be told apart.
struct FieldValues {
    /// A text that no policy names.
    static let otherText = "(something else)"
    /// The text that stands for an address held here.
    private static let ownText = "(an account held here)"
    /// The largest total length of named texts that are read along with patterns.
    private static let namedSymbolsMax = 2_000

    private(set) var samples: [SampleValue] = []
    /// False if the patterns on the field are too many or not modelled.
    private(set) var isExplored = true
    private var seen: Set<ExactValue> = []
    private let field: PolicyField

    init(_ field: PolicyField, _ conditions: [Condition]) {
        self.field = field
        let matchers = conditions.flatMap(\.matchers)
        let named = matchers.compactMap(\.list).flatMap(\.known)
        // Counts and amounts are never negative, also where a condition lists such a number.
        let isSigned = field.isSigned
        for value in named where isSigned || (value.number ?? 0) >= 0 {
            add(value, isUnnamed: false)
        }
        switch field.type {
        case .bool: for value in [true, false] { add(.bool(value), isUnnamed: false) }
        case .integer, .amount, .duration, .time: addNumbers(named, matchers)
        case .text, .account, .bytes: addTexts(named, matchers)
        }
        guard matchers.contains(where: { $0.list?.includesOwn ?? false }) else { return }
        let hasPatterns = matchers.contains(where: \.isPattern)
        samples += samples.map { sample in
            var own = sample
            own.isOwn = true
            if !hasPatterns, sample.value == .text(Self.otherText) {
                own = SampleValue(value: .text(Self.ownText), isOwn: true, isUnnamed: true)
            }
            return own
        }
    }

    /// The values of a closed list.
    init(closed field: PolicyField, _ values: [String]) {
        self.field = field
        for value in values { add(.text(value), isUnnamed: false) }
    }

    private mutating func add(_ value: FactValue, isUnnamed: Bool = true) {
        guard seen.insert(ExactValue(value: value)).inserted else { return }
        samples.append(SampleValue(value: value, isUnnamed: isUnnamed))
    }

    /// Adds each bound and named number with its neighbours, so that each gap has a number.
    private mutating func addNumbers(_ named: [FactValue], _ matchers: [Matcher]) {
        var edges: Set<Int128> = [0]
        for value in named.compactMap(\.number) { edges.insert(value) }
        for matcher in matchers {
            switch matcher {
            case .atLeast(let bound), .atMost(let bound): edges.insert(bound)
            default: break
            }
        }
        let near = edges.flatMap { edge in
            [
                (edge, false), edge.addingReportingOverflow(1),
                edge.subtractingReportingOverflow(1),
            ].filter { !$0.1 }.map(\.0)
        }
        let isSigned = field.isSigned
        for number in Set(near).sorted() where number >= 0 || isSigned {
            if field.type == .time {
                guard let seconds = Int64(exactly: number) else { continue }
                add(.time(Timestamp(seconds: seconds)))
            } else {
                add(.integer(number))
            }
        }
    }

    private mutating func addTexts(_ named: [FactValue], _ matchers: [Matcher]) {
        var other = field.type == .bytes ? FactValue.bytes([0x6F, 0x74]) : .text(Self.otherText)
        while seen.contains(ExactValue(value: other)) { other = other.longer }
        let patterns = matchers.filter(\.isPattern)
        add(other)
        guard !patterns.isEmpty else { return }
        let isBytes = field.type == .bytes
        let alphabet: [ClosedRange<UInt32>] = isBytes ? .bytes : .scalars
        var seenPatterns: Set<ExactValue> = []
        var expressions: [Expression] = []
        for matcher in patterns {
            guard let found = matcher.expressions(alphabet, &seenPatterns) else {
                isExplored = false
                return
            }
            expressions += found
        }
        var taken: Set<[UInt32]> = []
        for value in named { taken.insert(value.symbols) }
        let readsNamed = taken.reduce(0) { $0 + $1.count } <= Self.namedSymbolsMax
        if readsNamed { expressions += taken.map { .literal($0) } }
        guard
            let texts = ProductAutomaton(expressions, alphabet: alphabet)
                .texts(isTaken: { taken.contains($0) })
        else {
            isExplored = false
            return
        }
        for found in texts {
            guard let value = FactValue(symbols: found.text, isBytes: isBytes) else { continue }
            if found.isFree {
                add(value)
            } else if !readsNamed {
                // Other texts than the named one may match the same patterns.
                isExplored = false
            }
        }
    }
}

extension FactValue {
    fileprivate var longer: FactValue {
        switch self {
        case .text(let text): .text(text + "'")
        case .bytes(let bytes): .bytes(bytes + [0x27])
        default: self
        }
    }

    /// The value as symbols of an automaton.
    var symbols: [UInt32] {
        switch self {
        case .text(let text): text.unicodeScalars.map(\.value)
        case .bytes(let bytes): bytes.map { UInt32($0) }
        default: []
        }
    }

    init?(symbols: [UInt32], isBytes: Bool) {
        guard !isBytes else {
            self = .bytes(symbols.map { UInt8(truncatingIfNeeded: $0) })
            return
        }
        var text = String.UnicodeScalarView()
        for symbol in symbols {
            guard let scalar = Unicode.Scalar(symbol) else { return nil }
            text.append(scalar)
        }
        self = .text(String(text))
    }
}

extension Matcher {
    /// The patterns of the matcher, without those seen before; nil if one is not modelled.
    fileprivate func expressions(
        _ alphabet: [ClosedRange<UInt32>], _ seen: inout Set<ExactValue>
    ) -> [Expression]? {
        let all = Expression.many(.symbol(alphabet))
        func parts(
            _ kind: String, _ values: [FactValue], _ make: ([UInt32]) -> Expression?
        ) -> [Expression]? {
            var found: [Expression] = []
            for value in values {
                let key = FactValue.list([.text(kind), value])
                guard seen.insert(ExactValue(value: key)).inserted else { continue }
                guard let expression = make(value.symbols) else { return nil }
                found.append(expression)
            }
            return found
        }
        func text(_ symbols: [UInt32]) -> String? {
            if case .text(let text)? = FactValue(symbols: symbols, isBytes: false) {
                text
            } else {
                nil
            }
        }
        switch self {
        case .hasPrefix(let values):
            return parts("prefix", values) { .sequence([.literal($0), all]) }
        case .hasSuffix(let values):
            return parts("suffix", values) { .sequence([all, .literal($0)]) }
        case .contains(let values):
            return parts("contains", values) { .sequence([all, .literal($0), all]) }
        case .glob(let patterns):
            return parts("glob", patterns.map { .text($0.text) }) { symbols in
                text(symbols).map { Expression(glob: $0) }
            }
        case .regex(let patterns):
            return parts("regex", patterns.map { .text($0.text) }) { symbols in
                text(symbols).flatMap { ExpressionParser.parse($0) }
            }
        default: return []
        }
    }
}
