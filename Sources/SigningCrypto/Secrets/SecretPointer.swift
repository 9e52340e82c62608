// SPDX-License-Identifier: Apache-2.0

extension SecretBytes {
    /// Lends the address of the bytes to a C call.
    borrowing func withPointer<R: ~Copyable, E: Error>(
        _ body: (UnsafePointer<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try unsafe body(UnsafePointer(base))
    }
}
