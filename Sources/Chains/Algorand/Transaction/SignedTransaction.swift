// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// A parsed signed transaction that keeps its transaction as bytes.
public struct SignedTransaction: Hashable {
    /// The proof that the account agrees.
    public enum Proof: Hashable {
        /// An Ed25519 signature.
        case signature([UInt8])
        /// The signatures of members of a multisignature account.
        case multisig(SignedMultisig)
        /// A logic signature or post-quantum signature, unparsed.
        case other(String)
    }

    /// The proof.
    public let proof: Proof
    /// The key that signs for a rekeyed sender.
    public let signer: [UInt8]?
    /// The canonical transaction.
    public let transaction: [UInt8]

    /// The number of bytes of a signature.
    public static let signatureCount = 64
    /// True if bytes can be a signature: nodes read zeros as a missing signature.
    package static func isSignature(_ bytes: [UInt8]) -> Bool {
        bytes.count == signatureCount && bytes.contains { $0 != 0 }
    }
    private static let otherProofs = ["lsig", "pqsig"]

    /// Reads the canonical form.
    public init(canonical bytes: Span<UInt8>) throws(AlgorandRefusal) {
        let members = try TransactionFields.members(canonical: bytes)
        var proofs: [Proof] = []
        var signer: [UInt8]?
        var transaction: [UInt8]?
        for member in members {
            switch (member.name, member.value) {
            case ("sig", .binary(let bytes)) where bytes.count == Self.signatureCount:
                guard Self.isSignature(bytes) else {
                    throw .invalid("sig is zero and must be left out")
                }
                proofs.append(.signature(bytes))
            case ("sgnr", .binary(let bytes)) where bytes.count == AlgorandAddress.keyCount:
                signer = bytes
            case ("msig", .map(let members)):
                proofs.append(.multisig(try SignedMultisig(members)))
            case ("txn", .map): transaction = member.value.encode()
            case (let name, .map) where Self.otherProofs.contains(name):
                proofs.append(.other(name))
            default: throw .invalid("a signed transaction has a field that is wrong or unknown")
            }
        }
        guard let transaction else { throw .invalid("txn is missing") }
        guard let proof = proofs.first, proofs.count == 1 else {
            throw .invalid("a signed transaction has exactly one of sig, msig, lsig and pqsig")
        }
        self.proof = proof
        self.signer = signer
        self.transaction = transaction
    }

    /// Returns the canonical form of a transaction with its signature.
    ///
    /// `signer` is nil if the sender signs: a signer equal to the sender is invalid.
    package static func encode(
        transaction: [UInt8], signature: [UInt8], signer: [UInt8]?
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(transaction.count + 128)
        bytes.append(signer == nil ? 0x82 : 0x83)
        if let signer { appendField("sgnr", signer, to: &bytes) }
        appendField("sig", signature, to: &bytes)
        appendName("txn", to: &bytes)
        return bytes + transaction
    }

    /// Returns the canonical form of a transaction with signatures of a multisignature account, by
    /// key.
    package static func encode(
        transaction: [UInt8], multisig: Multisig, signatures: [[UInt8]: [UInt8]],
        signer: [UInt8]?
    ) -> [UInt8] {
        let members = multisig.keys.map { key in
            let signature = signatures[key].map { MessagePackMember(name: "s", value: .binary($0)) }
            return MessagePack.map(
                [MessagePackMember(name: "pk", value: .binary(key))]
                    + (signature.map { [$0] } ?? []))
        }
        let proof = MessagePack.map([
            MessagePackMember(name: "subsig", value: .array(members)),
            MessagePackMember(name: "thr", value: .unsigned(UInt64(multisig.threshold))),
            MessagePackMember(name: "v", value: .unsigned(UInt64(multisig.version))),
        ])
        var bytes: [UInt8] = [signer == nil ? 0x82 : 0x83]
        appendName("msig", to: &bytes)
        bytes += proof.encode()
        if let signer { appendField("sgnr", signer, to: &bytes) }
        appendName("txn", to: &bytes)
        return bytes + transaction
    }

    private static func appendField(_ name: String, _ value: [UInt8], to bytes: inout [UInt8]) {
        appendName(name, to: &bytes)
        bytes += [0xc4, UInt8(value.count)]
        bytes += value
    }

    private static func appendName(_ name: String, to bytes: inout [UInt8]) {
        bytes.append(0xa0 | UInt8(name.utf8.count))
        bytes += name.utf8
    }
}
