// SPDX-License-Identifier: Apache-2.0

/// The 25-word form of an Algorand seed.
///
/// It uses the word list of BIP-39 and nothing else of it: 24 words carry the seed itself, 11 bits
/// each and the lowest bits first; the last carries 11 bits of its SHA-512/256.
public enum AlgorandMnemonic {
    /// How many words a mnemonic has.
    public static let wordCount = 25
    /// Length of the seed, an Ed25519 seed.
    public static let seedCount = 32

    /// Reads a mnemonic.
    ///
    /// Any white space separates, the case of letters does not matter, and a word may be cut
    /// after four letters or more.
    public static func seed(words: Span<UInt8>) throws(MnemonicError) -> SecretBytes {
        var last = 0
        let seed = try SecretBytes(countMax: encodedCount) { (bytes) throws(MnemonicError) in
            last = try decode(words, into: &bytes)
            // 24 words hold 264 bits, eight more than the seed.
            guard bytes[seedCount] == 0 else { throw .notCanonical }
            return seedCount
        }
        guard last == checksum(of: seed) else { throw .wrongChecksum }
        return seed
    }

    /// Writes a 32-byte seed as 25 words with one space between.
    public static func words(seed: borrowing SecretBytes) -> SecretBytes {
        precondition(seed.count == seedCount, "An Algorand seed has 32 bytes.")
        let list = EnglishWordList.shared
        let last = checksum(of: seed)
        return SecretBytes(countMax: wordCount * (EnglishWordList.letterCountMax + 1)) { text in
            var end = 0
            for number in 0..<wordCount {
                let index = number < dataWordCount ? index(of: number, in: seed) : last
                if number > 0 {
                    text[end] = UInt8(ascii: " ")
                    end += 1
                }
                for letter in list.word(at: index) {
                    text[end] = letter
                    end += 1
                }
            }
            return end
        }
    }

    /// Writes the bits of the first 24 words to `bytes` and returns the index of the last.
    private static func decode(
        _ words: Span<UInt8>, into bytes: inout MutableSpan<UInt8>
    ) throws(MnemonicError) -> Int {
        var position = 0
        var bits = 0
        var bitCount = 0
        var end = 0
        var last = 0
        for number in 0..<wordCount {
            last = try nextIndex(in: words, from: &position, number: number + 1)
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
        guard nextWord(in: words, from: &position) == nil else {
            throw .wrongWordCount(expected: wordCount)
        }
        return last
    }

    private static func nextIndex(
        in words: Span<UInt8>, from position: inout Int, number: Int
    ) throws(MnemonicError) -> Int {
        guard let word = nextWord(in: words, from: &position) else {
            throw .wrongWordCount(expected: wordCount)
        }
        guard let index = EnglishWordList.shared.index(of: words.extracting(word)) else {
            throw .unknownWord(position: number)
        }
        return index
    }

    /// Where the next word lies; moves `position` behind it.
    private static func nextWord(
        in words: Span<UInt8>, from position: inout Int
    ) -> Range<Int>? {
        while position < words.count, isWhiteSpace(words[position]) { position += 1 }
        let start = position
        while position < words.count, !isWhiteSpace(words[position]) { position += 1 }
        return start < position ? start..<position : nil
    }

    /// Space, and tab, line feed, vertical tab, form feed, carriage return.
    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }

    /// The 11 bits of the seed that the word with this number stands for.
    private static func index(of number: Int, in seed: borrowing SecretBytes) -> Int {
        seed.withSpan { seed in
            let firstBit = number * bitsPerWord
            var bits = 0
            // 11 bits at any offset lie within three bytes; behind the seed stand zeros.
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
