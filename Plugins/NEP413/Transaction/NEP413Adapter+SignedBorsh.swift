// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension NEP413Adapter {
    /// A signed transaction or delegate action; nil where the bytes are a JSON object of neither.
    func signedBorsh(_ bytes: Span<UInt8>) throws(NEARRefusal) -> SignedStatement? {
        let text: String
        do throws(CodecError) {
            text = try UTF8Text.decode(bytes)
        } catch {
            throw .invalid(error.text)
        }
        guard text.hasPrefix("{") else { return try statement(ofBase64: text) }
        let json = try? JSON.parse(
            bytes,
            limits: JSONLimits(
                bytesMax: NEP413Limits.frameBytesMax, depthMax: NEP413Limits.frameDepthMax,
                valuesMax: NEP413Limits.frameValuesMax))
        let result = json?["result"] ?? json
        if let signed = result?["signedTransaction"]?.text {
            return try statement(ofBase64: signed)
        }
        guard let list = result?["signedDelegateActions"]?.list else { return nil }
        guard !list.isEmpty, list.count <= TransactionLimits.requestMax else {
            throw .invalid("signedDelegateActions must hold 1 to \(TransactionLimits.requestMax)")
        }
        var statements: [SignedStatement] = []
        for item in list { statements.append(try statement(ofBase64: item.text ?? "")) }
        return SignedStatement(
            summary: Summary(
                title: "Signed for relayers", lines: statements.flatMap(\.summary.lines),
                warnings: []),
            signatures: statements.flatMap(\.signatures))
    }

    private func statement(ofBase64 text: String) throws(NEARRefusal) -> SignedStatement {
        let bytes = try ByteForm.read(
            .string(text), "what is signed", countMax: TransactionLimits.bytesMax)
        // A delegate action begins with two account ids, a transaction with one and a key.
        let isTransaction: NEARRefusal
        do throws(NEARRefusal) {
            return try transaction(bytes)
        } catch {
            isTransaction = error
        }
        for isV2 in [false, true] {
            if let signed = try? SignedDelegate(bytes, isV2: isV2) { return delegate(signed) }
        }
        throw isTransaction
    }

    private func transaction(_ bytes: [UInt8]) throws(NEARRefusal) -> SignedStatement {
        var reader = TransactionReader(bytes)
        let transaction = try NEARTransaction(
            from: &reader, isV1: try NEARTransaction.isV1(bytes))
        let signature = try reader.signature()
        try reader.finish()
        return SignedStatement(
            summary: Summary(
                title: "NEAR transaction, signed", lines: transaction.lines(sha256), warnings: []),
            signatures: [
                Self.claim(transaction.signer, transaction.key, signature, transaction.preimage)
            ])
    }

    private func delegate(_ signed: SignedDelegate) -> SignedStatement {
        SignedStatement(
            summary: Summary(
                title: "NEAR delegate action, signed",
                lines: signed.action.lines("delegated", sha256), warnings: []),
            signatures: [
                Self.claim(
                    signed.action.sender, signed.action.key, signed.signature,
                    signed.action.preimage)
            ])
    }

    private static func claim(
        _ signer: String, _ key: KeyText, _ signature: NEARSignature, _ preimage: [UInt8]
    ) -> SignatureClaim {
        SignatureClaim(
            signer: signer, scheme: key.curve.scheme, publicKey: key.bytes,
            // A signature of another curve holds for nothing.
            signature: signature.curve == key.curve ? signature.bytes : [],
            readings: [.init(name: "as given", preimage: preimage, prehash: .sha256)],
            statedMessage: nil)
    }
}
