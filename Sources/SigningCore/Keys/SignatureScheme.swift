// SPDX-License-Identifier: Apache-2.0

/// A kind of signature: its sizes and its verifier, which need no secret.
public struct SignatureScheme: Equatable, Sendable {
    /// A check of a signature over a message, which is a digest if the domain hashes.
    public typealias Verifier =
        @Sendable (_ signature: Span<UInt8>, _ message: Span<UInt8>, _ publicKey: Span<UInt8>)
        -> Bool

    /// The name, by which two schemes are compared.
    public let id: String
    /// The length of a public key in bytes.
    public let publicKeyCount: Int
    /// The length of a signature in bytes.
    public let signatureCount: Int
    private let verifier: Verifier

    /// Makes a scheme; `verifier` gets only public keys and signatures of the right length.
    public init(
        _ id: String, publicKeyCount: Int, signatureCount: Int, verifier: @escaping Verifier
    ) {
        self.id = id
        self.publicKeyCount = publicKeyCount
        self.signatureCount = signatureCount
        self.verifier = verifier
    }

    /// Returns whether a signature over a message is valid for a public key.
    public func isValid(
        _ signature: [UInt8], over message: [UInt8], by publicKey: [UInt8]
    ) -> Bool {
        signature.count == signatureCount && publicKey.count == publicKeyCount
            && verifier(signature.span, message.span, publicKey.span)
    }

    /// True if both have the same name.
    public static func == (one: SignatureScheme, other: SignatureScheme) -> Bool {
        one.id == other.id
    }
}
