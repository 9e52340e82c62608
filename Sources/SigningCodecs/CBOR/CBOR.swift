// SPDX-License-Identifier: Apache-2.0

/// The part of RFC 8949 that maps to JSON, and byte strings.
public enum CBOR: Hashable, Sendable {
    /// An integer of 0 or more.
    case unsigned(UInt64)
    /// An integer below 0.
    case negative(Int64)
    /// A byte string.
    case bytes([UInt8])
    /// A text.
    case text(String)
    /// A list of values.
    case array([CBOR])
    /// Names and values in source order; names are distinct texts.
    case map([CBORMember])
    /// A truth value.
    case bool(Bool)
    /// The value `null`.
    case null
    /// The value `undefined`, which means an absent member.
    case undefined
    /// A floating point number of any width.
    case float(Double)

    /// The exact integer value, also of a float up to 2^53.
    public var exactUnsigned: UInt64? {
        switch self {
        case .unsigned(let value): return value
        case .float(let value): return Self.exactInteger(value).flatMap { UInt64(exactly: $0) }
        default: return nil
        }
    }

    /// Returns the integer value of a float, up to 2^53 on both sides; `-0` has none.
    static func exactInteger(_ value: Double) -> Int64? {
        guard value.magnitude <= exactFloatMax else { return nil }
        let integer = Int64(value)
        let isNegativeZero = integer == 0 && value.sign == .minus
        return Double(integer) == value && !isNegativeZero ? integer : nil
    }

    /// Up to 2^53 every integer has its own float.
    private static let exactFloatMax = 9_007_199_254_740_992.0
}

/// A name and its value in a CBOR map.
public struct CBORMember: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: CBOR

    /// Pairs a name with a value.
    public init(name: String, value: CBOR) {
        self.name = name
        self.value = value
    }
}

extension CBOR {
    /// Reads exactly one value.
    ///
    /// Any header length and indefinite lengths are read; tag 55799 is skipped. It refuses names
    /// that are not text or occur twice, other tags, and inputs over a limit.
    public static func decode(
        _ bytes: Span<UInt8>, limits: CodecLimits = CodecLimits()
    ) throws(CodecError) -> CBOR {
        guard bytes.count <= limits.bytesMax else { throw .tooLong(limit: limits.bytesMax) }
        var tokens = CBORTokens()
        var builder = CBORBuilder(limits: limits)
        var offset = 0
        while true {
            let (token, count) = try tokens.next(in: bytes, from: offset)
            offset += count
            guard let value = try builder.add(token, in: bytes, endingAt: offset) else { continue }
            guard offset == bytes.count else { throw .trailing(at: offset) }
            return value
        }
    }
}
