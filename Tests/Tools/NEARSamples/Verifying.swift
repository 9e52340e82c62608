// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

/// The interpretation of the signed bytes under which every signature is valid, or nil.
package func verify(_ statement: SignedStatement) -> String? {
    guard statement.signatures.count == 1 else { return nil }
    let claim = statement.signatures[0]
    return claim.readings.first { reading in
        guard let message = reading.prehash.message(of: reading.preimage) else { return false }
        return claim.scheme.isValid(
            reading.signature ?? claim.signature, over: message, by: claim.publicKey)
    }?.name
}

// Spans do not go into #expect, so these take arrays.

package func hex(_ bytes: [UInt8]) -> String { Hex.encode(bytes.span) }

package func hexOfHash(_ bytes: [UInt8]) -> String { hex(Digest.sha256(bytes.span)) }
