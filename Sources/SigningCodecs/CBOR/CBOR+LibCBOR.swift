// SPDX-License-Identifier: Apache-2.0

import CCBOR

/// One head of a CBOR item as libcbor reports it.
enum CBORToken {
    case unsigned(UInt64)
    /// The encoded number n of the value -1 - n.
    case negative(UInt64)
    /// The payload is the last `count` bytes of the token.
    case bytes(count: Int), text(count: Int)
    case chunkedBytes, chunkedText
    /// The start of a container; a container without a count ends at the token `end`.
    case array(count: UInt64?), map(count: UInt64?)
    case tag(UInt64)
    case float(Double), bool(Bool), null, undefined
    case end
}

/// Splits CBOR bytes into tokens with libcbor's streaming decoder, which never allocates.
@safe struct CBORTokens {
    private var callbacks = Self.makeCallbacks()

    /// Returns the token at `offset` and its length, including its payload.
    mutating func next(
        in bytes: Span<UInt8>, from offset: Int
    ) throws(CodecError) -> (token: CBORToken, count: Int) {
        guard offset < bytes.count else { throw .truncated }
        var token = CBORToken.end
        // libcbor keeps no pointer: buffer and token are only used during the call.
        let result = unsafe bytes.extracting(offset..<bytes.count).withUnsafeBufferPointer {
            unsafe cbor_stream_decode($0.baseAddress, $0.count, &callbacks, &token)
        }
        switch result.status {
        case CBOR_DECODER_FINISHED: return (token, result.read)
        case CBOR_DECODER_NEDATA: throw .truncated
        default: throw .malformed("unreadable CBOR", at: offset)
        }
    }

    /// Every callback stores its one token at `context`.
    ///
    /// Counts come from the input unchecked. They are `size_t`, which Swift imports signed, and
    /// `uint64_t` from libcbor 0.10 on.
    private static func makeCallbacks() -> cbor_callbacks {
        unsafe cbor_callbacks(
            uint8: { unsafe store(.unsigned(UInt64($1)), $0) },
            uint16: { unsafe store(.unsigned(UInt64($1)), $0) },
            uint32: { unsafe store(.unsigned(UInt64($1)), $0) },
            uint64: { unsafe store(.unsigned($1), $0) },
            negint64: { unsafe store(.negative($1), $0) },
            negint32: { unsafe store(.negative(UInt64($1)), $0) },
            negint16: { unsafe store(.negative(UInt64($1)), $0) },
            negint8: { unsafe store(.negative(UInt64($1)), $0) },
            byte_string_start: { unsafe store(.chunkedBytes, $0) },
            byte_string: { context, _, count in
                unsafe store(.bytes(count: Int(truncatingIfNeeded: count)), context)
            },
            string: { context, _, count in
                unsafe store(.text(count: Int(truncatingIfNeeded: count)), context)
            },
            string_start: { unsafe store(.chunkedText, $0) },
            indef_array_start: { unsafe store(.array(count: nil), $0) },
            array_start: { unsafe store(.array(count: UInt64(truncatingIfNeeded: $1)), $0) },
            indef_map_start: { unsafe store(.map(count: nil), $0) },
            map_start: { unsafe store(.map(count: UInt64(truncatingIfNeeded: $1)), $0) },
            tag: { unsafe store(.tag($1), $0) },
            float2: { unsafe store(.float(Double($1)), $0) },
            float4: { unsafe store(.float(Double($1)), $0) },
            float8: { unsafe store(.float($1), $0) },
            undefined: { unsafe store(.undefined, $0) },
            null: { unsafe store(.null, $0) },
            boolean: { unsafe store(.bool($1), $0) },
            indef_break: { unsafe store(.end, $0) })
    }
}

private func store(_ token: CBORToken, _ context: UnsafeMutableRawPointer?) {
    unsafe context?.assumingMemoryBound(to: CBORToken.self).pointee = token
}
