// SPDX-License-Identifier: Apache-2.0

import Nostr

/// The forms of encrypted texts.
public enum CiphertextForm {
    /// Returns true for a text in the form of NIP-04.
    public static func isNIP04(_ text: String) -> Bool { NIP04Text.isWellFormed(text) }

    /// Throws for a text that does not have the form of NIP-44, version 2.
    public static func checkNIP44(_ text: String) throws(NIP155Refusal) {
        _ = try NIP155Refusal.converting(
            NIP44Text.payload(of: text, plaintextBytesMax: NIP155Limits.usualTextBytesMax))
    }
}
