// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

extension SignedStatement {
    /// Parses a signed transaction or delegate action.
    package init(
        nearBytes bytes: [UInt8]
    ) throws(NEARRefusal) {
        // A delegate action begins with two account ids, a transaction with an account id and a
        // key.
        let isTransaction: NEARRefusal
        do throws(NEARRefusal) {
            self.init(try SignedTransaction(bytes))
            return
        } catch {
            isTransaction = error
        }
        for isV2 in [false, true] {
            guard let signed = try? SignedDelegate(bytes, isV2: isV2) else { continue }
            self.init(signed)
            return
        }
        throw isTransaction
    }

    private init(_ signed: SignedTransaction) {
        let transaction = signed.transaction
        self.init(
            summary: Summary(
                title: "NEAR transaction, signed", lines: transaction.lines(), warnings: []),
            signatures: [
                SignatureClaim(
                    transaction.signer, transaction.key, signed.signature, transaction.preimage)
            ],
            authors: [StatementAuthor(near: transaction.signer, transaction.key)])
    }

    private init(_ signed: SignedDelegate) {
        let action = signed.action
        self.init(
            summary: Summary(
                title: "NEAR delegate action, signed", lines: action.lines("delegated"),
                warnings: []),
            signatures: [
                SignatureClaim(action.sender, action.key, signed.signature, action.preimage)
            ],
            authors: [StatementAuthor(near: action.sender, action.key)])
    }
}

extension SignatureClaim {
    fileprivate init(
        _ signer: String, _ key: KeyText, _ signature: NEARSignature, _ preimage: [UInt8]
    ) {
        self.init(
            signer: signer, scheme: key.curve.scheme, publicKey: key.bytes,
            // A signature of another curve is not valid for this key.
            signature: signature.curve == key.curve ? signature.bytes : [],
            readings: [.init(name: "as given", preimage: preimage, prehash: .sha256)],
            statedMessage: nil)
    }
}

extension RequestedOperation {
    /// The SHA-256 of the bytes that the operation signs, in Base58; nil if nothing is signed.
    ///
    /// For a transaction this is the transaction hash on the chain.
    package var signedHash: String? {
        guard case .sign(let input) = operation else { return nil }
        return Base58.encode(Digest.sha256(input.preimage.span).span)
    }
}
