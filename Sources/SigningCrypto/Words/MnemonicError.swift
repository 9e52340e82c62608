// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a mnemonic; never a word of it.
public enum MnemonicError: Error, Hashable, Sendable {
    /// There are more or fewer words than there must be.
    case wrongWordCount(expected: [Int])
    /// The word at this position, counted from 1, is not in the list.
    case unknownWord(position: Int)
    /// All words are known, but they encode no key.
    case notCanonical
    /// The last word does not fit the others.
    case wrongChecksum
}
