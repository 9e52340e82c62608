// SPDX-License-Identifier: Apache-2.0

public import SigningCore
import SigningDigests

extension ProtocolID {
    /// NEAR, as rules and keys name it.
    public static let near = ProtocolID("near")
}

extension SigningDomain.ID {
    /// Messages of NEP-413.
    package static let nearMessage = Self("near/nep413")
    /// Transactions of version 0.
    package static let nearTransaction = Self("near/transaction")
    /// Delegate actions of version 1 (NEP-366).
    package static let nearDelegate = Self("near/delegate")
}

extension SigningDomain {
    /// Returns all domains that NEAR keys sign for here.
    package static var near: [SigningDomain] {
        [
            near(.nearMessage, NEP413Payload.prefix) { preimage, _ in
                NEP413Payload.isCanonical(preimage)
            },
            near(.nearTransaction, []) { NEARTransaction.isSignable($0, by: $1) },
            near(.nearDelegate, DelegateAction.prefix) { DelegateAction.isSignable($0, by: $1) },
        ]
    }

    private static func near(
        _ id: ID, _ prefix: [UInt8],
        isValid: @escaping @Sendable (_ preimage: [UInt8], _ publicKey: [UInt8]) -> Bool
    ) -> SigningDomain {
        SigningDomain(
            id: id, protocolID: .near, algorithm: .ed25519, prehash: .sha256, prefix: prefix,
            isValid: isValid)
    }
}
