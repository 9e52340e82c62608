// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningCrypto
package import SigningFiles

/// The statements that the log key signs, besides checkpoints.
///
/// The first bytes of the message depend on the kind, so that no signature is valid for two kinds.
package enum LogStatement {
    /// The entry after this one puts a policy in force.
    case attest(policyHash: [UInt8], Governance = .none, after: AuditHead)
    /// The entry after this one ends a freeze.
    case thaw(after: AuditHead)
    /// The entry after this one repairs the home at this time.
    case repair(what: String, time: Timestamp, after: AuditHead)
    /// The entries of the archived segment with this description are in the segment's file.
    case archive(segment: [UInt8])
    /// The receipt with this digest was made from the record.
    case receipt(digest: [UInt8])
    /// The vault has reached this state.
    case vaultState(generation: Int64)

    /// The message that is signed; numbers are big-endian.
    var message: [UInt8] {
        switch self {
        case .attest(let policyHash, let governance, let head):
            guard let text = GovernanceRecord.text(governance) else {
                return Self.begin("countersign attest v1\0", after: head) + policyHash
            }
            return Self.begin("countersign attest v2\0", after: head) + policyHash
                + Digest.sha256(text.span)
        case .thaw(let head): return Self.begin("countersign thaw v1\0", after: head)
        case .repair(let what, let time, let head):
            var message = Self.begin("countersign repair v1\0", after: head)
            message.append(bigEndian: UInt64(bitPattern: time.seconds))
            return message + Array(what.utf8)
        case .archive(let segment): return segment
        case .receipt(let digest): return Array("countersign receipt v1\0".utf8) + digest
        case .vaultState(let generation):
            var message = Array("countersign vault state v1\0".utf8)
            message.append(bigEndian: UInt64(bitPattern: generation))
            return message
        }
    }

    /// The signature of the log key.
    package func signed(by key: borrowing Ed25519Key) throws(LedgerError) -> [UInt8] {
        do throws(CryptoError) { return try key.sign(message.span) } catch {
            throw .unavailable("the log key does not sign")
        }
    }

    /// Whether a signature by the log key is valid for this statement.
    package func isSigned(_ signature: [UInt8], by logPublicKey: [UInt8]) -> Bool {
        Signatures.isValidEd25519(
            signature: signature.span, message: message.span, publicKey: logPublicKey.span)
    }

    private static func begin(_ name: String, after head: AuditHead) -> [UInt8] {
        var message = Array(name.utf8)
        message.append(bigEndian: UInt64(bitPattern: head.sequence) &+ 1)
        return message + head.hash
    }
}
