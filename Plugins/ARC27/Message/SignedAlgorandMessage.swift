// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore
import SigningDigests

/// A message with its signature, combined from a request of `sign_message` and its answer.
struct SignedAlgorandMessage {
    let signer: [UInt8]
    let signature: [UInt8]
    let lines: [Summary.Line]
    /// The possible preimages, the usual one first.
    let readings: [SignatureClaim.Reading]

    /// Reads a signed message; nil if the object has other members.
    init?(
        _ object: JSONObject, _ configuration: ARC27Configuration
    ) throws(AlgorandRefusal) {
        guard object["message"] != nil || object["data"] != nil, object["signature"] != nil
        else { return nil }
        signature = try Self.base64(object, "signature")
        guard signature.count == SignedTransaction.signatureCount else {
            throw .invalid("signature does not have \(SignedTransaction.signatureCount) bytes")
        }
        guard let text = object["signer"]?.text else { throw .invalid("signer is missing") }
        do throws(CodecError) {
            signer = try AlgorandAddress.parse(text)
        } catch {
            throw .invalid("signer is not an address: \(error.text)")
        }
        if let text = object["message"]?.text {
            lines = [.init("message", text, by: .client)]
            let bytes = Array(text.utf8)
            readings = [
                .init(
                    name: "with MX before it",
                    preimage: SigningDomain.algorandMessagePrefix + bytes,
                    prehash: .none),
                .init(name: "without a prefix", preimage: bytes, prehash: .none),
            ]
        } else {
            let data = try Self.base64(object, "data")
            let preimage = SigningDomain.joined(
                data, try Self.base64(object, "authenticatorData"))
            guard ARC60Login.isSignable(preimage) else {
                throw .invalid("the data is not canonical JSON, or authenticatorData is too short")
            }
            lines = [.init("data", String(decoding: data, as: UTF8.self), by: .client)]
            readings = [.init(name: "ARC-60", preimage: preimage, prehash: .sha256OfBoth)]
        }
    }

    /// Returns the statement with its only claim.
    func statement(_ configuration: ARC27Configuration) -> SignedStatement {
        let address = AlgorandAddress.text(
            publicKey: signer.span)
        return SignedStatement(
            summary: Summary(title: "A signed Algorand message", lines: lines, warnings: []),
            signatures: [
                SignatureClaim(
                    signer: address, scheme: .ed25519, publicKey: signer, signature: signature,
                    readings: readings, statedMessage: nil)
            ],
            authors: [StatementAuthor(address, key: .ownKey)])
    }

    private static func base64(
        _ object: JSONObject, _ name: String
    ) throws(AlgorandRefusal) -> [UInt8] {
        guard let text = object[name]?.text,
            let bytes = try? Base64.decode(text, alphabet: .either, padding: .optional)
        else { throw .invalid("\(name) is missing, or not base64") }
        return bytes
    }
}
