// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

extension RequestedOperation {
    /// The SHA-256 of the bytes that the operation signs, in Base58; nil if nothing is signed.
    ///
    /// For a transaction this is the transaction hash on the chain.
    package var signedHash: String? {
        guard case .sign(let input) = operation else { return nil }
        return Base58.encode(Digest.sha256(input.preimage.span).span)
    }
}
