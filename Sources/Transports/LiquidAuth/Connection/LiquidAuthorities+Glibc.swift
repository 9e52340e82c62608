// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Trusted certificates that replace those of the system.
///
/// They are read once, so a later change of their file has no effect.
public final class LiquidAuthorities: Sendable {
    /// The reasons that there are no certificates.
    public enum ReadError: Error, Hashable, Sendable {
        /// The text contains no PEM certificate.
        case none
        /// The text is longer than `bytesMax`.
        case tooLong
        /// The folder is not writable, for this reason.
        case folder(String)
    }

    /// The maximum size of all certificates, in bytes.
    public static let bytesMax = 256 << 10
    private static let mark = Array("-----BEGIN CERTIFICATE-----".utf8)

    /// The maximum number of tries to find an unused file name.
    private static let attemptsMax = 100

    private let file: Int32

    /// Stores the certificates in an unnamed file in a folder, because libraries read files.
    public init(_ pem: [UInt8], in folder: String) throws(ReadError) {
        guard pem.count <= Self.bytesMax else { throw .tooLong }
        guard pem.firstRange(of: Self.mark) != nil else { throw .none }
        file = Self.opened(in: folder)
        guard file >= 0 else { throw .folder(unsafe String(cString: strerror(errno))) }
        var rest = pem[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .folder(unsafe String(cString: strerror(errno))) }
            rest = rest.dropFirst(count)
        }
    }

    deinit { if file >= 0 { close(file) } }

    /// Returns a new file whose name is already deleted; -1 with `errno` set after an error.
    private static func opened(in folder: String) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        for number in 0..<attemptsMax {
            let path = "\(folder)/certificates-\(getpid())-\(number)"
            let file = unsafe open(path, flags, 0o600)
            if file < 0, errno == EEXIST { continue }
            if file >= 0 { unsafe unlink(path) }
            return file
        }
        return -1
    }

    /// The path of the file, valid as long as this object exists.
    package var path: String { "/proc/self/fd/\(file)" }
}
