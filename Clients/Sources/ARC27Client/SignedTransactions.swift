// SPDX-License-Identifier: Apache-2.0

extension ARC27Client {
    /// An Ed25519 signature and the data to verify it with.
    public struct SignatureToVerify: Hashable, Sendable {
        /// The key that is said to have signed, 32 bytes: of the sender or of its signer.
        public let publicKey: [UInt8]
        /// The signature, 64 bytes.
        public let signature: [UInt8]
        /// The signed bytes: "TX" and the transaction.
        public let preimage: [UInt8]
    }

    /// One element of `stxns`.
    public enum SignedItem: Hashable, Sendable {
        /// Null: the transaction is not signed.
        case notSigned
        /// A signed transaction with exactly the requested bytes, in canonical MessagePack.
        ///
        /// The `SignatureToVerify` is nil for a multisignature or another kind of proof.
        case transaction([UInt8], SignatureToVerify?)
        /// The older dialect of Liquid Auth: a bare signature.
        case signature(SignatureToVerify)
    }

    /// The result for each transaction, in the order of the request.
    public struct SignedTransactions: Hashable, Sendable {
        /// One item for each requested transaction, all in the same dialect.
        public let items: [SignedItem]
        /// The indices of transactions that should have been signed and were not.
        public let missing: [Int]
    }
}

extension ARC27Client.SignatureToVerify {
    /// Creates the signature of the transaction by the key.
    init(_ signature: [UInt8], by key: [UInt8], over transaction: [UInt8]) {
        self.init(
            publicKey: key, signature: signature, preimage: [UInt8]("TX".utf8) + transaction)
    }
}
