// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningDigests

/// The digest that identifies a program.
package enum ProgramDigest {
    /// The length of a digest in bytes.
    package static let count = 32

    /// The SHA-256 of an open file; nil if it cannot be read or is too large.
    package static func of(_ file: Int32) -> [UInt8]? {
        var state = SHA256State()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var offset: off_t = 0
        while offset <= bytesMax {
            let count = unsafe pread(file, &buffer, buffer.count, offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return state.finish() }
            state.update(buffer.span.extracting(..<count))
            offset += off_t(count)
        }
        return nil
    }

    /// The most bytes of a program, as it is read before each start.
    private static let bytesMax: off_t = 256 << 20
}
