// SPDX-License-Identifier: Apache-2.0

/// A value in an argument of a method (ARC-4).
indirect enum ABIValue: Hashable {
    /// The big-endian bytes of an integer or a fixed-point number.
    case number([UInt8])
    case bool(Bool)
    case address([UInt8])
    case string(String)
    /// An array or a list of bytes.
    case bytes([UInt8])
    /// The elements of another array or list, or of a tuple.
    case values([ABIValue])
}

/// The error that bytes are not a value of the type.
struct ABIError: Error {}

extension ABIType {
    /// Reads a value; all bytes must belong to it, in its only encoding.
    func decode(_ bytes: [UInt8]) throws(ABIError) -> ABIValue {
        var left = Self.valuesMax
        let value = try decode(bytes[...], &left)
        // Offsets and padding have one form only; writing the value again shows any other.
        guard encode(value) == bytes else { throw ABIError() }
        return value
    }

    /// The maximum number of values in one argument; bytes of a list count as one.
    static let valuesMax = 4_096

    private func decode(
        _ bytes: ArraySlice<UInt8>, _ left: inout Int
    ) throws(ABIError) -> ABIValue {
        left -= 1
        guard left >= 0, bytes.count == size ?? bytes.count else { throw ABIError() }
        switch self {
        case .uint, .ufixed, .byte: return .number(Array(bytes))
        case .bool:
            guard let byte = bytes.first else { throw ABIError() }
            return .bool(byte != 0)
        case .address: return .address(Array(bytes))
        case .string:
            let (_, rest) = try Self.counted(bytes)
            guard let text = String(validating: rest, as: UTF8.self) else { throw ABIError() }
            return .string(text)
        case .array(.byte, _): return .bytes(Array(bytes))
        case .list(.byte): return .bytes(Array(try Self.counted(bytes).rest))
        case .array(let element, let count):
            guard count <= left else { throw ABIError() }
            return try Self.decode(Array(repeating: element, count: count), bytes, &left)
        case .list(let element):
            let (count, rest) = try Self.counted(bytes)
            guard count <= left else { throw ABIError() }
            return try Self.decode(Array(repeating: element, count: count), rest, &left)
        case .tuple(let types): return try Self.decode(types, bytes, &left)
        }
    }

    private static func counted(
        _ bytes: ArraySlice<UInt8>
    ) throws(ABIError) -> (count: Int, rest: ArraySlice<UInt8>) {
        guard bytes.count >= 2 else { throw ABIError() }
        return (number(at: bytes.startIndex, in: bytes), bytes.dropFirst(2))
    }

    private static func number(at place: Int, in bytes: ArraySlice<UInt8>) -> Int {
        Int(bytes[place]) << 8 | Int(bytes[place + 1])
    }

    /// Reads the values of a tuple: the head has those of fixed size and the places of the others.
    private static func decode(
        _ types: [ABIType], _ bytes: ArraySlice<UInt8>, _ left: inout Int
    ) throws(ABIError) -> ABIValue {
        let (places, headSize) = layout(of: types)
        guard let headSize, bytes.count >= headSize else { throw ABIError() }
        let start = bytes.startIndex
        var offsets: [Int] = []
        for (type, place) in zip(types, places) where type.isDynamic {
            offsets.append(number(at: start + place.byte, in: bytes))
        }
        var ends = Array(offsets.dropFirst()) + [bytes.count]
        var values: [ABIValue] = []
        for (type, place) in zip(types, places) {
            if type == .bool {
                left -= 1
                values.append(.bool(bytes[start + place.byte] & (0x80 >> place.bit) != 0))
            } else if let size = type.size {
                let part = bytes[(start + place.byte)..<(start + place.byte + size)]
                values.append(try type.decode(part, &left))
            } else {
                let (from, to) = (offsets.removeFirst(), ends.removeFirst())
                guard from <= to, to <= bytes.count else { throw ABIError() }
                values.append(try type.decode(bytes[(start + from)..<(start + to)], &left))
            }
        }
        return .values(values)
    }
}

