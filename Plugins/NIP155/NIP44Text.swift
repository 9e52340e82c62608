// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The text form of a NIP-44 version 2 payload.
enum NIP44Text {
    /// The longest text that is encrypted: beyond it lies a form many clients cannot read.
    static let plaintextBytesMax = 65_535
    /// The longest text that is decrypted.
    static let decryptedBytesMax = 1 << 20
    /// The longest ciphertext, as Base64.
    static let charactersMax = (payloadBytesMax + 2) / 3 * 4
    /// The longest payload without the prefix of six bytes.
    static let smallPayloadBytesMax = 65_603

    /// The raw payload of a ciphertext; what is wrong here is public, so it is told.
    static func payload(of text: String) throws(WireFault) -> [UInt8] {
        guard let first = text.utf8.first, first != UInt8(ascii: "#") else {
            throw unsupportedVersion
        }
        let payload: [UInt8]
        do throws(CodecError) {
            payload = try Base64.decode(text, countMax: payloadBytesMax)
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
    /// Written as 132 characters of Base64.
    private static let payloadBytesMin = 99
    /// Version, nonce, long prefix, text (its own padded length) and MAC.
    private static let payloadBytesMax = 1 + 32 + 6 + decryptedBytesMax + 32

    private static let unsupportedVersion = WireFault.invalid(
        "encryptedText is of a version other than NIP-44 version 2")
}
