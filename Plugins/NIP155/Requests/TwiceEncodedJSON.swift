// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// JSON that some clients percent-encode twice, once by hand and once by their URL library.
enum TwiceEncodedJSON {
    /// The value decoded once more if it begins as encoded JSON does.
    ///
    /// Never for text that is not JSON: there a percent sign may be meant.
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
