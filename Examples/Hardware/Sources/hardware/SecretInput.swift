// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCrypto

/// Reads secrets from file descriptors into guarded memory.
enum SecretInput {
    /// The longest text of a secret, in bytes.
    private static let bytesMax = 128

    /// Reads a line and closes the descriptor; nil if it is empty or too long.
    static func line(from descriptor: Int32) -> SecretBytes? {
        defer { close(descriptor) }
        let line = SecretBytes(countMax: bytesMax + 1) { text in
            var used = 0
            while used < text.count {
                let count = unsafe text.withUnsafeMutableBytes { text in
                    unsafe read(
                        descriptor, text.baseAddress.map { unsafe $0 + used }, text.count - used)
                }
                guard count > 0 else { break }
                used += count
            }
            guard used <= bytesMax else { return 0 }
            return used > 0 && text[used - 1] == UInt8(ascii: "\n") ? used - 1 : used
        }
        guard line.count > 0 else { return nil }
        return line
    }
}
