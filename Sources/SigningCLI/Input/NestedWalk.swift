// SPDX-License-Identifier: Apache-2.0

/// The brackets and strings of nested JSON, byte by byte.
struct NestedWalk {
    private var open: [UInt8] = []
    private(set) var isInString = false
    private var isEscaped = false

    var depth: Int { open.count }

    /// Takes one byte; false if the brackets do not match or are too deep.
    mutating func take(_ byte: UInt8) -> Bool {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return byte >= 0x20
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            open.append(byte)
            return depth <= FlatMembers.depthMax
        // In ASCII each closing bracket is two places after its opening bracket.
        case UInt8(ascii: "}"), UInt8(ascii: "]"): return open.popLast() == byte - 2
        default: break
        }
        return true
    }
}
