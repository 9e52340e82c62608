// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

extension WalletTransaction {
    /// Reads a fully signed transaction in the form that ARC-1 passes on.
    package init(
        posted json: JSON
    ) throws(AlgorandRefusal) {
        guard let text = json.text else { throw .invalid("not text") }
        guard let signed = try? Base64.decode(text, alphabet: .either, padding: .optional) else {
            throw .invalid("not base64")
        }
        let statement = try SignedTransaction(canonical: signed.span)
        bytes = statement.transaction
        transaction = try Transaction(canonical: statement.transaction.span)
        authAddress = statement.signer
        multisig = nil
        signers = []
        self.signed = signed
        message = nil
        groupMessage = nil
        _ = try PostedProof(canonical: signed, of: transaction)
    }
}
