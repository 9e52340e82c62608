// SPDX-License-Identifier: Apache-2.0

/// What a signed transaction says of itself, for whoever sends it.
public struct SignedTransactionView: Hashable, Sendable {
    /// The account that signed.
    public let signer: String
    /// The key that did, as `ed25519:` and Base58.
    public let publicKey: String
    /// The nonce that it uses up.
    public let nonce: UInt64

    /// Reads a transaction with an Ed25519 signature behind it; nil where it is none.
    public init?(_ signedBytes: [UInt8]) {
        let bytes = Array(signedBytes.dropLast(Self.signatureCount))
        guard let transaction = try? NEARTransaction(bytes) else { return nil }
        signer = transaction.signer
        publicKey = transaction.key.text
        nonce = transaction.nonce
    }

    /// The curve and 64 bytes.
    private static let signatureCount = 65
}
