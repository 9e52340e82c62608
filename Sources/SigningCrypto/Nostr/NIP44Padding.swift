// SPDX-License-Identifier: Apache-2.0

extension NIP44 {
    /// Returns the padded length of a plaintext, without its length prefix.
    ///
    /// `count` must be one that `encrypt` accepts.
    public static func paddedCount(_ count: Int) -> Int {
        precondition((1...plaintextBytesMax).contains(count), "NIP-44 has no such length")
        guard count > paddedCountMin else { return paddedCountMin }
        // The power of two at or above `count`; a chunk is an eighth of it, but at least 32.
        let power = 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
        let chunk = max(paddedCountMin, power / 8)
        return (count + chunk - 1) / chunk * chunk
    }

    private static let paddedCountMin = 32

    /// The length at the start of the padded plaintext.
    ///
    /// Two bytes up to 65535; above that two zero bytes and then four.
    enum Prefix {
        static let smallCount = 2
        static let extendedCount = 6
        private static let smallMax = 0xFFFF

        static func bytes(of count: Int) -> [UInt8] {
            let bytes = (0..<4).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
            return count <= smallMax ? Array(bytes.suffix(smallCount)) : [0, 0] + bytes
        }

        /// Returns the range of the plaintext in a decrypted text; nil if prefix and length
        /// disagree.
        ///
        /// Version 2 does not require the padding to be zero.
        static func plaintextRange(in padded: [UInt8]) -> Range<Int>? {
            guard padded.count >= extendedCount else { return nil }
            var start = smallCount
            var count = number(padded[0..<smallCount])
            if count == 0 {
                start = extendedCount
                count = number(padded[smallCount..<extendedCount])
                guard count > smallMax else { return nil }
            }
            guard count <= plaintextBytesMax, padded.count == start + paddedCount(count) else {
                return nil
            }
            return start..<start + count
        }

        private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
            bytes.reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
