// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

extension SigningDomain {
    package static let liquidChallengeID = ID("algorand/liquid-challenge")
    package static let liquidAssertionID = ID("algorand/liquid-assertion")

    /// A challenge of Liquid Auth, which is signed as it is.
    package static let liquidChallenge = SigningDomain(
        id: liquidChallengeID, protocolID: .algorand, algorithm: .ed25519, prehash: .none,
        prefix: [], isBare: true,
        isValid: { preimage, _ in LiquidChallenge.isSignable(preimage) })

    /// What a passkey signs to log in: authenticator data and client data of WebAuthn.
    package static let liquidAssertion = SigningDomain(
        id: liquidAssertionID, protocolID: .algorand, algorithm: .p256, prehash: .sha256WithHash,
        prefix: [],
        isValid: { preimage, _ in
            guard let (data, clientData) = SigningDomain.parts(of: preimage) else { return false }
            return PasskeyData.isAssertion(Array(data), Array(clientData))
        })
}

/// What an account signs to prove itself to a server of Liquid Auth.
package enum LiquidChallenge {
    /// The only length, in bytes: no transaction is so short.
    package static let count = 32

    /// Whether it cannot be taken for anything else that a key of an account signs.
    package static func isSignable(_ bytes: [UInt8]) -> Bool {
        bytes.count == count && reservedPrefix(of: bytes) == nil
    }

    /// The prefix of another kind of thing that it begins with, if it does.
    package static func reservedPrefix(of bytes: [UInt8]) -> String? {
        ReservedPrefixes.first(of: ReservedPrefixes.ofAccounts, in: bytes)
    }
}
