// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// How a key of NEAR and the account that it is kept for fit together; the chain is never asked.
package enum NEARKeyForm {
    /// Why a key cannot be kept for an account.
    package enum Failure: Error, Hashable {
        /// The text is no account id.
        case invalidAccountID
        /// A wallet contract answers for the account: no signature of a key ever holds.
        case hasNoKeys
    }

    /// What deserves a look before a key is kept for an account.
    package enum Doubt: Hashable {
        /// The account's name is another key.
        case implicitOfAnotherKey
        /// It begins as a contract without keys.
        case contract
    }

    /// The account that a key is kept for: the one given, else the one whose name is the key.
    package static func account(
        of publicKey: [UInt8], given: String?
    ) throws(Failure) -> String {
        guard let given else { return implicitAccount(of: publicKey) }
        guard NEARAccountID.isValid(given) else { throw .invalidAccountID }
        guard NEARAccountKind(given) != .ethImplicit else { throw .hasNoKeys }
        return given
    }

    /// The account whose name is an Ed25519 key.
    package static func implicitAccount(of publicKey: [UInt8]) -> String {
        Hex.encode(publicKey.span)
    }

    package static func doubt(about account: String, of publicKey: [UInt8]) -> Doubt? {
        switch NEARAccountKind(account) {
        case .named, .ethImplicit: nil
        case .implicit:
            account == implicitAccount(of: publicKey) ? nil : .implicitOfAnotherKey
        case .deterministic, .universal: .contract
        }
    }
}
