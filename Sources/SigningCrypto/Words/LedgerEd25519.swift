// SPDX-License-Identifier: Apache-2.0

/// Derivation of Ed25519 seeds in the Algorand app of Ledger devices.
///
/// The root is that of SLIP-10, repeated until its third highest bit is zero. Children are those of
/// BIP32-Ed25519 with 224 bits. The left half of the last child is used as an ordinary seed, not as
/// a scalar: the app passes it to the device as a private key of 32 bytes.
public enum LedgerEd25519 {
    /// Derives the seed at the end of a path from the words of BIP-39; the passphrase may be empty.
    public static func secret(
        entropy: borrowing SecretBytes, passphrase: borrowing SecretBytes, path: BIP32Ed25519.Path
    ) throws(CryptoError) -> SecretBytes {
        var node = root(seed: try BIP39.seed(entropy: entropy, passphrase: passphrase))
        for number in path.numbers {
            node = try BIP32Ed25519.child(number, of: node, .khovratovich)
        }
        return node.withSpan { SecretBytes(copying: $0.extracting(0..<Ed25519Key.seedCount)) }
    }

    private static func root(seed: borrowing SecretBytes) -> SecretBytes {
        let key = "ed25519 seed".utf8.span
        var secret = seed.withSpan { HMACSHA512.code(key: key, $0) }
        while secret.withSpan({ $0[31] & 0x20 != 0 }) {
            secret = secret.withSpan { HMACSHA512.code(key: key, $0) }
        }
        let code = chainCode(of: seed, key)
        return SecretBytes(count: BIP32Ed25519.nodeCount) { node in
            secret.withSpan { secret in
                for index in secret.indices { node[index] = secret[index] }
            }
            node[0] &= 0xF8
            node[31] = node[31] & 0x7F | 0x40
            let start = BIP32Ed25519.chainCodeStart
            code.withSpan { code in
                for index in code.indices { node[start + index] = code[index] }
            }
        }
    }

    private static func chainCode(
        of seed: borrowing SecretBytes, _ key: Span<UInt8>
    ) -> SecretBytes {
        SecretBytes(count: Digest.sha256Count) { code in
            let mac = HMACSHA256(key: key)
            let mark: [UInt8] = [1]
            mac.update(mark.span)
            seed.withSpan { mac.update($0) }
            mac.finish(into: &code, at: 0)
        }
    }
}
