// SPDX-License-Identifier: Apache-2.0

package import NEAR
import SigningCodecs
package import SigningCore

/// A NEP-413 message with its signature, as somebody sent it; nothing of it is checked yet.
package struct SignedMessage {
    /// What it says.
    package let claim: MessageClaim

    /// The time in a nonce whose first eight bytes are milliseconds, as near-kit makes them.
    package var nonceTime: Timestamp {
        let milliseconds = claim.payload.nonce.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Timestamp(seconds: Int64(clamping: milliseconds / 1_000))
    }

    /// Reads the members of a message together with those of its SignedMessage, in one object.
    package init(_ bytes: Span<UInt8>) throws(StatementError) {
        do throws(NEARRefusal) {
            let members = try NEP413Members(bytes, bytesMax: NEP413Limits.messageFrameBytesMax)
            claim = try NEP413Adapter.claim(members)
        } catch {
            throw StatementError(error.text)
        }
    }
}
