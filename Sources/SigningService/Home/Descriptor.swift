// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// An open file that is closed at the end of its scope and not inherited by other programs.
package struct Descriptor: ~Copyable {
    /// The number of the file descriptor.
    package let number: Int32

    /// Opens a path; nil with `errno` set on failure.
    package init?(opening path: String, _ flags: Int32, mode: mode_t = 0) {
        let opened = unsafe open(path, flags | O_CLOEXEC, mode)
        guard opened >= 0 else { return nil }
        number = opened
    }

    deinit { close(number) }
}

extension Descriptor {
    /// The most bytes to read from one source; adapters have smaller limits.
    package static var bytesMax: Int { 16 << 20 }

    /// Reads to the end; errors use `name` for the source.
    package static func readAll(_ number: Int32, name: String) throws(ServiceError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw ServiceError(
                    "\(name) cannot be read",
                    hint: "check that it is a file, and its permissions")
            }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= bytesMax else {
                throw ServiceError(
                    "\(name) is larger than \(bytesMax >> 20) MiB",
                    hint: "check that it is the right file")
            }
        }
    }

    /// Writes all bytes; returns false on failure.
    package static func write(_ bytes: Span<UInt8>, to number: Int32) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let place = unsafe bytes.baseAddress.map { unsafe $0 + offset }
                let written = unsafe Glibc.write(number, place, bytes.count - offset)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { return false }
                offset += written
            }
            return true
        }
    }
}
