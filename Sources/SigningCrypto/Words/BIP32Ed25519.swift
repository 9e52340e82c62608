// SPDX-License-Identifier: Apache-2.0

/// Derivation of extended Ed25519 secrets (BIP32-Ed25519), as ARC-52 uses it.
///
/// Children are hardened or not; public derivation is not offered.
public enum BIP32Ed25519 {
    /// The number of bits of a hash that are added to a parent's secret.
    public enum Mode: String, CaseIterable, Hashable, Sendable {
        /// 247 bits, after Chris Peikert; used by Algorand's wallets.
        case peikert
        /// 224 bits, the original definition of Khovratovich and Law.
        case khovratovich
    }

    /// Derives the extended secret at the end of a path from a seed of BIP-39.
    public static func secret(
        seed: borrowing SecretBytes, path: Path, mode: Mode
    ) throws(CryptoError) -> SecretBytes {
        let node = try node(seed: seed, path: path, mode: mode)
        return node.withSpan { SecretBytes(copying: $0.extracting(0..<chainCodeStart)) }
    }

    /// Derives the extended secret from the words of BIP-39; the passphrase may be empty.
    public static func secret(
        entropy: borrowing SecretBytes, passphrase: borrowing SecretBytes, path: Path, mode: Mode
    ) throws(CryptoError) -> SecretBytes {
        try secret(
            seed: BIP39.seed(entropy: entropy, passphrase: passphrase), path: path, mode: mode)
    }

    /// A node is its extended secret of 64 bytes, then its chain code of 32.
    static func node(
        seed: borrowing SecretBytes, path: Path, mode: Mode
    ) throws(CryptoError) -> SecretBytes {
        guard (16...64).contains(seed.count) else {
            throw .lengthOutOfRange(actual: seed.count, max: 64)
        }
        var node = root(seed: seed)
        for number in path.numbers { node = try child(number, of: node, mode) }
        return node
    }

    private static func root(seed: borrowing SecretBytes) -> SecretBytes {
        let none: [UInt8] = []
        var secret = seed.withSpan { SHA512.digest($0, none.span) }
        // With the third highest bit set, the secrets of children could exceed 255 bits.
        while secret.withSpan({ $0[31] & 0x20 != 0 }) {
            secret = secret.withSpan { bytes in
                HMACSHA512.code(key: bytes.extracting(0..<32), bytes.extracting(32..<64))
            }
        }
        let marked = SecretBytes(count: seed.count + 1) { bytes in
            bytes[0] = 1
            seed.withSpan { seed in
                for index in seed.indices { bytes[1 + index] = seed[index] }
            }
        }
        let chainCode = SecretBytes(count: Digest.sha256Count) { output in
            marked.withSpan { Digest.sha256($0, into: &output) }
        }
        return SecretBytes(count: nodeCount) { node in
            secret.withSpan { secret in
                for index in secret.indices { node[index] = secret[index] }
            }
            node[0] &= 0xF8
            node[31] = node[31] & 0x7F | 0x40
            chainCode.withSpan { code in
                for index in code.indices { node[chainCodeStart + index] = code[index] }
            }
        }
    }

    static func child(
        _ number: UInt32, of node: borrowing SecretBytes, _ mode: Mode
    ) throws(CryptoError) -> SecretBytes {
        let isHardened = number >= BIP32.hardened
        let publicKey = isHardened ? [] : Ed25519Scalar.point(node)
        guard let publicKey else { throw .invalidSecretKey }
        let change = code(isHardened ? 0 : 2, number, publicKey, of: node)
        let chainCode = code(isHardened ? 1 : 3, number, publicKey, of: node)
        return SecretBytes(count: nodeCount) { child in
            node.withSpan { node in
                change.withSpan { change in
                    add(change, to: node, mode, into: &child)
                }
            }
            chainCode.withSpan { code in
                for index in 32..<64 { child[32 + index] = code[index] }
            }
        }
    }

    /// Adds eight times the masked left half of the HMAC `change` to the left half of a secret, and
    /// the right half of the HMAC to the right half.
    private static func add(
        _ change: Span<UInt8>, to node: Span<UInt8>, _ mode: Mode,
        into child: inout MutableSpan<UInt8>
    ) {
        var left: UInt32 = 0
        var right: UInt32 = 0
        for index in 0..<32 {
            left += UInt32(node[index]) + UInt32(change[index] & mode.mask(of: index)) << 3
            right += UInt32(node[32 + index]) + UInt32(change[32 + index])
            child[index] = UInt8(truncatingIfNeeded: left)
            child[32 + index] = UInt8(truncatingIfNeeded: right)
            left >>= 8
            right >>= 8
        }
    }

    /// Returns a child's HMAC, of the parent's public key or, if that is empty, of its secret.
    private static func code(
        _ mark: UInt8, _ number: UInt32, _ publicKey: [UInt8], of node: borrowing SecretBytes
    ) -> SecretBytes {
        let contentCount = publicKey.isEmpty ? chainCodeStart : publicKey.count
        let data = SecretBytes(count: contentCount + 5) { data in
            data[0] = mark
            node.withSpan { node in
                for index in 0..<contentCount {
                    data[1 + index] = publicKey.isEmpty ? node[index] : publicKey[index]
                }
            }
            for shift in 0..<4 {
                data[1 + contentCount + shift] = UInt8(truncatingIfNeeded: number >> (8 * shift))
            }
        }
        return data.withSpan { data in
            node.withSpan { node in
                HMACSHA512.code(key: node.extracting(chainCodeStart..<nodeCount), data)
            }
        }
    }

    static let chainCodeStart = 64
    static let nodeCount = 96
}

extension BIP32Ed25519.Mode {
    /// Returns the bits of a byte that are added; the highest bits of the left half are dropped.
    fileprivate func mask(of index: Int) -> UInt8 {
        switch self {
        case .peikert: index < 30 ? 0xFF : index == 30 ? 0x7F : 0
        case .khovratovich: index < 28 ? 0xFF : 0
        }
    }
}
