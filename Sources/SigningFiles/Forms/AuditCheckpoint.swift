// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningCrypto

/// A signed statement of the last entry of the audit chain at a time.
///
/// If that entry is missing or different later, the statement reveals it.
package struct AuditCheckpoint: Hashable, Sendable {
    /// The number of the last entry that the checkpoint covers.
    package let sequence: Int64
    /// The hash of that entry.
    package let headHash: [UInt8]
    /// The time of the checkpoint.
    package let time: Timestamp
    /// The Ed25519 signature of the log key.
    package let signature: [UInt8]

    /// Creates a checkpoint from its parts.
    package init(sequence: Int64, headHash: [UInt8], time: Timestamp, signature: [UInt8]) {
        self.sequence = sequence
        self.headHash = headHash
        self.time = time
        self.signature = signature
    }

    /// Signs the end of the chain.
    package init(
        _ head: AuditHead, at time: Timestamp, signedBy key: borrowing Ed25519Key
    ) throws(CryptoError) {
        let message = Self.message(sequence: head.sequence, headHash: head.hash, time: time)
        self.init(
            sequence: head.sequence, headHash: head.hash, time: time,
            signature: try key.sign(message.span))
    }

    /// True if the log key made the signature.
    package func isSigned(by logPublicKey: [UInt8]) -> Bool {
        let message = Self.message(sequence: sequence, headHash: headHash, time: time)
        return Signatures.isValidEd25519(
            signature: signature.span, message: message.span, publicKey: logPublicKey.span)
    }

    /// The message that the log key signs: name, sequence (u64), head hash, time (i64), all
    /// big-endian.
    package static func message(sequence: Int64, headHash: [UInt8], time: Timestamp) -> [UInt8] {
        var message = Array("countersign audit checkpoint v1\0".utf8)
        message.append(bigEndian: UInt64(bitPattern: sequence))
        message += headHash
        message.append(bigEndian: UInt64(bitPattern: time.seconds))
        return message
    }
}

extension Row {
    /// The checkpoint in the first four columns of the row.
    package func checkpoint() throws(Failure) -> AuditCheckpoint {
        AuditCheckpoint(
            sequence: try integer(0), headHash: try bytes(1),
            time: Timestamp(seconds: try integer(2)), signature: try bytes(3))
    }
}
