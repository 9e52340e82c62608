// SPDX-License-Identifier: Apache-2.0

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
