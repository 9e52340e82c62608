// SPDX-License-Identifier: Apache-2.0

internal import CUnistring

/// The Unicode normalisation of passwords before they are hashed.
enum UnicodeNormalization {
    /// The longest text, in bytes.
    static let bytesMax = 1_024
    /// The most growth of a text by normalisation (UAX #15, 9.1).
    private static let growthMax = 18

    enum Form {
        /// Compatibility composition, for NIP-49.
        case nfkc
        /// Compatibility decomposition, for BIP-39.
        case nfkd
    }

    /// Normalises a text in guarded memory only; refuses text that is not UTF-8.
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
