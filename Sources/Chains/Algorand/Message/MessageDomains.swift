// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

extension SigningDomain {
    package static let algorandMessageID = ID("algorand/message")
    package static let algorandRawMessageID = ID("algorand/raw-message")
    package static let algorandLoginID = ID("algorand/arc60")

    /// The prefix of a text that is signed as a message.
    package static let algorandMessagePrefix = Array("MX".utf8)

    /// The prefix "MX" and a text.
    package static let algorandMessage = SigningDomain(
        id: algorandMessageID, protocolID: .algorand, algorithm: .ed25519, prehash: .none,
        prefix: algorandMessagePrefix,
        isValid: { preimage, _ in
            isText(preimage.dropFirst(algorandMessagePrefix.count))
        })

    /// A text without a prefix that cannot be taken for anything else that an account key signs.
    package static let algorandRawMessage = SigningDomain(
        id: algorandRawMessageID, protocolID: .algorand, algorithm: .ed25519, prehash: .none,
        prefix: [], isValid: { preimage, _ in isText(preimage) && isRawText(preimage) })

    /// The data and authenticator data of ARC-60, whose hashes are signed.
    package static func algorandLogin() -> SigningDomain {
        SigningDomain(
            id: algorandLoginID, protocolID: .algorand, algorithm: .ed25519,
            prehash: .sha256OfBoth, prefix: [],
            isValid: { preimage, _ in ARC60Login.isSignable(preimage) })
    }

    /// True if bytes without a prefix can only be a text.
    ///
    /// Two hashes have 64 bytes, and a challenge of Liquid Auth has 32.
    package static func isRawText(_ bytes: [UInt8]) -> Bool {
        bytes.count != ARC60Login.signedCount && bytes.count != LiquidChallenge.count
            && ReservedPrefixes.first(of: ReservedPrefixes.ofAccounts, in: bytes) == nil
    }

    private static func isText(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        return (try? UTF8Text.decode(bytes.span)) != nil
    }
}
