// SPDX-License-Identifier: Apache-2.0

import Algorand

extension ARC27Client {
    /// An Ed25519 signature and what it has to be verified against.
    public struct SignatureToVerify: Hashable, Sendable {
        /// The key that claims to have signed, 32 bytes: of the sender, or of who signs for it.
        public let publicKey: [UInt8]
        /// 64 bytes.
        public let signature: [UInt8]
        /// The bytes signed: "TX" and the transaction.
        public let preimage: [UInt8]
    }

    /// One element of `stxns`.
    public enum SignedItem: Hashable, Sendable {
        /// Null: not signed.
        case notSigned
        /// A signed transaction over exactly the bytes asked for, in canonical MessagePack; no
        /// `SignatureToVerify` where a multisignature or another proof stands in it.
        case transaction([UInt8], SignatureToVerify?)
        /// The older dialect of Liquid Auth: a bare signature.
        case signature(SignatureToVerify)
    }

    /// What became of each transaction, in the order of the request.
    public struct SignedTransactions: Hashable, Sendable {
        /// As many as were asked about, all in the same dialect.
        public let items: [SignedItem]
        /// The places of those not signed although somebody was to sign them.
        public let missing: [Int]
    }
}

extension ARC27Client.SignatureToVerify {
    /// The signature by the key over the transaction.
    init(_ signature: [UInt8], by key: [UInt8], over transaction: [UInt8]) {
        self.init(
            publicKey: key, signature: signature, preimage: Transaction.prefix + transaction)
    }
}
