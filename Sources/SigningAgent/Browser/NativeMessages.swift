// SPDX-License-Identifier: Apache-2.0

/// Frames the messages between a browser and its host: each follows its length, four bytes in
/// native byte order.
struct NativeMessages {
    /// The reasons that the rest of an input cannot be read.
    enum FramingError: Error, Hashable {
        /// The length is 0 or beyond the limit.
        case length(UInt32)
        /// The input ends within a message.
        case cutOff
    }

    /// The longest message that is accepted, in bytes.
    static let takenBytesMax = 1 << 20
    /// The longest message that browsers accept from a host, in bytes.
    static let givenBytesMax = 1 << 20
    private static let lengthBytes = 4

    private var held: [UInt8] = []

    /// Returns the messages that are complete; buffers at most one incomplete message.
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

    /// Throws if the input ends within a message.
    func end() throws(FramingError) {
        guard held.isEmpty else { throw .cutOff }
    }

    /// A message in the browser's framing; nil if it is too long.
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
