// SPDX-License-Identifier: Apache-2.0

public import SigningCrypto

/// The words a key was made from, which cannot be had from the key itself.
public struct KeyPhrase: ~Copyable, Sendable {
    /// Which of the keys of the same words it is.
    public enum Place: Hashable, Sendable {
        /// The number of the account on the path of NIP-06.
        case account(UInt32)
        /// The whole path of SLIP-10.
        case path(SLIP10.Path)
    }

    /// The entropy the words stand for (BIP-39).
    public let entropy: SecretBytes
    /// Which of the keys of the words it is.
    public let place: Place
    /// Whether a passphrase belongs to the words; it is not kept.
    public let hasPassphrase: Bool

    /// Puts them together.
    public init(entropy: consuming SecretBytes, place: Place, hasPassphrase: Bool) {
        self.entropy = entropy
        self.place = place
        self.hasPassphrase = hasPassphrase
    }
}

// As it is sealed: version, whether there is a passphrase, place, entropy. The place is the
// account in version 1; in version 2 it is the count of the path's numbers, then these.
// Numbers have four bytes, the highest first.

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

    private var head: [UInt8] {
        let mark: UInt8 = hasPassphrase ? 1 : 0
        return switch place {
        case .account(let number): [Self.accountVersion, mark] + Self.bytes(of: number)
        case .path(let path):
            [Self.pathVersion, mark, UInt8(path.numbers.count)]
                + path.numbers.flatMap { Self.bytes(of: $0) }
        }
    }

    /// The place in a record, and where the entropy begins.
    private static func place(in record: Span<UInt8>) -> (Place, headCount: Int)? {
        guard record.count > 2 else { return nil }
        switch record[0] {
        case accountVersion:
            guard record.count >= 6 else { return nil }
            return (.account(number(in: record, at: 2)), 6)
        case pathVersion:
            let count = 3 + 4 * Int(record[2])
            guard record.count >= count else { return nil }
            let numbers = stride(from: 3, to: count, by: 4).map { number(in: record, at: $0) }
            return SLIP10.Path(numbers: numbers).map { (.path($0), count) }
        default: return nil
        }
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func number(in bytes: Span<UInt8>, at start: Int) -> UInt32 {
        (start..<start + 4).reduce(0) { $0 << 8 | UInt32(bytes[$1]) }
    }
}
