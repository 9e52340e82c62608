// SPDX-License-Identifier: Apache-2.0

/// The messages of a browser to its host: each with its length before it, four bytes in the order
/// of the machine.
struct NativeMessages {
    /// Why the rest of an input means nothing.
    enum FramingError: Error, Hashable {
        /// A length beyond the limit, or none at all.
        case length(UInt32)
        /// The input ends within a message.
        case cutOff
    }

    /// The longest message that is taken, in bytes.
    static let takenBytesMax = 1 << 20
    /// The longest that browsers take of a host, in bytes.
    static let givenBytesMax = 1 << 20
    private static let lengthBytes = 4

    private var held: [UInt8] = []

    /// The messages that are whole with what has come; no more is held than one may have.
    mutating func take(_ bytes: some Sequence<UInt8>) throws(FramingError) -> [[UInt8]] {
        held.append(contentsOf: bytes)
        var messages: [[UInt8]] = []
        var start = 0
        while held.count - start >= Self.lengthBytes {
            let end = start + Self.lengthBytes
            let length = Self.length(held[start..<end])
            guard (1...UInt32(Self.takenBytesMax)).contains(length) else {
                throw .length(length)
            }
            guard held.count - end >= Int(length) else { break }
            messages.append(Array(held[end..<(end + Int(length))]))
            start = end + Int(length)
        }
        held.removeFirst(start)
        return messages
    }

    /// Nothing may be left when the input ends.
    func end() throws(FramingError) {
        guard held.isEmpty else { throw .cutOff }
    }

    /// A message as a browser takes it; nil where it is too long for one.
    static func framed(_ message: [UInt8]) -> [UInt8]? {
        guard message.count <= givenBytesMax else { return nil }
        let length = UInt32(message.count).littleEndian
        return (0..<lengthBytes).map { UInt8(truncatingIfNeeded: length >> (8 * UInt32($0))) }
            + message
    }

    private static func length(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        UInt32(littleEndian: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
}
