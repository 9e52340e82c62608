// SPDX-License-Identifier: Apache-2.0

public import SigningCore
import SigningCrypto

/// Checks signatures that an adapter took apart.
public enum StatementVerifier {
    /// What came of one signature.
    public struct Finding: Sendable {
        /// The signature with what it is over.
        public let claim: SignatureClaim
        /// The reading under which it holds; nil if it does not.
        public let reading: SignatureClaim.Reading?
    }

    /// The proof that a statement gives.
    public enum Proof: String, Sendable {
        /// Every account that it speaks for signed it with its own key, and with all signatures
        /// that it needs.
        case complete
        /// The signatures hold, but at least one account did not: more signatures are needed, or
        /// only the network knows whether the key may sign.
        case incomplete
        /// A signature does not hold, or there is none.
        case invalid
    }

    /// What a statement proves, given what came of its signatures.
    public static func proof(of statement: SignedStatement, _ findings: [Finding]) -> Proof {
        guard !findings.isEmpty, findings.allSatisfy({ $0.reading != nil }) else { return .invalid }
        let isProved = statement.authors.allSatisfy { $0.key == .own && $0.isComplete }
        return isProved && !statement.authors.isEmpty ? .complete : .incomplete
    }

    /// Checks every signature of a statement.
    public static func check(_ statement: SignedStatement) -> [Finding] {
        statement.signatures.map { Finding(claim: $0, reading: reading(of: $0)) }
    }

    /// Whether one signature holds under one of its readings.
    public static func holds(_ claim: SignatureClaim) -> Bool { reading(of: claim) != nil }

    private static func reading(of claim: SignatureClaim) -> SignatureClaim.Reading? {
        claim.readings.first { holds(claim, $0) }
    }

    private static func holds(_ claim: SignatureClaim, _ reading: SignatureClaim.Reading) -> Bool {
        let hashed = reading.prehash.message(of: reading.preimage, sha256: Digest.sha256)
        guard let message = hashed else { return false }
        if let stated = claim.statedMessage, stated != message { return false }
        let bytes = reading.signature ?? claim.signature
        let signature = bytes.span
        let key = claim.publicKey.span
        return switch claim.scheme {
        case .ed25519:
            Signatures.isValidEd25519(signature: signature, message: message.span, publicKey: key)
        case .bip340:
            Signatures.isValidBIP340(signature: signature, message: message.span, publicKey: key)
        case .ecdsaSecp256k1:
            Signatures.isValidECDSA(signature: signature, digest: message.span, publicKey: key)
        }
    }
}
