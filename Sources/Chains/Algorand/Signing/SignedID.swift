// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

extension RequestedOperation {
    /// The id of the signed transaction, or the SHA-256 of the signed message in hex; otherwise
    /// nil.
    package var signedID: String? {
        guard case .sign(let input) = operation else { return nil }
        guard input.domain == SigningDomain.algorandTransaction.id else {
            return Hex.encode(Digest.sha256(input.preimage.span).span)
        }
        return Base32.encode(Digest.sha512_256(input.preimage.span).span)
    }
}
