// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// Reads the text forms of secret keys; the text stays in guarded memory.
public enum SecretText {
    /// The reasons that a text is not a secret key; they contain no part of it.
    public enum ParseError: Error, Hashable, Sendable {
        /// The text does not have the expected form.
        case malformed(expected: String)
        /// The text has another form, perhaps that of a public key.
        case another(_ what: String, expected: String)
        /// The public half in the text does not match the secret.
        case wrongPublicHalf
        /// The words are not a mnemonic.
        case mnemonic(MnemonicError)
    }

    /// Reads a 32-byte Nostr secret from `nsec1...` (NIP-19) or 64 hexadecimal digits.
    public static func nostr(_ text: borrowing SecretBytes) throws(ParseError) -> SecretBytes {
        let isHex = text.withSpan { span in content(of: span).count == 64 }
        return try decode(text, count: 32, expected: "nsec1... or 64 hexadecimal digits") {
            text, output throws(CodecError) in
            isHex
                ? try Hex.decode(text, into: &output, upperCase: .allowed)
                : try Bech32.decode(text, hrp: "nsec", into: &output)
        }
    }

    /// Reads a secret of `count` bytes from hexadecimal digits.
    public static func hex(
        _ text: borrowing SecretBytes, count: Int = 32
    ) throws(ParseError) -> SecretBytes {
        try decode(text, count: count, expected: "\(2 * count) hexadecimal digits") {
            text, output throws(CodecError) in
            try Hex.decode(text, into: &output, upperCase: .allowed)
        }
    }

    /// Reads a 32-byte Ed25519 seed from `ed25519:` and Base58 of 64 bytes (seed, public key) or
    /// 32.
    ///
    /// Without `ed25519:` it needs 64 bytes, because 32 could also be a public key.
    public static func near(_ text: borrowing SecretBytes) throws(ParseError) -> SecretBytes {
        let expected = "ed25519: followed by the secret key in Base58"
        for curve in ["secp256k1", "ml-dsa-65"] where begins(text, with: "\(curve):") {
            throw .another("a key of \(curve), and NEAR keys here are ed25519", expected: expected)
        }
        let start = begins(text, with: nearPrefix) ? nearPrefix.utf8.count : 0
        let both = try decode(text, count: nil, expected: expected) {
            text, output throws(CodecError) in
            try Base58.decode(text.extracting(start..<text.count), into: &output)
        }
        if start == 0, both.count == 32 {
            throw .another("32 bytes, a secret or a public key", expected: expected)
        }
        guard both.count == 32 || both.count == 64 else { throw .malformed(expected: expected) }
        let seed = both.withSpan { SecretBytes(copying: $0.extracting(0..<32)) }
        guard both.count == 64 else { return seed }
        guard let key = try? Ed25519Key(seed: seed) else { throw .malformed(expected: expected) }
        let isPublicHalf = both.withSpan { span in
            ConstantTime.isEqual(span.extracting(32..<64), key.publicKey.span)
        }
        guard isPublicHalf else { throw .wrongPublicHalf }
        return seed
    }

    package static let nearPrefix = "ed25519:"

    /// Reads a 32-byte Ed25519 seed from the 25 words that Algorand wallets show.
    public static func algorand(_ text: borrowing SecretBytes) throws(ParseError) -> SecretBytes {
        do throws(MnemonicError) {
            return try text.withSpan { words throws(MnemonicError) in
                try AlgorandMnemonic.seed(words: words)
            }
        } catch {
            throw .mnemonic(error)
        }
    }

    /// Returns the `nsec1...` text of a Nostr secret (NIP-19).
    public static func nsec(of secret: borrowing SecretBytes) -> SecretBytes {
        let count = Bech32.textCount(hrp: "nsec", count: secret.count)
        return SecretBytes(count: count) { text in
            secret.withSpan { Bech32.encode(hrp: "nsec", $0, into: &text) }
        }
    }

    /// Returns the lower-case hexadecimal digits of a secret.
    public static func hex(of secret: borrowing SecretBytes) -> SecretBytes {
        SecretBytes(count: 2 * secret.count) { text in
            secret.withSpan { Hex.encode($0, into: &text) }
        }
    }

    /// Decodes trimmed text into a secret of `count` bytes, or of any length if nil.
    private static func decode(
        _ text: borrowing SecretBytes, count: Int?, expected: String,
        _ body: (Span<UInt8>, inout MutableSpan<UInt8>) throws(CodecError) -> Int
    ) throws(ParseError) -> SecretBytes {
        do throws(CodecError) {
            return try text.withSpan { span throws(CodecError) in
                try SecretBytes(countMax: count ?? 64) { output throws(CodecError) in
                    let used = try body(span.extracting(content(of: span)), &output)
                    guard count == nil || used == count else { throw .truncated }
                    return used
                }
            }
        } catch {
            throw .malformed(expected: expected)
        }
    }

    /// Returns whether trimmed text begins with an ASCII prefix.
    package static func begins(_ text: borrowing SecretBytes, with prefix: String) -> Bool {
        text.withSpan { span in
            let (own, start) = (prefix.utf8.span, content(of: span).lowerBound)
            return span.count - start >= own.count
                && own.indices.allSatisfy { span[start + $0] == own[$0] }
        }
    }

    /// Returns the text without surrounding white space.
    package static func trimmed(_ text: borrowing SecretBytes) -> SecretBytes {
        text.withSpan { SecretBytes(copying: $0.extracting(content(of: $0))) }
    }

    /// Returns the range of the text without surrounding white space.
    static func content(of span: Span<UInt8>) -> Range<Int> {
        var start = 0
        var end = span.count
        while start < end, isSpace(span[start]) { start += 1 }
        while end > start, isSpace(span[end - 1]) { end -= 1 }
        return start..<end
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
