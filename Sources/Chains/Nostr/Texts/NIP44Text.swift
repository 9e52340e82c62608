// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The text form of a NIP-44 version 2 payload.
package enum NIP44Text {
    /// The maximum length in bytes that many clients can read; above it, version 2 has another
    /// prefix.
    package static let usualPlaintextBytesMax = 65_535
    /// The maximum length of a payload without the prefix of six bytes.
    package static let smallPayloadBytesMax = 65_603

    /// Returns the raw payload of a ciphertext; the error may give the reason, as it reveals no
    /// secret.
    package static func payload(
        of text: String, plaintextBytesMax: Int
    ) throws(NostrRefusal) -> [UInt8] {
        guard let first = text.utf8.first, first != UInt8(ascii: "#") else {
            throw unsupportedVersion
        }
        let payload: [UInt8]
        do throws(CodecError) {
            payload = try Base64.decode(text, countMax: payloadBytesMax(plaintextBytesMax))
        } catch .tooLong(let limit) {
            throw .tooLarge("encryptedText", bytesMax: limit)
        } catch {
            throw .invalid("encryptedText is not Base64: \(error.text)")
        }
        guard payload.count >= payloadBytesMin else {
            throw .invalid("encryptedText is too short for NIP-44")
        }
        guard payload[0] == version else { throw unsupportedVersion }
        return payload
    }

    private static let version: UInt8 = 2
    /// The minimum length of a payload in bytes: 132 characters of Base64.
    private static let payloadBytesMin = 99

    /// Returns the maximum length of the ciphertext of a text with this many bytes, as Base64.
    package static func charactersMax(plaintextBytes: Int) -> Int {
        (payloadBytesMax(plaintextBytes) + 2) / 3 * 4
    }

    /// Returns the length of the ciphertext of a text with this many bytes, as Base64.
    package static func characters(plaintextBytes count: Int) -> Int {
        let prefix = count > usualPlaintextBytesMax ? 6 : 2
        return (1 + 32 + prefix + paddedBytes(count) + 32 + 2) / 3 * 4
    }

    /// Returns the padded length: at least 32, then steps of an eighth of the next power of two.
    private static func paddedBytes(_ count: Int) -> Int {
        guard count > 32 else { return 32 }
        let power = Int.bitWidth - (count - 1).leadingZeroBitCount
        let step = max(32, 1 << max(0, power - 3))
        return (count - 1) / step * step + step
    }

    /// Returns the maximum length of a payload.
    ///
    /// It holds version, nonce, long prefix, padded text and MAC. Above 256 bytes, padding adds at
    /// most an eighth.
    private static func payloadBytesMax(_ plaintextBytes: Int) -> Int {
        1 + 32 + 6 + plaintextBytes + max(256, plaintextBytes / 4) + 32
    }

    private static let unsupportedVersion = NostrRefusal.invalid(
        "encryptedText is of a version other than NIP-44 version 2")
}
