// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs

/// The forms of 32 bytes in the JSON of clients.
///
/// NEP-413 defines a byte array but no JSON form, so each library made a different one. The type
/// and length distinguish all forms.
enum NonceForm {
    private static let hexCount = 2 * MessageLimits.nonceCount

    /// Reads a nonce of exactly 32 bytes.
    static func read(_ json: JSON) throws(NEARRefusal) -> [UInt8] {
        let nonce: [UInt8]? =
            switch json {
            case .string(let text): bytes(of: text)
            case .array(let elements): ByteForm.bytes(of: elements)
            case .object(let object): ByteForm.bytes(of: object)
            case .null, .bool, .integer, .number: nil
            }
        guard let nonce, nonce.count == MessageLimits.nonceCount else {
            throw .invalid("nonce must be 32 bytes, best written as padded base64")
        }
        return nonce
    }

    private static func bytes(of text: String) -> [UInt8]? {
        // 64 characters of Base64 would be 48 bytes, so the length is unambiguous.
        if text.utf8.count == hexCount {
            return try? Hex.decode(text, upperCase: .allowed)
        }
        return try? Base64.decode(
            text, alphabet: .either, padding: .optional, countMax: MessageLimits.nonceCount)
    }
}
