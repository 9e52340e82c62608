// SPDX-License-Identifier: Apache-2.0

/// The 25-word form of an Algorand seed.
///
/// It uses the word list of BIP-39 but not its encoding. 24 words contain the seed itself, 11 bits
/// each and the lowest bits first. The last word contains 11 bits of its SHA-512/256.
public enum AlgorandMnemonic {
    /// The number of words of a mnemonic.
    public static let wordCount = 25
    /// The length of the seed, an Ed25519 seed.
    public static let seedCount = 32

    /// Reads a mnemonic.
    ///
    /// Any white space separates words. Case is ignored, and a word may be cut after four or more
    /// characters.
    public static func seed(words: Span<UInt8>) throws(MnemonicError) -> SecretBytes {
        var last = 0
        let seed = try SecretBytes(countMax: encodedCount) { (bytes) throws(MnemonicError) in
            last = try decode(words, into: &bytes)
            // 24 words contain 264 bits, eight more than the seed.
            guard bytes[seedCount] == 0 else { throw .notCanonical }
            return seedCount
        }
        guard last == checksum(of: seed) else { throw .wrongChecksum }
        return seed
    }

    /// Writes a 32-byte seed as 25 words separated by one space.
    public static func words(seed: borrowing SecretBytes) -> SecretBytes {
        precondition(seed.count == seedCount, "the Algorand seed is not 32 bytes")
        let last = checksum(of: seed)
        return SecretBytes(countMax: MnemonicWords.bytesMax(count: wordCount)) { text in
            var end = 0
            for number in 0..<wordCount {
                let index = number < dataWordCount ? index(of: number, in: seed) : last
                end = MnemonicWords.append(index, to: &text, at: end)
            }
            return end
        }
    }

    /// Writes the bits of the first 24 words to `bytes`; returns the list index of the 25th word.
    private static func decode(
        _ words: Span<UInt8>, into bytes: inout MutableSpan<UInt8>
    ) throws(MnemonicError) -> Int {
        var walk = MnemonicWords()
        var bits = 0
        var bitCount = 0
        var end = 0
        var last = 0
        for number in 0..<wordCount {
            guard let index = try walk.next(in: words) else { throw wrongWordCount }
            last = index
            guard number < dataWordCount else { break }
            bits |= last << bitCount
            bitCount += bitsPerWord
            while bitCount >= 8 {
                bytes[end] = UInt8(truncatingIfNeeded: bits)
                end += 1
                bits >>= 8
                bitCount -= 8
            }
        }
        guard MnemonicWords.count(in: words) == wordCount else { throw wrongWordCount }
        return last
    }

    private static let wrongWordCount = MnemonicError.wrongWordCount(expected: [wordCount])

    /// Returns the 11 bits of the seed that the word with this number encodes.
    private static func index(of number: Int, in seed: borrowing SecretBytes) -> Int {
        seed.withSpan { seed in
            let firstBit = number * bitsPerWord
            var bits = 0
            // 11 bits at any offset lie within three bytes; zeros follow the seed.
            for (shift, byte) in zip([0, 8, 16], firstBit / 8..<min(firstBit / 8 + 3, seed.count)) {
                bits |= Int(seed[byte]) << shift
            }
            return (bits >> (firstBit % 8)) & indexMask
        }
    }

    private static func checksum(of seed: borrowing SecretBytes) -> Int {
        let digest = seed.withSpan { Digest.sha512_256($0) }
        return (Int(digest[0]) | Int(digest[1]) << 8) & indexMask
    }

    private static let bitsPerWord = 11
    private static let indexMask = (1 << bitsPerWord) - 1
    private static let dataWordCount = wordCount - 1
    private static let encodedCount = dataWordCount * bitsPerWord / 8
}
