// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Certificates that are trusted in place of the system's, read once: what becomes of the file that
/// they came from changes nothing.
public final class LiquidAuthorities: Sendable {
    /// Why there are none.
    public enum ReadError: Error, Hashable, Sendable {
        /// There is no certificate in PEM.
        case none
        /// They are longer than `bytesMax`.
        case tooLong
        /// The folder cannot be written; why.
        case folder(String)
    }

    /// The most bytes of them.
    public static let bytesMax = 256 << 10
    private static let mark = Array("-----BEGIN CERTIFICATE-----".utf8)

    /// Names that others make at the same moment.
    private static let attemptsMax = 100

    private let file: Int32

    /// Keeps them in a file without a name in a folder, since libraries read files.
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

    /// A new file, whose name is gone again; -1 with `errno` set where there is none.
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

    /// Where they are read, as long as this is held.
    package var path: String { "/proc/self/fd/\(file)" }
}
