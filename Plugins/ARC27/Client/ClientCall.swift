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

    /// Something a provider is asked for; a genesis hash has 32 bytes, nil is its default network.
    public enum Call: Hashable, Sendable {
        /// Its name, networks and methods.
        case discover
        /// The accounts the user wants to show.
        case enable(genesisHash: [UInt8]? = nil)
        /// The end of these sessions; without any, of all sessions of the client.
        case disable(genesisHash: [UInt8]? = nil, sessionIDs: [String]? = nil)
        /// Signatures over transactions.
        case signTransactions([TransactionToSign])
        /// The same, and that they are sent to the network.
        case signAndPostTransactions([TransactionToSign])
        /// That signed transactions, canonical MessagePack, are sent to the network.
        case postTransactions([[UInt8]])
        /// A signature over a text by the account with this address.
        case signMessage(String, signer: String? = nil)
        /// A signature by ARC-60, asked for by `sign_message` as Pera takes it.
        case signData(DataToSign)

        /// What stands in the middle of the reference.
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

    /// One transaction and who is to sign it (WalletTransaction of ARC-1).
    public struct TransactionToSign: Hashable, Sendable {
        /// The unsigned transaction in canonical MessagePack, without "TX" before it.
        public var transaction: [UInt8]
        /// The address whose key signs for a rekeyed sender.
        public var authAddress: String?
        /// The multisignature account that signs.
        public var multisig: MultisigToSign?
        /// The addresses that sign; empty: nobody, nil: as the wallet sees fit.
        public var signers: [String]?
        /// The same transaction signed by somebody else; `signers` is empty then.
        public var signed: [UInt8]?
        /// What the app says about the transaction.
        public var message: String?
        /// What the app says about the group, on its first transaction.
        public var groupMessage: String?

        /// Asks for a transaction to be signed, or only shown.
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
        /// How many must sign, 1 to the number of addresses.
        public var threshold: Int
        /// The addresses in their order, 1 to 255.
        public var addresses: [String]

        /// Describes the account.
        public init(threshold: Int, addresses: [String]) {
            self.threshold = threshold
            self.addresses = addresses
        }
    }

    /// What ARC-60 signs, with the scope of authentication.
    public struct DataToSign: Hashable, Sendable {
        /// JSON in canonical form (RFC 8785), up to 16 KiB.
        public var data: [UInt8]
        /// The address of the account.
        public var signer: String
        /// The host that asks.
        public var domain: String
        /// SHA-256 of the domain and what WebAuthn puts behind it, 32 to 384 bytes.
        public var authenticatorData: [UInt8]
        /// The id of ARC-60, apart from that of the request.
        public var requestID: String?
        /// The path of a derived key.
        public var path: String?

        /// Asks for data to be signed.
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
