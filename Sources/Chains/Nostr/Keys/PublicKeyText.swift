// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The two ways people and clients write a Nostr public key.
package enum PublicKeyText {
    package static let keyBytes = 32

    /// Reads hex in any case, or npub; nil for anything else.
    package static func key(_ text: String) -> [UInt8]? {
        if text.utf8.count == 2 * keyBytes {
            return try? Hex.decode(text, countMax: keyBytes, upperCase: .allowed)
        }
        guard let (hrp, bytes) = try? Bech32.decode(text, countMax: keyBytes), hrp == "npub",
            bytes.count == keyBytes
        else { return nil }
        return bytes
    }

    /// The form people know.
    package static func npub(_ key: [UInt8]) -> String { Bech32.encode(hrp: "npub", key.span) }
}
