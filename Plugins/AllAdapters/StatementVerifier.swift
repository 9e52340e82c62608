// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// Verifies signatures that an adapter parsed.
public enum StatementVerifier {
    /// The result for one signature.
    public struct Finding: Sendable {
        /// The signature and the signed data.
        public let claim: SignatureClaim
        /// The reading for which the signature is valid; nil if it is invalid.
        public let reading: SignatureClaim.Reading?
    }

    /// The proof by a whole statement.
    public enum Proof: String, Sendable {
        /// Every account in the statement signed with its key, and the number of signatures
        /// suffices.
        case complete
        /// The signatures are valid, but more are needed, or only the network knows if the key may
        /// sign.
        case incomplete
        /// A signature is invalid, or the statement has no signature.
        case invalid
    }

    /// Returns the proof of a statement from the results for its signatures.
    public static func proof(of statement: SignedStatement, _ findings: [Finding]) -> Proof {
        guard !findings.isEmpty, findings.allSatisfy({ $0.reading != nil }) else { return .invalid }
        let isProved = statement.authors.allSatisfy { $0.key == .ownKey && $0.isComplete }
        return isProved && !statement.authors.isEmpty ? .complete : .incomplete
    }

    /// Verifies every signature of a statement.
    public static func check(_ statement: SignedStatement) -> [Finding] {
        statement.signatures.map { Finding(claim: $0, reading: reading(of: $0)) }
    }

    /// Returns true if a signature is valid for one of its readings.
    public static func holds(_ claim: SignatureClaim) -> Bool { reading(of: claim) != nil }

    private static func reading(of claim: SignatureClaim) -> SignatureClaim.Reading? {
        claim.readings.first { holds(claim, $0) }
    }

    private static func holds(_ claim: SignatureClaim, _ reading: SignatureClaim.Reading) -> Bool {
        guard let message = reading.prehash.message(of: reading.preimage) else { return false }
        if let stated = claim.statedMessage, stated != message { return false }
        let signature = reading.signature ?? claim.signature
        return claim.scheme.isValid(signature, over: message, by: claim.publicKey)
    }
}
