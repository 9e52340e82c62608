// SPDX-License-Identifier: Apache-2.0

/// Derivation of secp256k1 secrets by BIP-32; public derivation is not offered.
public enum BIP32 {
    /// The offset of the numbers of hardened children.
    public static let hardened: UInt32 = 1 << 31

    /// Derives the secret at the end of a path from a seed of 16 to 64 bytes.
    ///
    /// One in 2^127 children does not exist: that is `invalidSecretKey`.
    public static func secret(
        seed: borrowing SecretBytes, path: [UInt32]
    ) throws(CryptoError) -> SecretBytes {
        guard (16...64).contains(seed.count) else {
            throw .lengthOutOfRange(actual: seed.count, max: 64)
        }
        let key = "Bitcoin seed".utf8.span
        var node = seed.withSpan { HMACSHA512.code(key: key, $0) }
        _ = try Secp256k1Key(secret: secret(of: node))
        for number in path { node = try child(number, of: node) }
        return secret(of: node)
    }

    /// A node is its secret, then its chain code, 32 bytes each.
    private static func child(
        _ number: UInt32, of node: borrowing SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        let secret = secret(of: node)
        let isHardened = number >= hardened
        let head = isHardened ? [] : try Secp256k1Key.compressedPublicKey(of: secret)
        let data = SecretBytes(count: Secp256k1Key.secretCount + 5) { data in
            if isHardened {
                secret.withSpan { secret in
                    for index in secret.indices { data[1 + index] = secret[index] }
                }
            } else {
                for (index, byte) in head.enumerated() { data[index] = byte }
            }
            for shift in 0..<4 {
                data[33 + shift] = UInt8(truncatingIfNeeded: number >> (24 - 8 * shift))
            }
        }
        let code = data.withSpan { data in
            node.withSpan { HMACSHA512.code(key: $0.extracting(32..<64), data) }
        }
        let tweaked = try Secp256k1Key.sum(of: secret, and: Self.secret(of: code))
        return SecretBytes(count: 64) { output in
            tweaked.withSpan { secret in
                for index in 0..<32 { output[index] = secret[index] }
            }
            code.withSpan { code in for index in 32..<64 { output[index] = code[index] } }
        }
    }

    private static func secret(of node: borrowing SecretBytes) -> SecretBytes {
        node.withSpan { SecretBytes(copying: $0.extracting(0..<32)) }
    }
}

extension BIP32 {
    /// Parses a path such as `m/44'/283'/0'/0/0`; `hardened` is added to marked numbers.
    ///
    /// Nil if it is invalid or too deep.
    static func numbers(ofPath text: String, depthMax: Int) -> [UInt32]? {
        let parts = text.split(
            separator: "/", maxSplits: depthMax + 1, omittingEmptySubsequences: false)
        guard parts[0] == "m", parts.count <= depthMax + 1 else { return nil }
        var numbers: [UInt32] = []
        for part in parts.dropFirst() {
            let isHardened = part.last == "'"
            let digits = isHardened ? part.dropLast() : part
            // The integer initialiser alone would accept "+1" and "007".
            guard let number = UInt32(digits), number < hardened, String(number) == digits else {
                return nil
            }
            numbers.append(isHardened ? number + hardened : number)
        }
        return numbers
    }
}

/// Nostr keys from mnemonics (NIP-06): BIP-39, then the path m/44'/1237'/account'/0/0.
public enum NIP06 {
    /// The largest account number.
    public static let accountMax = BIP32.hardened - 1

    /// Returns the secret of an account; the passphrase may be empty.
    public static func secret(
        entropy: borrowing SecretBytes, passphrase: borrowing SecretBytes, account: UInt32
    ) throws(CryptoError) -> SecretBytes {
        guard account <= accountMax else { throw .unsupportedParameters }
        let seed = try BIP39.seed(entropy: entropy, passphrase: passphrase)
        let path = [44, 1_237, account].map { $0 + BIP32.hardened } + [0, 0]
        return try BIP32.secret(seed: seed, path: path)
    }
}
