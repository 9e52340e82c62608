// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// What proves a signed transaction, read so far that its gaps show.
///
/// Whether signatures hold and programs agree is for the network to say.
package struct PostedProof {
    /// Who signed, in words.
    package let text: String

    /// Reads the proof of one signed transaction; a gap that no network would fill is refused.
    package init(
        canonical bytes: [UInt8], of transaction: Transaction
    ) throws(AlgorandRefusal) {
        let fields = try TransactionFields(canonical: bytes.span)
        let signer = try fields.bytes("sgnr", count: AlgorandAddress.keyCount)
        guard signer != transaction.sender else {
            throw .invalid("sgnr equals the sender, which no network takes")
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
            throw .invalid("nobody signed it")
        }
    }

    private static let programNames = ["l", "arg", "sig", "msig", "lmsig", "pqsig"]
    private static let postQuantumNames = ["sch", "slt", "pk", "sig"]
    /// Bytes of the longest program that a whole group may bring.
    private static let programBytesMax = 16_384

    /// How many keys of how many signed; fewer than the account demands are refused.
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

    /// The program itself, or who lets it speak for an account.
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
        return "by a program that \(address) agreed to"
    }
}
