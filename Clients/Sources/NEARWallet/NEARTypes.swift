// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// A network of NEAR.
public enum NEARWalletNetwork: String, Hashable, Sendable, CaseIterable {
    /// The main network, with real value.
    case mainnet
    /// The test network, without real value.
    case testnet
}

/// The account that an app is connected to; it contains no secret.
public struct NEARAccount: Hashable, Sendable, Codable {
    /// The account id.
    public let accountId: String
    /// The key that signs for the account, as `ed25519:` and Base58.
    public let publicKey: String?
    /// The id of the wallet; always that of this wallet.
    public let walletId: String

    /// The id of this wallet.
    public static let walletId = "countersign"
}

/// The result of signing a message.
public struct MessageSignResult: Hashable, Sendable {
    /// The account that signed.
    public let accountId: String?
    /// The key of the account.
    public let publicKey: String?
    /// The signed message as JSON: accountId, publicKey, signature in Base64 (NEP-413), message,
    /// recipient, nonce in Base64 and callbackUrl.
    public let signature: String?
}

/// The result of signing in with a message.
public struct SignInWithMessageResult: Hashable, Sendable {
    /// The account that the app is connected to now.
    public let account: NEARAccount
    /// The signed message as JSON, as in `MessageSignResult.signature`.
    public let signedMessage: String?
}

/// The result of sending transactions.
public struct TransactionResult: Hashable, Sendable {
    /// The hashes of the transactions in Base58, in order.
    public let transactionHashes: [String]
    /// The outcome as JSON, as the node returned it.
    public let rawResult: String
}

/// The state of one transaction of a failed call.
public struct TransactionState: Hashable, Sendable {
    /// The hash of the transaction in Base58.
    public let hash: String
    /// `carried_out`, `failed` on the chain, `refused` for good, `unknown` or `not_sent`.
    public let state: String
}

/// The result of signing delegate actions.
public struct DelegateActionResult: Hashable, Sendable {
    /// The signed actions, each in Base64 of its Borsh, for a relayer.
    public let signedDelegateActions: [String]
}

/// A key that an app wants to be added for itself while it connects.
public struct FunctionCallKeyRequest: Hashable, Sendable {
    /// The only contract the key may call.
    public let contractId: String
    /// The public key, whose secret key the app has.
    public let publicKey: String
    /// The methods that the key may call; empty for all methods.
    public let methodNames: [String]
    /// The maximum amount that the key may spend on gas, in yoctoNEAR; nil for no limit.
    public let allowanceYocto: UInt128?

    /// Makes the request for a key.
    public init(
        contractId: String, publicKey: String, methodNames: [String], allowanceYocto: UInt128?
    ) {
        self.contractId = contractId
        self.publicKey = publicKey
        self.methodNames = methodNames
        self.allowanceYocto = allowanceYocto
    }

    var json: JSON {
        let allow: JSON =
            methodNames.isEmpty
            ? ["anyMethod": true]
            : ["anyMethod": false, "methodNames": .array(methodNames.map { .string($0) })]
        let allowance: JSON =
            allowanceYocto.map { ["kind": "limited", "amount": .string(String($0))] }
            ?? ["kind": "unlimited"]
        return [
            "contractId": .string(contractId), "publicKey": .string(publicKey),
            "allowMethods": allow, "gasAllowance": allowance,
        ]
    }
}

/// The reasons that a call of the wallet failed.
public enum NEARError: Error, Hashable, Sendable {
    /// Another call is in progress; only one is permitted at a time.
    case operationInProgress
    /// An account is not connected.
    case notSignedIn
    /// The app asked for an invalid transaction.
    case invalidTransaction(String)
    /// The transaction was sent, but the outcome contains no transaction hash.
    case noTransactionHash
    /// The wallet answered with an error: a code such as `user_rejected`, a colon and a hint.
    case walletError(String)
    /// Not all transactions of the call were carried out.
    ///
    /// The wallet stores the signed transactions that were not sent, so that the owner can send
    /// them.
    case notCarriedOut(reason: String, transactions: [TransactionState])
    /// A node could not be reached or failed.
    case rpcError(String)
}

extension NEARError: CustomStringConvertible {
    /// The reason in words, for people and logs.
    public var description: String {
        switch self {
        case .operationInProgress: "another call is running: make one call at a time"
        case .notSignedIn: "no account is connected: connect first"
        case .invalidTransaction(let reason): "the transaction cannot be used: \(reason)"
        case .noTransactionHash: "the transaction was sent, and the answer names no hash"
        case .walletError(let text), .notCarriedOut(let text, _): text
        case .rpcError(let reason): "the call to the node failed: \(reason)"
        }
    }
}
