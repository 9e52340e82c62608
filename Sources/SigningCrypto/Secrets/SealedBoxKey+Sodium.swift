// SPDX-License-Identifier: Apache-2.0

internal import CSodium

extension SealedBoxKey {
    /// Makes a random secret half and writes its public half to `publicKey`.
    static func makePair(_ publicKey: inout [UInt8]) -> SecretBytes {
        SecretBytes(count: Int(crypto_box_SECRETKEYBYTES)) { output in
            let status = unsafe output.withUnsafeMutableBufferPointer { secretKey in
                guard let secretKey = secretKey.baseAddress else { return Int32(-1) }
                return unsafe crypto_box_keypair(&publicKey, secretKey)
            }
            precondition(status == 0, "libsodium failed to make a key pair")
        }
    }

    /// Opens a box of sufficient length; false if the box is for another key or was changed.
    borrowing func openBox(_ box: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> Bool {
        let status = unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe box.withPointer { bytes in
                unsafe secretKey.withPointer { secretKey in
                    unsafe crypto_box_seal_open(
                        output.baseAddress, bytes, UInt64(box.count), publicKey, secretKey)
                }
            }
        }
        return status == 0
    }

    /// Seals into memory of the right length; false if the public key is invalid.
    static func makeBox(
        of secret: borrowing SecretBytes, to publicKey: Span<UInt8>, into box: inout [UInt8]
    ) -> Bool {
        let status = unsafe secret.withPointer { bytes in
            unsafe publicKey.withPointer { publicKey in
                unsafe crypto_box_seal(&box, bytes, UInt64(secret.count), publicKey)
            }
        }
        return status == 0
    }
}
