// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

extension SigningDomain {
    package static let liquidChallengeID = ID("algorand/liquid-challenge")
    package static let liquidAssertionID = ID("algorand/liquid-assertion")

    /// A challenge of Liquid Auth, which is signed without a prefix.
    package static let liquidChallenge = SigningDomain(
        id: liquidChallengeID, protocolID: .algorand, algorithm: .ed25519, prehash: .none,
        prefix: [], isBare: true,
        isValid: { preimage, _ in LiquidChallenge.isSignable(preimage) })

    /// The authenticator data and client data of WebAuthn, which a passkey signs to log in.
    package static let liquidAssertion = SigningDomain(
        id: liquidAssertionID, protocolID: .algorand, algorithm: .p256, prehash: .sha256WithHash,
        prefix: [],
        isValid: { preimage, _ in
            guard let (data, clientData) = SigningDomain.parts(of: preimage) else { return false }
            return PasskeyData.isAssertion(Array(data), Array(clientData))
        })
}

/// The challenge that an account signs to prove itself to a Liquid Auth server.
package enum LiquidChallenge {
    /// The only length, in bytes; every transaction is longer.
    package static let count = 32

    /// True if the bytes cannot be taken for anything else that an account key signs.
    package static func isSignable(_ bytes: [UInt8]) -> Bool {
        bytes.count == count && reservedPrefix(of: bytes) == nil
    }

    /// Returns the reserved prefix that the bytes begin with, if any.
    package static func reservedPrefix(of bytes: [UInt8]) -> String? {
        ReservedPrefixes.first(of: ReservedPrefixes.ofAccounts, in: bytes)
    }
}
