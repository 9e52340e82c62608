// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

extension ARC27Adapter: SignedStatementReader {
    /// Reads a signed transaction in Base64, or the answer to sign_transactions as JSON.
    public func readSigned(_ bytes: Span<UInt8>) throws(StatementError) -> SignedStatement {
        let texts: [String]
        do throws(CodecError) {
            texts = try Self.signedTexts(bytes)
        } catch {
            throw StatementError(error.text)
        }
        guard !texts.isEmpty else { throw StatementError("nothing in it is signed") }
        var lines: [Summary.Line] = []
        var claims: [SignatureClaim] = []
        for text in texts {
            do throws(ARC27Failure) {
                let (line, claim) = try claim(text)
                lines.append(line)
                claims.append(claim)
            } catch {
                throw StatementError(error.message)
            }
        }
        return SignedStatement(
            summary: Summary(
                title: "\(claims.count) signed Algorand transaction(s)", lines: lines,
                warnings: []),
            signatures: claims)
    }

    private static func signedTexts(_ bytes: Span<UInt8>) throws(CodecError) -> [String] {
        let limits = JSONLimits(bytesMax: ARC27Wire.frameBytesMax)
        guard bytes.count <= limits.bytesMax else { throw .tooLong(limit: limits.bytesMax) }
        guard bytes.count > 0 else { throw .truncated }
        guard bytes[0] == UInt8(ascii: "{") else {
            return [try UTF8Text.decode(bytes.extracting(0..<lineCount(bytes)))]
        }
        guard let list = try JSON.parse(bytes, limits: limits)["result"]?["stxns"]?.list else {
            throw .malformed("no result.stxns", at: 0)
        }
        var texts: [String] = []
        for element in list where !element.isNull {
            guard let text = element.text else { throw .malformed("stxns holds no text", at: 0) }
            texts.append(text)
        }
        return texts
    }

    /// The bytes before the line end that a file has.
    private static func lineCount(_ bytes: Span<UInt8>) -> Int {
        bytes[bytes.count - 1] == UInt8(ascii: "\n") ? bytes.count - 1 : bytes.count
    }

    private func claim(
        _ text: String
    ) throws(ARC27Failure) -> (Summary.Line, SignatureClaim) {
        guard let bytes = try? Base64.decode(text, alphabet: .either, padding: .optional) else {
            throw .invalid("not base64")
        }
        let signed = try SignedTransaction(canonical: bytes.span)
        let transaction = try Transaction(canonical: signed.transaction.span)
        guard case .signature(let signature) = signed.proof else {
            throw .invalid("msig, lsig and pqsig are not offered yet; only sig is read")
        }
        guard signed.signer != transaction.sender else {
            throw .invalid("sgnr equals the sender, which no network takes")
        }
        let key = signed.signer ?? transaction.sender
        let address = AlgorandAddress.text(
            publicKey: key.span, sha512_256: configuration.sha512_256)
        let receiver = transaction.receiver.map { key in
            AlgorandAddress.text(publicKey: key.span, sha512_256: configuration.sha512_256)
        }
        return (
            Summary.Line(
                transaction.kindText,
                transaction.subjectText + (receiver.map { " to \($0)" } ?? "")),
            SignatureClaim(
                signer: address, scheme: .ed25519, publicKey: key, signature: signature,
                readings: [
                    .init(
                        name: "transaction", preimage: Transaction.prefix + signed.transaction,
                        prehash: .none)
                ], statedMessage: nil)
        )
    }
}
