// SPDX-License-Identifier: Apache-2.0

package import NEAR
import SigningCodecs
package import SigningCore

/// A NEP-413 message with its signature, which is not verified yet.
package struct SignedMessage {
    /// The message and the signature.
    package let claim: MessageClaim

    /// The time in a nonce whose first eight bytes are milliseconds, as in near-kit.
    package var nonceTime: Timestamp {
        let milliseconds = claim.payload.nonce.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Timestamp(seconds: Int64(clamping: milliseconds / 1_000))
    }

    /// Reads one object with the members of a message and of its SignedMessage.
    package init(_ bytes: Span<UInt8>) throws(StatementError) {
        do throws(NEARRefusal) {
            let members = try NEP413Members(bytes, bytesMax: NEP413Limits.messageFrameBytesMax)
            claim = try NEP413Adapter.claim(members)
        } catch {
            throw StatementError(error.text)
        }
    }
}
