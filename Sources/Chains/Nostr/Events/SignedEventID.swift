// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

extension RequestedOperation {
    /// The id of the event that the operation signs, 64 hex digits (NIP-01); nil for other
    /// operations.
    package var eventID: String? {
        guard case .sign(let input) = operation, input.domain == NostrEvent.domain.id else {
            return nil
        }
        return Hex.encode(Digest.sha256(input.preimage.span).span)
    }
}
