// SPDX-License-Identifier: Apache-2.0

/// Derivation of Ed25519 seeds by SLIP-10, where every child is hardened.
public enum SLIP10 {
    /// Derives the seed at the end of a path from a seed of 16 to 64 bytes.
    public static func secret(
        seed: borrowing SecretBytes, path: Path
    ) throws(CryptoError) -> SecretBytes {
        let node = try node(seed: seed, path: path)
        return node.withSpan { SecretBytes(copying: $0.extracting(0..<Ed25519Key.seedCount)) }
    }

    /// Derives the seed from the words of BIP-39; the passphrase may be empty.
    public static func secret(
        entropy: borrowing SecretBytes, passphrase: borrowing SecretBytes, path: Path
    ) throws(CryptoError) -> SecretBytes {
        try secret(seed: BIP39.seed(entropy: entropy, passphrase: passphrase), path: path)
    }

    /// A node is its secret, then its chain code, 32 bytes each.
    static func node(
        seed: borrowing SecretBytes, path: Path
    ) throws(CryptoError) -> SecretBytes {
        guard (16...64).contains(seed.count) else {
            throw .lengthOutOfRange(actual: seed.count, max: 64)
        }
        let key = "ed25519 seed".utf8.span
        var node = seed.withSpan { HMACSHA512.code(key: key, $0) }
        for number in path.numbers { node = child(number, of: node) }
        return node
    }

    private static func child(_ number: UInt32, of node: borrowing SecretBytes) -> SecretBytes {
        let data = SecretBytes(count: Ed25519Key.seedCount + 5) { data in
            node.withSpan { node in
                for index in 0..<Ed25519Key.seedCount { data[1 + index] = node[index] }
            }
            let number = number + BIP32.hardened
            for shift in 0..<4 {
                data[33 + shift] = UInt8(truncatingIfNeeded: number >> (24 - 8 * shift))
            }
        }
        return data.withSpan { data in
            node.withSpan { HMACSHA512.code(key: $0.extracting(32..<64), data) }
        }
    }
}

extension SLIP10 {
    /// The path from a seed to a key: `m`, then the number of each child.
    public struct Path: Hashable, Sendable {
        /// The most children on one path.
        public static let depthMax = 10
        /// The largest number of a child.
        public static let numberMax = BIP32.hardened - 1

        /// The numbers without the hardened bit.
        public let numbers: [UInt32]

        /// Makes a path of numbers; nil if it is too deep or a number is too large.
        public init?(numbers: [UInt32]) {
            guard numbers.count <= Self.depthMax, numbers.allSatisfy({ $0 <= Self.numberMax })
            else { return nil }
            self.numbers = numbers
        }

        /// Reads a path such as `m/44'/397'/0'`; every number needs its mark.
        public init?(_ text: String) {
            guard let numbers = BIP32.numbers(ofPath: text, depthMax: Self.depthMax),
                numbers.allSatisfy({ $0 >= BIP32.hardened })
            else { return nil }
            self.init(numbers: numbers.map { $0 - BIP32.hardened })
        }

        /// The path in text form.
        public var text: String { numbers.reduce("m") { "\($0)/\($1)'" } }

        /// The default path of NEAR wallets.
        public static let near = Path(known: [44, 397, 0])

        private init(known: [UInt32]) { numbers = known }
    }
}
