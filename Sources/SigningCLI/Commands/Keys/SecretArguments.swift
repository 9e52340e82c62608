// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCrypto

/// Finds secrets among the arguments, where the shell's history and other programs see them.
enum SecretArguments {
    /// Refuses a command line of any command with a secret key in it; the error does not repeat it.
    static func check(_ words: [String]) throws {
        for word in words {
            let value =
                word.hasPrefix("--")
                ? word.split(separator: "=", maxSplits: 1).last.map(String.init) ?? word : word
            if isKey(value) || isMnemonic(value) { throw refusal }
        }
        let plain = words.filter { !$0.hasPrefix("-") }
        for start in plain.indices {
            for count in BIP39.wordCounts + [AlgorandMnemonic.wordCount]
            where start + count <= plain.count {
                if isMnemonic(plain[start..<start + count].joined(separator: " ")) {
                    throw refusal
                }
            }
        }
    }

    /// True if a text in place of the name of a file is a secret, in any form that is imported.
    static func isSecret(_ text: String) -> Bool {
        guard !KeySource.exists(text) else { return false }
        let isLong = text.utf8.count >= 32 && text.utf8.allSatisfy(isLetterOrDigit)
        // Words with a spelling mistake give away nearly as much as the right ones.
        let words = text.utf8.split { [0x20, 0x09, 0x0A].contains($0) }
        let areWords = words.count >= 12 && words.allSatisfy { $0.allSatisfy(isLetterOrDigit) }
        return isKey(text) || isMnemonic(text) || isLong || areWords
    }

    static let refusal = CLIError.usage(
        "a secret does not belong among the arguments: the shell's history keeps it, and other "
            + "programs can read it",
        hint: "remove it from the history; give it in a file or on standard input")

    /// True for an nsec, an ncryptsec, and the pair of secret and public key that NEAR writes.
    private static func isKey(_ text: String) -> Bool {
        let lower = text.lowercased()
        for prefix in ["nsec1", "ncryptsec1"]
        where lower.hasPrefix(prefix) && lower.utf8.count >= 32 {
            if lower.utf8.allSatisfy(isLetterOrDigit) { return true }
        }
        guard text.utf8.count <= 128, text.hasPrefix(SecretText.nearPrefix),
            let both = try? Base58.decode(String(text.dropFirst(SecretText.nearPrefix.count)))
        else { return false }
        // A signature has the same form, but its second half is no public key of the first.
        return both.count == 64
            && (try? SecretText.near(SecretBytes(copying: text.utf8.span))) != nil
    }

    private static func isMnemonic(_ text: String) -> Bool {
        guard text.utf8.count <= 512 else { return false }
        let words = text.utf8.span
        return (try? BIP39.entropy(words: words)) != nil
            || (try? AlgorandMnemonic.seed(words: words)) != nil
    }

    /// True for the letters and digits of ASCII, of which encoded keys and words consist.
    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}
