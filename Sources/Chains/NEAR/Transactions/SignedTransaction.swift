// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// A transaction with its signature, as nodes take it; nothing of it is checked.
package struct SignedTransaction: Hashable, Sendable {
    package let transaction: NEARTransaction
    package let signature: NEARSignature

    /// Reads one whole.
    package init(_ bytes: [UInt8]) throws(NEARRefusal) {
        var reader = TransactionReader(bytes)
        transaction = try NEARTransaction(
            from: &reader, isV1: try NEARTransaction.isV1(bytes))
        signature = try reader.signature()
        try reader.finish()
    }

    /// The bytes of one: what was signed, and an Ed25519 signature.
    package static func bytes(_ preimage: [UInt8], ed25519 signature: [UInt8]) -> [UInt8] {
        var writer = BorshWriter(expecting: preimage.count + signature.count + 1)
        writer.append(preimage)
        writer.signature(NEARSignature(curve: .ed25519, bytes: signature))
        return writer.bytes
    }
}
