// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

extension RequestedOperation {
    /// The SHA-256 of what the operation signs, in Base58: of a transaction the hash by which the
    /// chain knows it; nil where it signs nothing.
    package var signedHash: String? {
        guard case .sign(let input) = operation else { return nil }
        return Base58.encode(Digest.sha256(input.preimage.span).span)
    }
}
