// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

/// The interpretation of the signed bytes under which every signature is valid, or nil.
package func verify(_ statement: SignedStatement) -> String? {
    guard statement.signatures.count == 1 else { return nil }
    let claim = statement.signatures[0]
    return claim.readings.first { reading in
        let signature = reading.signature ?? claim.signature
        let message =
            reading.prehash == .sha256 ? Digest.sha256(reading.preimage.span) : reading.preimage
        return switch claim.scheme {
        case .ed25519:
            Signatures.isValidEd25519(
                signature: signature.span, message: message.span,
                publicKey: claim.publicKey.span)
        case .ecdsaSecp256k1:
            Signatures.isValidECDSA(
                signature: signature.span, digest: message.span,
                publicKey: claim.publicKey.span)
        case .bip340: false
        }
    }?.name
}

// Spans do not go into #expect, so these take arrays.

package func hex(_ bytes: [UInt8]) -> String { Hex.encode(bytes.span) }

package func hexOfHash(_ bytes: [UInt8]) -> String { hex(Digest.sha256(bytes.span)) }
