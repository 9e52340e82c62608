// SPDX-License-Identifier: Apache-2.0

import SigningCrypto

/// A text with several secrets of Nostr, such as an export of a key manager.
///
/// Labels, comments and punctuation between the secrets do not matter.
enum NostrBundle {
    /// Reads every `nsec1...` and `ncryptsec1...`; one password opens all of the latter.
    static func read(_ source: borrowing KeySource, _ invocation: Invocation) throws -> KeyBundle {
        var bundle = KeyBundle()
        var password: SecretBytes?
        let places = source.bytes.withSpan { secrets(in: $0) }
        try KeyBundle.check(count: places.count, source.shown)
        for (place, line) in places {
            let text = source.bytes.withSpan { SecretBytes(copying: $0.extracting(place)) }
            if NIP49.isEncrypted(text), password == nil {
                password = try SecondSecret(invocation).read(
                    prompt: "password of the ncryptsec: ")
            }
            do {
                bundle.keys.append(BundledKey(try secret(text, password)))
            } catch {
                let error = CLIError(error)
                throw CLIError(
                    "line \(line) of \(source.shown): \(error.message)", hint: error.hint)
            }
        }
        for line in source.bytes.withSpan({ otherLines(in: $0) }) {
            bundle.leftOut.append("line \(line) has a secret that is not one of nostr")
        }
        if password == nil, invocation.arguments.has("--secret-fd") {
            throw CLIError.usage(
                "there is no ncryptsec in \(source.shown)", hint: "leave out --secret-fd")
        }
        return bundle
    }

    private static func secret(
        _ text: borrowing SecretBytes, _ password: borrowing SecretBytes?
    ) throws -> SecretBytes {
        guard NIP49.isEncrypted(text) else { return try SecretText.nostr(text) }
        switch password {
        case .some(let password): return try NIP49.decrypt(text, password: password)
        case .none: throw NIP49.ParseError.wrongPassword
        }
    }

    /// The words that begin like a secret, with the numbers of their lines from 1.
    static func secrets(in text: Span<UInt8>) -> [(place: Range<Int>, line: Int)] {
        var found: [(place: Range<Int>, line: Int)] = []
        var (start, line) = (0, 1)
        for end in 0...text.count {
            if end < text.count, SecretArguments.isLetterOrDigit(text[end]) { continue }
            let word = text.extracting(start..<end)
            if prefixes.contains(where: { begins(word, with: $0) }) {
                found.append((start..<end, line))
            }
            if end < text.count, text[end] == 0x0A { line += 1 }
            start = end + 1
        }
        return found
    }

    /// The numbers of the lines that are the words of a key, or contain a key of NEAR.
    private static func otherLines(in text: Span<UInt8>) -> [Int] {
        var found: [Int] = []
        var (start, line) = (0, 1)
        for end in 0...text.count where end == text.count || text[end] == 0x0A {
            if isOther(text.extracting(start..<end)) { found.append(line) }
            (start, line) = (end + 1, line + 1)
        }
        return found
    }

    private static func isOther(_ line: Span<UInt8>) -> Bool {
        let areWords =
            (try? BIP39.entropy(words: line)) != nil
            || (try? AlgorandMnemonic.seed(words: line)) != nil
        if areWords { return true }
        let prefix = SecretText.nearPrefix.utf8.span
        // The public key alone is shorter.
        return line.indices.contains { start in
            line.count - start >= prefix.count + 64
                && prefix.indices.allSatisfy { line[start + $0] == prefix[$0] }
        }
    }

    private static func begins(_ word: Span<UInt8>, with prefix: String) -> Bool {
        let prefix = prefix.utf8.span
        // The comparison ignores the case of ASCII letters.
        return word.count > prefix.count
            && prefix.indices.allSatisfy { word[$0] | 0x20 == prefix[$0] | 0x20 }
    }

    private static let prefixes = ["nsec1", "ncryptsec1"]
}
