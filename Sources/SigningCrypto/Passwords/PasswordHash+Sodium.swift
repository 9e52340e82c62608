// SPDX-License-Identifier: Apache-2.0

internal import CSodium

extension PasswordHash {
    /// Runs Argon2id 1.3 with checked parameters; false if there is not enough memory.
    static func derive(
        into key: inout MutableSpan<UInt8>, passphrase: borrowing SecretBytes,
        salt: Span<UInt8>, parameters: Argon2Parameters
    ) -> Bool {
        let status = unsafe key.withUnsafeMutableBufferPointer { key in
            guard let output = key.baseAddress else { return Int32(-1) }
            return unsafe passphrase.withPointer { text in
                unsafe salt.withPointer { salt in
                    unsafe crypto_pwhash_argon2id(
                        output, UInt64(key.count), text, UInt64(passphrase.count), salt,
                        UInt64(parameters.passes), parameters.memoryKiB * 1024,
                        Int32(crypto_pwhash_argon2id_ALG_ARGON2ID13))
                }
            }
        }
        return status == 0
    }
}
