// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningDigests

/// What tells one program from another.
package enum ProgramDigest {
    /// How many bytes it has.
    package static let count = 32

    /// The SHA-256 of an open file; nil where it cannot be read or is too large.
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

    /// Nobody reads more than this before each start.
    private static let bytesMax: off_t = 256 << 20
}
