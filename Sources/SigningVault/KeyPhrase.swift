// SPDX-License-Identifier: Apache-2.0

package import SigningCrypto

/// The words (mnemonic) from which a key was made.
///
/// The vault stores them besides the key, as they cannot be computed from the key.
package struct KeyPhrase: ~Copyable, Sendable {
    /// The derivation of a key from its words.
    package enum Place: Hashable, Sendable {
        /// The number of the account in the path of NIP-06.
        case account(UInt32)
        /// The full derivation path of SLIP-10.
        case path(SLIP10.Path)
        /// The full derivation path of BIP32-Ed25519, and the mode of derivation.
        case extended(BIP32Ed25519.Path, BIP32Ed25519.Mode)
    }

    /// The entropy that the words encode (BIP-39).
    package let entropy: SecretBytes
    /// The derivation of the key from the words.
    package let place: Place
    /// True if the key was made from the words and a passphrase, which is not stored.
    package let hasPassphrase: Bool

    /// Creates the value from its parts.
    package init(entropy: consuming SecretBytes, place: Place, hasPassphrase: Bool) {
        self.entropy = entropy
        self.place = place
        self.hasPassphrase = hasPassphrase
    }
}

// The sealed form: version, whether there is a passphrase, derivation, entropy. In version 1 the
// derivation is the account; in version 2 it is the count of the path's numbers, then the numbers;
// in version 3 the mode precedes the count. Numbers have four bytes, most significant first.

extension KeyPhrase {
    var record: SecretBytes {
        let head = head
        return SecretBytes(count: head.count + entropy.count) { bytes in
            for index in head.indices { bytes[index] = head[index] }
            entropy.withSpan { entropy in
                for index in entropy.indices { bytes[head.count + index] = entropy[index] }
            }
        }
    }

    init?(record: borrowing SecretBytes) {
        guard let (place, headCount) = record.withSpan({ Self.place(in: $0) }) else { return nil }
        let mark = record.withSpan { $0[1] }
        guard mark <= 1, record.count > headCount else { return nil }
        let entropy = record.withSpan {
            SecretBytes(copying: $0.extracting(headCount..<$0.count))
        }
        self.init(entropy: entropy, place: place, hasPassphrase: mark == 1)
    }

    private static let accountVersion: UInt8 = 1
    private static let pathVersion: UInt8 = 2
    private static let extendedVersion: UInt8 = 3

    private var head: [UInt8] {
        let mark: UInt8 = hasPassphrase ? 1 : 0
        return switch place {
        case .account(let number): [Self.accountVersion, mark] + Self.bytes(of: number)
        case .path(let path):
            [Self.pathVersion, mark, UInt8(path.numbers.count)]
                + path.numbers.flatMap { Self.bytes(of: $0) }
        case .extended(let path, let mode):
            [Self.extendedVersion, mark, mode == .peikert ? 0 : 1, UInt8(path.numbers.count)]
                + path.numbers.flatMap { Self.bytes(of: $0) }
        }
    }

    /// Parses the derivation of a record; also returns the offset of the entropy.
    private static func place(in record: Span<UInt8>) -> (Place, headCount: Int)? {
        guard record.count > 2 else { return nil }
        switch record[0] {
        case accountVersion:
            guard record.count >= 6 else { return nil }
            return (.account(number(in: record, at: 2)), 6)
        case pathVersion:
            guard let (numbers, end) = numbers(in: record, at: 2) else { return nil }
            return SLIP10.Path(numbers: numbers).map { (.path($0), end) }
        case extendedVersion:
            let mode: BIP32Ed25519.Mode = record[2] == 0 ? .peikert : .khovratovich
            guard record[2] <= 1, let (numbers, end) = numbers(in: record, at: 3) else {
                return nil
            }
            return BIP32Ed25519.Path(numbers: numbers).map { (.extended($0, mode), end) }
        default: return nil
        }
    }

    /// Parses numbers after their count; also returns the offset of their end.
    private static func numbers(in record: Span<UInt8>, at start: Int) -> ([UInt32], end: Int)? {
        guard record.count > start else { return nil }
        let end = start + 1 + 4 * Int(record[start])
        guard record.count >= end else { return nil }
        return (stride(from: start + 1, to: end, by: 4).map { number(in: record, at: $0) }, end)
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func number(in bytes: Span<UInt8>, at start: Int) -> UInt32 {
        (start..<start + 4).reduce(0) { $0 << 8 | UInt32(bytes[$1]) }
    }
}
