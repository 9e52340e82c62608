// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs
import SigningCore

extension NEP413Adapter {
    /// Reads a signed transaction or delegate action; nil if the bytes are another JSON object.
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
            throw .invalid("signedDelegateActions must have 1 to \(TransactionLimits.requestMax)")
        }
        var statements: [SignedStatement] = []
        for item in list { statements.append(try statement(ofBase64: item.text ?? "")) }
        return SignedStatement(
            summary: Summary(
                title: "Signed for relayers", lines: statements.flatMap(\.summary.lines),
                warnings: []),
            signatures: statements.flatMap(\.signatures),
            authors: statements.flatMap(\.authors))
    }

    private func statement(ofBase64 text: String) throws(NEARRefusal) -> SignedStatement {
        try SignedStatement(
            nearBytes: try ByteForm.read(
                .string(text), "signed bytes", countMax: TransactionLimits.bytesMax))
    }
}
