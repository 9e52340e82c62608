// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// A transaction with its signature, in the form for nodes; the signature is not verified.
package struct SignedTransaction: Hashable, Sendable {
    package let transaction: NEARTransaction
    package let signature: NEARSignature

    /// Reads a whole signed transaction.
    package init(_ bytes: [UInt8]) throws(NEARRefusal) {
        var reader = TransactionReader(bytes)
        transaction = try NEARTransaction(
            from: &reader, isV1: try NEARTransaction.isV1(bytes))
        signature = try reader.signature()
        try reader.finish()
    }

    /// Returns the bytes of a signed transaction: the preimage and an Ed25519 signature.
    package static func bytes(_ preimage: [UInt8], ed25519 signature: [UInt8]) -> [UInt8] {
        var writer = BorshWriter(expecting: preimage.count + signature.count + 1)
        writer.append(preimage)
        writer.signature(NEARSignature(curve: .ed25519, bytes: signature))
        return writer.bytes
    }
}
