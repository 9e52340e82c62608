// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs

/// JSON that some clients percent-encode twice, once in their code and once in a URL library.
enum TwiceEncodedJSON {
    /// Decodes the value once more if it begins like encoded JSON.
    ///
    /// Other text must not be decoded again: a percent sign may be part of it.
    static func unwrap(_ value: String) throws(NIP155Refusal) -> String {
        let start = value.prefix(3).lowercased()
        guard start == "%7b" || start == "%5b" else { return value }
        do throws(CodecError) {
            return try PercentEncoding.decode(value.utf8.span)
        } catch {
            throw .invalid("JSON is badly percent-encoded: \(error.text)")
        }
    }
}
