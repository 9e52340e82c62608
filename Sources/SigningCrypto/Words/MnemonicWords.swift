// SPDX-License-Identifier: Apache-2.0

/// Walks over the words of a mnemonic: any white space separates, the case of letters does not
/// matter, and a word may be cut after four letters or more.
struct MnemonicWords: ~Copyable {
    private var position = 0
    private(set) var count = 0

    /// The index of the next word in the list; nil behind the last one.
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

    /// How many words a text has, whatever they are.
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

    /// Appends a word, behind a space unless it is the first, and returns the new end.
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

    /// The most room so many words take.
    static func bytesMax(count: Int) -> Int { count * (EnglishWordList.letterCountMax + 1) }

    /// Space, and tab, line feed, vertical tab, form feed, carriage return.
    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }
}

/// What can be told of a text before it is read as a mnemonic.
public enum MnemonicText {
    /// How many words it has, whatever they are.
    public static func wordCount(in text: Span<UInt8>) -> Int { MnemonicWords.count(in: text) }
}
