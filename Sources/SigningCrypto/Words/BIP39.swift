// SPDX-License-Identifier: Apache-2.0

/// Mnemonics of BIP-39 in English: 12 to 24 words that encode entropy and a checksum.
public enum BIP39 {
    /// The permitted numbers of words.
    public static let wordCounts = [12, 15, 18, 21, 24]
    /// The length of the seed.
    public static let seedCount = 64

    /// Makes fresh entropy for this number of words, one of `wordCounts`.
    public static func makeEntropy(wordCount: Int) -> SecretBytes {
        precondition(wordCounts.contains(wordCount), "BIP-39 has no such word count")
        return SecretBytes.random(count: wordCount * bitsPerWord / 33 * 4)
    }

    /// Writes entropy as words separated by one space.
    public static func words(entropy: borrowing SecretBytes) -> SecretBytes {
        precondition([16, 20, 24, 28, 32].contains(entropy.count), "BIP-39 has no such length")
        let checksum = checksum(of: entropy)
        let wordCount = entropy.count * 3 / 4
        return SecretBytes(countMax: MnemonicWords.bytesMax(count: wordCount)) { text in
            var end = 0
            for number in 0..<wordCount {
                let index = entropy.withSpan { Self.index(of: number, in: $0, then: checksum) }
                end = MnemonicWords.append(index, to: &text, at: end)
            }
            return end
        }
    }

    /// Reads a mnemonic and checks it.
    public static func entropy(words: Span<UInt8>) throws(MnemonicError) -> SecretBytes {
        let wordCount = MnemonicWords.count(in: words)
        guard wordCounts.contains(wordCount) else { throw .wrongWordCount(expected: wordCounts) }
        var last: UInt8 = 0
        let entropyCount = wordCount * 4 / 3
        let entropy = try SecretBytes(
            countMax: entropyCount + 1
        ) { (bytes) throws(MnemonicError) in
            try decode(words, into: &bytes)
            last = bytes[entropyCount]
            return entropyCount
        }
        let checksumBits = entropyCount / 4
        guard last >> (8 - checksumBits) == checksum(of: entropy) >> (8 - checksumBits) else {
            throw .wrongChecksum
        }
        return entropy
    }

    /// Returns the seed of a mnemonic after checking it; the passphrase may be empty.
    public static func seed(
        entropy: borrowing SecretBytes, passphrase: borrowing SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        let normal = try UnicodeNormalization.apply(.nfkd, to: passphrase)
        let prefix = "mnemonic".utf8.span
        let salt = SecretBytes(count: prefix.count + normal.count) { bytes in
            for index in prefix.indices { bytes[index] = prefix[index] }
            normal.withSpan { normal in
                for index in normal.indices { bytes[prefix.count + index] = normal[index] }
            }
        }
        return try PBKDF2.sha512(
            password: words(entropy: entropy), salt: salt, rounds: rounds, count: seedCount)
    }

    /// Writes the bits of all words, the highest first; the checksum's bits are the last ones.
    private static func decode(
        _ text: Span<UInt8>, into bytes: inout MutableSpan<UInt8>
    ) throws(MnemonicError) {
        var words = MnemonicWords()
        var bits = 0
        var bitCount = 0
        var end = 0
        while let index = try words.next(in: text) {
            bits = (bits & 0xFF) << bitsPerWord | index
            bitCount += bitsPerWord
            while bitCount >= 8 {
                bitCount -= 8
                bytes[end] = UInt8(truncatingIfNeeded: bits >> bitCount)
                end += 1
            }
        }
        if bitCount > 0 { bytes[end] = UInt8(truncatingIfNeeded: bits << (8 - bitCount)) }
    }

    /// Returns the 11 bits that the word with this number encodes.
    private static func index(
        of number: Int, in entropy: Span<UInt8>, then checksum: UInt8
    ) -> Int {
        let firstBit = number * bitsPerWord
        var bits = 0
        for byte in firstBit / 8..<firstBit / 8 + 3 {
            let value =
                byte < entropy.count ? entropy[byte] : byte == entropy.count ? checksum : 0
            bits = bits << 8 | Int(value)
        }
        return bits >> (24 - bitsPerWord - firstBit % 8) & 0x7FF
    }

    private static func checksum(of entropy: borrowing SecretBytes) -> UInt8 {
        entropy.withSpan { Digest.sha256($0) }[0]
    }

    private static let bitsPerWord = 11
    private static let rounds: Int32 = 2_048
}
