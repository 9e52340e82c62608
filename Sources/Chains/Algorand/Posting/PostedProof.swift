// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The proof of a signed transaction, parsed far enough to find missing parts.
///
/// Only the network checks the signatures and runs the programs.
package struct PostedProof {
    /// The signers, in words.
    package let text: String

    /// Reads the proof of one signed transaction; throws if a part is missing that the network
    /// needs.
    package init(
        canonical bytes: [UInt8], of transaction: Transaction
    ) throws(AlgorandRefusal) {
        let fields = try TransactionFields(canonical: bytes.span)
        let signer = try fields.bytes("sgnr", count: AlgorandAddress.keyCount)
        guard signer != transaction.sender else {
            throw .invalid("sgnr equals the sender, which every network refuses")
        }
        let authority = signer ?? transaction.sender
        let address = AlgorandAddress.text(publicKey: authority.span)
        if fields.has("sig") {
            text = "by \(address)"
        } else if let multisig = try fields.map("msig") {
            text = try "by " + Self.keys(multisig, of: authority) + " of \(address)"
        } else if let program = try fields.fields("lsig", names: Self.programNames) {
            text = try Self.delegation(program, of: authority, address)
        } else if try fields.fields("pqsig", names: Self.postQuantumNames) != nil {
            text = "by the post-quantum key of \(address)"
        } else {
            throw .invalid("it is not signed")
        }
    }

    private static let programNames = ["l", "arg", "sig", "msig", "lmsig", "pqsig"]
    private static let postQuantumNames = ["sch", "slt", "pk", "sig"]
    /// The maximum size of programs in a whole group, in bytes.
    private static let programBytesMax = 16_384

    /// Returns the number of keys that signed and of all keys; throws below the threshold.
    private static func keys(
        _ members: [MessagePackMember], of authority: [UInt8]
    ) throws(AlgorandRefusal) -> String {
        let multisig = try SignedMultisig(members)
        guard multisig.account.publicKey() == authority else {
            throw .invalid("the multisignature is another account's")
        }
        guard multisig.isComplete else {
            throw .invalid(
                "the multisignature is not complete: \(multisig.signedCount) of "
                    + "\(multisig.account.threshold) keys signed")
        }
        return "\(multisig.signedCount) of \(multisig.account.keys.count) keys"
    }

    /// Returns a description of the program, and of the account that delegated to it.
    private static func delegation(
        _ fields: TransactionFields, of authority: [UInt8], _ address: String
    ) throws(AlgorandRefusal) -> String {
        guard try !fields.bytes("l", countMax: programBytesMax).isEmpty else {
            throw .invalid("lsig.l is missing")
        }
        _ = try fields.byteStrings("arg")
        let proofs = ["sig", "msig", "lmsig", "pqsig"].filter(fields.has)
        guard proofs.count <= 1 else {
            throw .invalid("lsig has at most one of sig, msig, lmsig and pqsig")
        }
        switch proofs.first {
        case "sig":
            _ = try fields.bytes("sig", count: SignedTransaction.signatureCount)
        case .some(let name) where name != "pqsig":
            guard let multisig = try fields.map(name) else { break }
            _ = try keys(multisig, of: authority)
        case .some: _ = try fields.fields("pqsig", names: postQuantumNames)
        case nil: return "by a program, \(address)"
        }
        return "by a program that \(address) signed"
    }
}
