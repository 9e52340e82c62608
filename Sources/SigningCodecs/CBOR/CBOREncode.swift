// SPDX-License-Identifier: Apache-2.0

extension CBOR {
    /// Encodes with definite lengths, shortest forms, and members in their order.
    public func encode() -> [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    /// The major types of RFC 8949 3.1 that are written.
    private enum Major: UInt8 {
        case unsigned = 0, negative, bytes, text, array, map
    }

    private func append(to output: inout [UInt8]) {
        switch self {
        case .unsigned(let value): Self.append(.unsigned, value, to: &output)
        case .negative(let value): Self.append(.negative, UInt64(-1 - value), to: &output)
        case .bytes(let bytes):
            Self.append(.bytes, UInt64(bytes.count), to: &output)
            output.append(contentsOf: bytes)
        case .text(let text): Self.append(text, to: &output)
        case .array(let elements):
            Self.append(.array, UInt64(elements.count), to: &output)
            for element in elements { element.append(to: &output) }
        case .map(let members):
            Self.append(.map, UInt64(members.count), to: &output)
            for member in members {
                Self.append(member.name, to: &output)
                member.value.append(to: &output)
            }
        case .bool(let value): output.append(value ? 0xf5 : 0xf4)
        case .null: output.append(0xf6)
        case .undefined: output.append(0xf7)
        case .float(let value): Self.append(value, to: &output)
        }
    }

    private static func append(_ text: String, to output: inout [UInt8]) {
        append(.text, UInt64(text.utf8.count), to: &output)
        output.append(contentsOf: text.utf8)
    }

    private static func append(_ major: Major, _ value: UInt64, to output: inout [UInt8]) {
        let top = major.rawValue << 5
        switch value {
        case 0..<24: output.append(top | UInt8(value))
        case 24...0xff: output.append(top | 24); output.append(UInt8(value))
        case 0x100...0xffff: output.append(top | 25); output.appendBigEndian(UInt16(value))
        case 0x1_0000...0xffff_ffff:
            output.append(top | 26); output.appendBigEndian(UInt32(value))
        default: output.append(top | 27); output.appendBigEndian(value)
        }
    }

    private static func append(_ value: Double, to output: inout [UInt8]) {
        if value.isNaN {
            output.append(contentsOf: [0xf9, 0x7e, 0x00])
        } else if let half = Float16(exactly: value) {
            output.append(0xf9)
            output.appendBigEndian(half.bitPattern)
        } else if let single = Float(exactly: value) {
            output.append(0xfa)
            output.appendBigEndian(single.bitPattern)
        } else {
            output.append(0xfb)
            output.appendBigEndian(value.bitPattern)
        }
    }
}

extension [UInt8] {
    /// Appends an integer, highest byte first.
    mutating func appendBigEndian<Integer: FixedWidthInteger>(_ value: Integer) {
        for shift in stride(from: Integer.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
