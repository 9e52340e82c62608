// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs

/// The forms of a signature in the replies of wallets.
///
/// NEP-413 requires Base64. Wallets also send `ed25519:` and Base58, hexadecimal, and Base64 that
/// was part of a URL. A form is accepted only if its length fits the curve.
enum SignatureForm {
    /// Returns the possible signatures for the curve of the key, the most likely first.
    ///
    /// One in fourteen thousand Base58 texts is also Base64 of the same length.
    static func read(
        _ text: String, by curve: KeyText.Curve
    ) throws(NEARRefusal) -> (first: [UInt8], others: [[UInt8]]) {
        let signatures = unescaped(text).map { bytes(of: $0, by: curve) } ?? []
        guard let first = signatures.first else {
            throw .invalid(
                "signature must be \(curve.signatureCount) bytes, best written as padded base64")
        }
        return (first, Array(signatures.dropFirst()))
    }

    /// Undoes percent encoding, and the replacement of "+" by a space.
    private static func unescaped(_ text: String) -> String? {
        let isEscaped = text.utf8.contains(UInt8(ascii: "%"))
        let decoded = isEscaped ? try? PercentEncoding.decode(text.utf8.span) : text
        return decoded.map { String($0.map { $0 == " " ? "+" : $0 }) }
    }

    private static func bytes(of text: String, by curve: KeyText.Curve) -> [[UInt8]] {
        if text.hasPrefix(curve.prefix) {
            let digits = String(text.dropFirst(curve.prefix.count))
            return [base58(digits, curve), base64(digits, curve)].compactMap { $0 }
        }
        return [hex(text, curve), base64(text, curve), base58(text, curve)].compactMap { $0 }
    }

    private static func hex(_ text: String, _ curve: KeyText.Curve) -> [UInt8]? {
        let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
        let count = curve.signatureCount
        return sized(try? Hex.decode(digits, countMax: count, upperCase: .allowed), curve)
    }

    private static func base64(_ text: String, _ curve: KeyText.Curve) -> [UInt8]? {
        let bytes = try? Base64.decode(
            text, alphabet: .either, padding: .optional, countMax: curve.signatureCount)
        return sized(bytes, curve)
    }

    private static func base58(_ text: String, _ curve: KeyText.Curve) -> [UInt8]? {
        sized(try? Base58.decode(text, countMax: curve.signatureCount), curve)
    }

    private static func sized(_ bytes: [UInt8]?, _ curve: KeyText.Curve) -> [UInt8]? {
        bytes?.count == curve.signatureCount ? bytes : nil
    }
}
