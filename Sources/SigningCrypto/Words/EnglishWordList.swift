// SPDX-License-Identifier: Apache-2.0

/// The 2048 English words of BIP-39, in alphabetical order.
struct EnglishWordList: Sendable {
    static let shared = EnglishWordList()
    /// The length of the longest word.
    static let letterCountMax = 8

    private let letters: [UInt8]
    private let ranges: [Range<Int>]

    private init() {
        letters = Array(Self.text.utf8)
        ranges = letters.split(separator: UInt8(ascii: " ")).map(\.indices)
    }

    /// Returns the characters of the word with this index.
    func word(at index: Int) -> ArraySlice<UInt8> {
        letters[ranges[index]]
    }

    /// Returns the index of a word, in any case, complete or cut after four or more characters.
    ///
    /// The first four characters of a word are unique.
    func index(of word: Span<UInt8>) -> Int? {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(middle, word) { low = middle + 1 } else { high = middle }
        }
        guard low < ranges.count, word.count >= min(ranges[low].count, Self.abbreviationMin),
            isPrefix(word, of: low)
        else { return nil }
        return low
    }

    /// Returns whether the word with this index comes before `word` in the alphabet.
    private func isBefore(_ index: Int, _ word: Span<UInt8>) -> Bool {
        let listed = ranges[index]
        for offset in 0..<min(listed.count, word.count) {
            let (left, right) = (letters[listed.lowerBound + offset], Self.small(word[offset]))
            if left != right { return left < right }
        }
        return listed.count < word.count
    }

    private func isPrefix(_ word: Span<UInt8>, of index: Int) -> Bool {
        let listed = ranges[index]
        guard word.count <= listed.count else { return false }
        return word.indices.allSatisfy { offset in
            letters[listed.lowerBound + offset] == Self.small(word[offset])
        }
    }

    private static func small(_ letter: UInt8) -> UInt8 {
        let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter)
        return isCapital ? letter | 0x20 : letter
    }

    private static let abbreviationMin = 4
}