// MARK: Writing

extension ABIType {
    /// Returns the only encoding of a value; nil if it is not a value of this type.
    func encode(_ value: ABIValue) -> [UInt8]? {
        switch (self, value) {
        case (.uint, .number(let bytes)), (.ufixed, .number(let bytes)),
            (.byte, .number(let bytes)),
            (.address, .address(let bytes)), (.array(.byte, _), .bytes(let bytes)):
            return bytes.count == size ? bytes : nil
        case (.bool, .bool(let isTrue)): return [isTrue ? 0x80 : 0]
        case (.string, .string(let text)): return Self.counted(Array(text.utf8), text.utf8.count)
        case (.list(.byte), .bytes(let bytes)): return Self.counted(bytes, bytes.count)
        case (.list(let element), .values(let values)):
            return Self.encode(values, Array(repeating: element, count: values.count))
                .flatMap { Self.counted($0, values.count) }
        case (.array(let element, let count), .values(let values)):
            guard values.count == count else { return nil }
            return Self.encode(values, Array(repeating: element, count: count))
        case (.tuple(let types), .values(let values)): return Self.encode(values, types)
        default: return nil
        }
    }

    private static func counted(_ bytes: [UInt8], _ count: Int) -> [UInt8]? {
        UInt16(exactly: count).map { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] + bytes }
    }

    private static func encode(_ values: [ABIValue], _ types: [ABIType]) -> [UInt8]? {
        let (places, headSize) = layout(of: types)
        guard let headSize, values.count == types.count else { return nil }
        var head = [UInt8](repeating: 0, count: headSize)
        var tail: [UInt8] = []
        for ((value, type), place) in zip(zip(values, types), places) {
            if type == .bool {
                guard case .bool(let isTrue) = value else { return nil }
                if isTrue { head[place.byte] |= 0x80 >> place.bit }
                continue
            }
            guard let bytes = type.encode(value) else { return nil }
            if type.isDynamic {
                guard let offset = UInt16(exactly: headSize + tail.count) else { return nil }
                head[place.byte] = UInt8(offset >> 8)
                head[place.byte + 1] = UInt8(truncatingIfNeeded: offset)
                tail += bytes
            } else {
                head.replaceSubrange(place.byte..<(place.byte + bytes.count), with: bytes)
            }
        }
        return head + tail
    }
}

// MARK: Sizes

extension ABIType {
    /// The number of bytes of every value; nil if that depends on the value, or is too large.
    var size: Int? {
        switch self {
        case .uint(let bits), .ufixed(let bits, _): bits / 8
        case .byte, .bool: 1
        case .address: AlgorandAddress.keyCount
        case .string, .list: nil
        case .array(.bool, let count): (count + 7) / 8
        case .array(let element, let count): element.size.flatMap { Self.bounded($0 * count) }
        case .tuple(let types): isDynamic ? nil : Self.layout(of: types).size
        }
    }

    /// No argument is longer than what a 16-bit offset reaches.
    private static func bounded(_ size: Int) -> Int? { size <= 65_535 ? size : nil }

    /// Returns the place of each value in the head of a tuple, and the size of the head; the size
    /// is nil if it is too large.
    ///
    /// Up to eight truth values that follow each other share a byte, the first in its highest bit.
    private static func layout(
        of types: [ABIType]
    ) -> (places: [(byte: Int, bit: Int)], size: Int?) {
        var places: [(byte: Int, bit: Int)] = []
        var size = 0
        var bit = 0
        for type in types {
            if type == .bool {
                if bit == 0 { size += 1 }
                places.append((size - 1, bit))
                bit = (bit + 1) % 8
                continue
            }
            bit = 0
            places.append((size, 0))
            guard let count = type.isDynamic ? 2 : type.size, let sum = bounded(size + count)
            else { return (places, nil) }
            size = sum
        }
        return (places, size)
    }
}
