// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto

/// The hash chain of audit entries: the hash of an entry covers its body and all earlier entries.
package enum AuditChain {
    /// The previous hash of the first entry: 32 zero bytes.
    package static let origin = [UInt8](repeating: 0, count: hashCount)

    /// SHA-256 of previous hash, sequence (u64, big-endian) and body.
    package static func hash(after previous: [UInt8], sequence: Int64, body: [UInt8]) -> [UInt8] {
        var message = previous
        message.append(bigEndian: UInt64(bitPattern: sequence))
        message += body
        return Digest.sha256(message.span)
    }

    private static let hashCount = 32
}

/// The last entry of the chain: its number, time and hash.
package struct AuditHead: Hashable, Sendable {
    /// The number of the entry.
    package var sequence: Int64
    /// The time of the entry.
    package var time: Timestamp
    /// The hash of the entry.
    package var hash: [UInt8]

    /// Makes the head of a chain that ends with an entry.
    package init(sequence: Int64, time: Timestamp, hash: [UInt8]) {
        self.sequence = sequence
        self.time = time
        self.hash = hash
    }

    /// The value for a chain without entries.
    package static let empty = AuditHead(
        sequence: 0, time: Timestamp(seconds: .min), hash: AuditChain.origin)
}
