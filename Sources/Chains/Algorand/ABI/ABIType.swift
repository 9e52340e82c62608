// SPDX-License-Identifier: Apache-2.0

/// A type of values in arguments of methods (ARC-4).
indirect enum ABIType: Hashable, Sendable {
    /// An unsigned integer; a `byte` is one of 8 bits with a name of its own.
    case uint(bits: Int)
    case byte
    case bool
    /// A fixed-point number: an integer of some bits, divided by a power of ten.
    case ufixed(bits: Int, decimals: Int)
    case address
    case string
    case array(ABIType, count: Int)
    case list(ABIType)
    case tuple([ABIType])

    /// The maximum length of a type as text, in bytes.
    static let bytesMax = 1_024
    /// The maximum nesting of types.
    static let depthMax = 16
    /// The maximum number of elements of an array, as many as its encoding can have.
    private static let countMax = 65_535

    /// Parses a type; nil if the text is not the only spelling of a type.
    init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax, let type = Self(text[...], depth: 0),
            type.text == text
        else { return nil }
        self = type
    }

    private init?(_ text: Substring, depth: Int) {
        guard depth < Self.depthMax else { return nil }
        if text.hasSuffix("]") {
            guard let open = text.lastIndex(of: "["),
                let element = Self(text[..<open], depth: depth + 1)
            else { return nil }
            let count = text[text.index(after: open)...].dropLast()
            if count.isEmpty {
                self = .list(element)
                return
            }
            guard let count = Int(count), (0...Self.countMax).contains(count) else { return nil }
            self = .array(element, count: count)
        } else if text.hasPrefix("("), text.hasSuffix(")") {
            guard let parts = Self.parts(text.dropFirst().dropLast()) else { return nil }
            var types: [ABIType] = []
            for part in parts {
                guard let type = Self(part, depth: depth + 1) else { return nil }
                types.append(type)
            }
            self = .tuple(types)
        } else {
            self.init(simple: text)
        }
    }

    private init?(simple text: Substring) {
        switch text {
        case "byte": self = .byte
        case "bool": self = .bool
        case "address": self = .address
        case "string": self = .string
        default:
            let isFixed = text.hasPrefix("ufixed")
            let numbers = text.dropFirst(isFixed ? 6 : 4).split(
                separator: "x", omittingEmptySubsequences: false)
            guard isFixed || text.hasPrefix("uint"), numbers.count == (isFixed ? 2 : 1),
                let bits = Int(numbers[0]), (8...512).contains(bits), bits.isMultiple(of: 8)
            else { return nil }
            guard isFixed else {
                self = .uint(bits: bits)
                return
            }
            guard let decimals = Int(numbers[1]), (1...160).contains(decimals) else { return nil }
            self = .ufixed(bits: bits, decimals: decimals)
        }
    }

    /// Splits the content of a tuple at the commas outside of inner tuples.
    static func parts(_ text: Substring) -> [Substring]? {
        guard !text.isEmpty else { return [] }
        var parts: [Substring] = []
        var start = text.startIndex
        var depth = 0
        for place in text.indices {
            switch text[place] {
            case "(": depth += 1
            case ")": depth -= 1
            case "," where depth == 0:
                parts.append(text[start..<place])
                start = text.index(after: place)
            default: break
            }
            if depth < 0 { return nil }
        }
        return depth == 0 ? parts + [text[start...]] : nil
    }

    /// The type as ARC-4 writes it.
    var text: String {
        switch self {
        case .uint(let bits): "uint\(bits)"
        case .byte: "byte"
        case .bool: "bool"
        case .ufixed(let bits, let decimals): "ufixed\(bits)x\(decimals)"
        case .address: "address"
        case .string: "string"
        case .array(let element, let count): "\(element.text)[\(count)]"
        case .list(let element): "\(element.text)[]"
        case .tuple(let types): "(\(types.map(\.text).joined(separator: ",")))"
        }
    }

    /// True if the length of an encoded value depends on the value.
    var isDynamic: Bool {
        switch self {
        case .uint, .byte, .bool, .ufixed, .address: false
        case .string, .list: true
        case .array(let element, _): element.isDynamic
        case .tuple(let types): types.contains(where: \.isDynamic)
        }
    }
}
