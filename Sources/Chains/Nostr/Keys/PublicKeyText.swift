// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The two text forms of a Nostr public key.
package enum PublicKeyText {
    package static let keyBytes = 32

    /// Parses hex in upper or lower case, or npub; nil for any other text.
    package static func key(_ text: String) -> [UInt8]? {
        if text.utf8.count == 2 * keyBytes {
            return try? Hex.decode(text, countMax: keyBytes, upperCase: .allowed)
        }
        guard let (hrp, bytes) = try? Bech32.decode(text, countMax: keyBytes), hrp == "npub",
            bytes.count == keyBytes
        else { return nil }
        return bytes
    }

    /// Returns the npub form, which people use.
    package static func npub(_ key: [UInt8]) -> String { Bech32.encode(hrp: "npub", key.span) }
}
