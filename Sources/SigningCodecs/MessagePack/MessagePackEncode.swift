// SPDX-License-Identifier: Apache-2.0

extension MessagePack {
    /// Writes the shortest form with the members of each map sorted by the bytes of their names.
    public func encode() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(Self.encodeCapacity)
        append(to: &output)
        return output
    }

    private static let encodeCapacity = 512

    private func append(to output: inout [UInt8]) {
        switch self {
        case .unsigned(let value): Self.append(value, to: &output)
        case .bool(let value): output.append(value ? 0xc3 : 0xc2)
        case .text(let text): Self.append(text, to: &output)
        case .textBytes(let bytes):
            MessagePackHeads.text.append(count: bytes.count, to: &output)
            output.append(contentsOf: bytes)
        case .binary(let bytes):
            MessagePackHeads.binary.append(count: bytes.count, to: &output)
            output.append(contentsOf: bytes)
        case .array(let elements):
            MessagePackHeads.array.append(count: elements.count, to: &output)
            for element in elements { element.append(to: &output) }
        case .map(let members):
            MessagePackHeads.map.append(count: members.count, to: &output)
            let sorted = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            for member in sorted {
                Self.append(member.name, to: &output)
                member.value.append(to: &output)
            }
        }
    }

    private static func append(_ text: String, to output: inout [UInt8]) {
        MessagePackHeads.text.append(count: text.utf8.count, to: &output)
        output.append(contentsOf: text.utf8)
    }

    private static func append(_ value: UInt64, to output: inout [UInt8]) {
        switch value {
        case 0..<0x80: output.append(UInt8(value))
        case 0x80...0xff: output.append(0xcc); output.append(UInt8(value))
        case 0x100...0xffff: output.append(0xcd); output.appendBigEndian(UInt16(value))
        case 0x1_0000...0xffff_ffff: output.append(0xce); output.appendBigEndian(UInt32(value))
        default: output.append(0xcf); output.appendBigEndian(value)
        }
    }
}

/// The first bytes of a type with a length.
private struct MessagePackHeads {
    /// The head that contains lengths below `fixedCount`.
    let fixed: UInt8
    let fixedCount: Int
    /// The head before a length of one byte, if the type has one.
    let byte: UInt8?
    /// The head before a length of two bytes; the following head is for four bytes.
    let short: UInt8

    static let text = Self(fixed: 0xa0, fixedCount: 32, byte: 0xd9, short: 0xda)
    static let binary = Self(fixed: 0, fixedCount: 0, byte: 0xc4, short: 0xc5)
    static let array = Self(fixed: 0x90, fixedCount: 16, byte: nil, short: 0xdc)
    static let map = Self(fixed: 0x80, fixedCount: 16, byte: nil, short: 0xde)

    func append(count: Int, to output: inout [UInt8]) {
        if count < fixedCount {
            output.append(fixed | UInt8(count))
        } else if let byte, count <= 0xff {
            output.append(byte)
            output.append(UInt8(count))
        } else if count <= 0xffff {
            output.append(short)
            output.appendBigEndian(UInt16(count))
        } else {
            output.append(short + 1)
            output.appendBigEndian(UInt32(count))
        }
    }
}
