// SPDX-License-Identifier: Apache-2.0

internal import CUnistring

/// The Unicode forms that passwords are brought into before they are hashed.
enum UnicodeNormalization {
    /// The longest text, in bytes.
    static let bytesMax = 1_024
    /// How much longer a text can become (UAX #15, 9.1).
    private static let growthMax = 18

    enum Form {
        /// Composed, compatible: NIP-49.
        case nfkc
        /// Decomposed, compatible: BIP-39.
        case nfkd
    }

    /// The text in a form, without a copy outside of secrets; text that is not UTF-8 is refused.
    static func apply(
        _ form: Form, to text: borrowing SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        guard text.count <= bytesMax else {
            throw .lengthOutOfRange(actual: text.count, max: bytesMax)
        }
        let isText = unsafe text.withPointer { unsafe cunistring_is_text($0, text.count) }
        guard isText else { throw .notText }
        guard text.count > 0 else { return SecretBytes(count: 0) { _ in } }
        return try SecretBytes(countMax: text.count * growthMax) { output throws(CryptoError) in
            var count = output.count
            let isDone = unsafe output.withUnsafeMutableBufferPointer { buffer in
                unsafe text.withPointer { bytes in
                    unsafe cunistring_normalize(
                        form == .nfkc, bytes, text.count, buffer.baseAddress, &count)
                }
            }
            guard isDone else { throw .notText }
            return count
        }
    }
}
