// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto

/// The hash chain of audit entries: the hash of an entry covers its body and all earlier entries.
enum AuditChain {
    /// The previous hash of the first entry: 32 zero bytes.
    static let origin = [UInt8](repeating: 0, count: hashCount)

    /// SHA-256 of previous hash, sequence (u64, big-endian) and body.
    static func hash(after previous: [UInt8], sequence: Int64, body: [UInt8]) -> [UInt8] {
        var message = previous
        message.append(bigEndian: UInt64(bitPattern: sequence))
        message += body
        return Digest.sha256(message.span)
    }

    private static let hashCount = 32
}

/// The last entry of the chain: its number, time and hash.
struct AuditHead: Hashable, Sendable {
    var sequence: Int64
    var time: Timestamp
    var hash: [UInt8]

    /// The value for a chain without entries.
    static let empty = AuditHead(
        sequence: 0, time: Timestamp(seconds: .min), hash: AuditChain.origin)
}
