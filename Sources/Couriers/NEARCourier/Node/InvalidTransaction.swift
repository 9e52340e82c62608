// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningNetwork

/// The reasons that a NEAR node refuses a transaction.
public enum InvalidTransaction: Hashable, Sendable {
    /// The block that the transaction names is too old.
    case expired
    /// The nonce of the transaction is not above the nonce of the key.
    case invalidNonce(transaction: UInt64, key: UInt64)
    /// The nonce of the transaction is too far ahead of the chain.
    case nonceTooLarge
    /// The account cannot pay for the transaction.
    case notEnoughBalance
    /// The signature of the transaction is invalid.
    case signature
    /// Another reason, with the name that the node gives it.
    case other(_ name: String)
}

extension InvalidTransaction {
    /// The reason in plain words.
    public var text: String {
        switch self {
        case .expired: "its block is too old"
        case .invalidNonce(let transaction, let key):
            "its nonce \(transaction) is not above \(key), the nonce of the key"
        case .nonceTooLarge: "its nonce is too far ahead"
        case .notEnoughBalance: "the account cannot pay for it"
        case .signature: "its signature is wrong"
        case .other(let name): name
        }
    }
}

extension InvalidTransaction {
    /// Reads an `InvalidTxError`: a name, or an object with one name and its details.
    init?(_ json: JSON) {
        guard let name = json.text ?? json.object?.names.first else { return nil }
        let details = json[name]
        switch name {
        case "Expired": self = .expired
        case "NonceTooLarge": self = .nonceTooLarge
        case "NotEnoughBalance": self = .notEnoughBalance
        case "InvalidSignature": self = .signature
        case "InvalidNonce":
            guard let transaction = details?["tx_nonce"]?.unsigned,
                let key = details?["ak_nonce"]?.unsigned
            else { return nil }
            self = .invalidNonce(transaction: transaction, key: key)
        case "InvalidAccessKeyError":
            // The second name specifies the first.
            let second = details?.text ?? details?.object?.names.first
            self = .other([name, second].compactMap { $0?.visible }.joined(separator: "."))
        default: self = .other(name.visible)
        }
    }
}
