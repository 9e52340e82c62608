// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The text form of a NIP-04 payload: Base64 of the ciphertext, `?iv=`, Base64 of the IV.
package enum NIP04Text {
    /// The length of the IV at the beginning of the raw form, in bytes.
    package static let ivBytes = 16

    /// Returns the maximum length of the text form of a plaintext with at most this many bytes.
    package static func charactersMax(plaintextBytes: Int) -> Int {
        (plaintextBytes + blockBytes + 2) / 3 * 4 + mark.utf8.count + 24
    }

    /// Returns the length of the text form of a plaintext with this many bytes.
    package static func characters(plaintextBytes count: Int) -> Int {
        ((count / blockBytes + 1) * blockBytes + 2) / 3 * 4 + mark.utf8.count + 24
    }

    /// Returns the raw payload, IV first; nil for any text that is not NIP-04.
    ///
    /// The reason is not given: there is no MAC, so every detail helps an attacker.
    package static func payload(of text: String, bytesMax: Int) -> [UInt8]? {
        let bytes = text.utf8
        guard let place = text.firstRange(of: mark), bytes.count <= bytesMax else { return nil }
        let rest = text[place.upperBound...]
        guard !rest.contains("?"),
            let ciphertext = try? Base64.decode(
                String(text[..<place.lowerBound]), countMax: bytesMax),
            let iv = try? Base64.decode(String(rest), countMax: ivBytes),
            iv.count == ivBytes, !ciphertext.isEmpty, ciphertext.count % blockBytes == 0
        else { return nil }
        return iv + ciphertext
    }

    /// True if a text has the form of a ciphertext.
    package static func isWellFormed(_ text: String) -> Bool {
        payload(
            of: text,
            bytesMax: charactersMax(plaintextBytes: NostrLimits.usualTextBytesMax)) != nil
    }

    /// Returns the text form of a raw payload.
    package static func text(of payload: [UInt8]) -> String {
        let ciphertext = Array(payload.dropFirst(ivBytes))
        let iv = Array(payload.prefix(ivBytes))
        return Base64.encode(ciphertext.span) + mark + Base64.encode(iv.span)
    }

    private static let mark = "?iv="
    private static let blockBytes = 16
}
