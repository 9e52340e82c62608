// SPDX-License-Identifier: Apache-2.0

/// Iterates over the words of a mnemonic.
///
/// Any white space separates words. Case is ignored, and a word may be cut after four or more
/// characters.
struct MnemonicWords: ~Copyable {
    private var position = 0
    private(set) var count = 0

    /// Returns the list index of the next word; nil after the last one.
    mutating func next(in text: Span<UInt8>) throws(MnemonicError) -> Int? {
        while position < text.count, Self.isWhiteSpace(text[position]) { position += 1 }
        let start = position
        while position < text.count, !Self.isWhiteSpace(text[position]) { position += 1 }
        guard start < position else { return nil }
        count += 1
        let word = text.extracting(start..<position)
        guard let index = EnglishWordList.shared.index(of: word) else {
            throw .unknownWord(position: count)
        }
        return index
    }

    /// Returns the number of words in a text, known or unknown.
    static func count(in text: Span<UInt8>) -> Int {
        var count = 0
        var isInWord = false
        for index in text.indices {
            let isLetter = !isWhiteSpace(text[index])
            if isLetter, !isInWord { count += 1 }
            isInWord = isLetter
        }
        return count
    }

    /// Appends a word, with a space before it unless it is the first, and returns the new end.
    static func append(
        _ index: Int, to text: inout MutableSpan<UInt8>, at end: Int
    ) -> Int {
        var end = end
        if end > 0 {
            text[end] = UInt8(ascii: " ")
            end += 1
        }
        for letter in EnglishWordList.shared.word(at: index) {
            text[end] = letter
            end += 1
        }
        return end
    }

    /// Returns an upper bound of the bytes for this number of words.
    static func bytesMax(count: Int) -> Int { count * (EnglishWordList.letterCountMax + 1) }

    /// Space, and tab, line feed, vertical tab, form feed, carriage return.
    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }
}

/// Properties of a text before it is read as a mnemonic.
public enum MnemonicText {
    /// Returns the number of words, known or unknown.
    public static func wordCount(in text: Span<UInt8>) -> Int { MnemonicWords.count(in: text) }
}

/// The errors in a mnemonic; they contain no word of it.
public enum MnemonicError: Error, Hashable, Sendable {
    /// The number of words is wrong.
    case wrongWordCount(expected: [Int])
    /// The word at this position, counted from 1, is not in the list.
    case unknownWord(position: Int)
    /// All words are known, but they do not encode a key.
    case notCanonical
    /// The last word does not match the others.
    case wrongChecksum
}
