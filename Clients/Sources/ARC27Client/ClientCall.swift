// SPDX-License-Identifier: Apache-2.0

extension ARC27Client {
    /// The methods of ARC-27.
    public enum Method: String, Hashable, Sendable, CaseIterable {
        case discover, enable, disable
        case signTransactions = "sign_transactions"
        case signAndPostTransactions = "sign_and_post_transactions"
        case postTransactions = "post_transactions"
        case signMessage = "sign_message"
    }

    /// A request to a provider; a genesis hash has 32 bytes, nil is its default network.
    public enum Call: Hashable, Sendable {
        /// Asks for its name, networks and methods.
        case discover
        /// Asks for the accounts that the user wants to show.
        case enable(genesisHash: [UInt8]? = nil)
        /// Ends these sessions; without ids, all sessions of the client.
        case disable(genesisHash: [UInt8]? = nil, sessionIDs: [String]? = nil)
        /// Asks for signatures of transactions.
        case signTransactions([TransactionToSign])
        /// Asks for signatures of transactions, and to send them to the network.
        case signAndPostTransactions([TransactionToSign])
        /// Asks to send signed transactions, in canonical MessagePack, to the network.
        case postTransactions([[UInt8]])
        /// Asks for a signature of a text by the account with this address.
        case signMessage(String, signer: String? = nil)
        /// Asks for a signature by ARC-60, in the form of `sign_message` that Pera accepts.
        case signData(DataToSign)

        /// The method, which is the middle part of the reference.
        public var method: Method {
            switch self {
            case .discover: .discover
            case .enable: .enable
            case .disable: .disable
            case .signTransactions: .signTransactions
            case .signAndPostTransactions: .signAndPostTransactions
            case .postTransactions: .postTransactions
            case .signMessage, .signData: .signMessage
            }
        }
    }

    /// One transaction and its signers (WalletTransaction of ARC-1).
    public struct TransactionToSign: Hashable, Sendable {
        /// The unsigned transaction in canonical MessagePack, without the prefix "TX".
        public var transaction: [UInt8]
        /// The address whose key signs for a rekeyed sender.
        public var authAddress: String?
        /// The multisignature account that signs.
        public var multisig: MultisigToSign?
        /// The addresses that sign; an empty list asks for no signature, nil lets the wallet
        /// choose.
        public var signers: [String]?
        /// The transaction as signed by another party; `signers` must be empty then.
        public var signed: [UInt8]?
        /// A message of the app about the transaction.
        public var message: String?
        /// A message of the app about the group, on its first transaction.
        public var groupMessage: String?

        /// Creates an item that asks for a signature, or only shows the transaction.
        public init(
            _ transaction: [UInt8], authAddress: String? = nil, multisig: MultisigToSign? = nil,
            signers: [String]? = nil, signed: [UInt8]? = nil, message: String? = nil,
            groupMessage: String? = nil
        ) {
            self.transaction = transaction
            self.authAddress = authAddress
            self.multisig = multisig
            self.signers = signers
            self.signed = signed
            self.message = message
            self.groupMessage = groupMessage
        }
    }

    /// A multisignature account of version 1.
    public struct MultisigToSign: Hashable, Sendable {
        /// The number of members that must sign, from 1 to the number of addresses.
        public var threshold: Int
        /// The addresses in their order, 1 to 255.
        public var addresses: [String]

        /// Creates a multisignature account.
        public init(threshold: Int, addresses: [String]) {
            self.threshold = threshold
            self.addresses = addresses
        }
    }

    /// Data that ARC-60 signs, with the scope of authentication.
    public struct DataToSign: Hashable, Sendable {
        /// JSON in canonical form (RFC 8785), up to 16 KiB.
        public var data: [UInt8]
        /// The address of the account.
        public var signer: String
        /// The host of the app.
        public var domain: String
        /// The SHA-256 of the domain and the fields that WebAuthn adds, 32 to 384 bytes.
        public var authenticatorData: [UInt8]
        /// The request id of ARC-60, separate from that of the request.
        public var requestID: String?
        /// The derivation path of the key.
        public var path: String?

        /// Creates data to be signed.
        public init(
            _ data: [UInt8], signer: String, domain: String, authenticatorData: [UInt8],
            requestID: String? = nil, path: String? = nil
        ) {
            self.data = data
            self.signer = signer
            self.domain = domain
            self.authenticatorData = authenticatorData
            self.requestID = requestID
            self.path = path
        }
    }
}
