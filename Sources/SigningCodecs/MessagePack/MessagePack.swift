// SPDX-License-Identifier: Apache-2.0

/// The values of Algorand's canonical MessagePack.
public enum MessagePack: Hashable, Sendable {
    /// An integer of 0 or more.
    case unsigned(UInt64)
    /// A truth value.
    case bool(Bool)
    /// A text (str).
    case text(String)
    /// A text (str) whose bytes are not UTF-8; Go can write such strings.
    case textBytes([UInt8])
    /// A byte string (bin).
    case binary([UInt8])
    /// A list of values.
    case array([MessagePack])
    /// Names and values; names are distinct.
    case map([MessagePackMember])
}

/// A name and its value in a MessagePack map.
public struct MessagePackMember: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: MessagePack

    /// Pairs a name with a value.
    public init(name: String, value: MessagePack) {
        self.name = name
        self.value = value
    }
}

extension MessagePack {
    /// The deepest nesting of containers, by default.
    public static let depthMax = 16

    /// Reads exactly one value in the canonical form that Algorand hashes.
    ///
    /// Names are strictly ascending by bytes; integers and lengths are shortest. Signed integers,
    /// floats, nil and extension types are refused. The caller refuses zero values.
    public static func decodeCanonical(
        _ bytes: Span<UInt8>, limits: CodecLimits = CodecLimits(depthMax: Self.depthMax)
    ) throws(CodecError) -> MessagePack {
        guard bytes.count <= limits.bytesMax else { throw .tooLong(limit: limits.bytesMax) }
        var reader = MessagePackReader(limits: limits)
        return try reader.document(bytes)
    }

    /// Reads consecutive values, the form of a group for a node.
    public static func decodeCanonicalSequence(
        _ bytes: Span<UInt8>, limits: CodecLimits = CodecLimits(depthMax: Self.depthMax)
    ) throws(CodecError) -> [MessagePack] {
        guard bytes.count <= limits.bytesMax else { throw .tooLong(limit: limits.bytesMax) }
        var reader = MessagePackReader(limits: limits)
        return try reader.sequence(bytes)
    }
}
