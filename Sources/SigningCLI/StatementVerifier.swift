// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto

/// Checks the signatures of a statement that an adapter took apart.
enum StatementVerifier {
    /// What came of one signature.
    struct Finding {
        let claim: SignatureClaim
        /// The reading under which it holds; nil if it does not.
        let reading: SignatureClaim.Reading?
    }

    static func check(_ statement: SignedStatement) -> [Finding] {
        statement.signatures.map { claim in
            Finding(claim: claim, reading: claim.readings.first { holds(claim, $0) })
        }
    }

    private static func holds(_ claim: SignatureClaim, _ reading: SignatureClaim.Reading) -> Bool {
        let message =
            switch reading.prehash {
            case .none: reading.preimage
            case .sha256: Digest.sha256(reading.preimage.span)
            }
        if let stated = claim.statedMessage, stated != message { return false }
        let signature = claim.signature.span
        let key = claim.publicKey.span
        return switch claim.scheme {
        case .ed25519:
            Ed25519Key.isValid(signature: signature, message: message.span, publicKey: key)
        case .bip340:
            Secp256k1Key.isValidBIP340(signature: signature, message: message.span, publicKey: key)
        case .ecdsaSecp256k1:
            Secp256k1Key.isValidECDSA(signature: signature, digest: message.span, publicKey: key)
        }
    }
}
