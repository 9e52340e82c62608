// SPDX-License-Identifier: Apache-2.0
import Glibc

extension PolicyFile {
    /// Returns the bytes of a regular file that belongs to the user or root and is writable only by
    /// its owner.
    ///
    /// The file is read once, at most `TOMLPolicy.fileBytesMax`.
    public static func read(_ path: String) throws(PolicyFileError) -> [UInt8] {
        // Without O_NONBLOCK, opening a pipe would wait for its writer.
        let file = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw PolicyFileError(openingFailedWith: errno) }
        defer { close(file) }
        try check(file)
        return try readAll(file)
    }

    /// Checks the open file, not the path, which may name another file by now.
    private static func check(_ file: Int32) throws(PolicyFileError) {
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw .unreadable(errorNumber: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw .wrongOwner(userID: status.st_uid)
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw .writableByOthers(mode: status.st_mode & 0o7777)
        }
    }

    private static func readAll(_ file: Int32) throws(PolicyFileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: chunkBytes)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes {
                unsafe Glibc.read(file, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(errorNumber: errno) }
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
            guard bytes.count <= TOMLPolicy.fileBytesMax else { throw .tooLarge }
        }
    }

    private static let chunkBytes = 1 << 16
}

extension PolicyFileError {
    fileprivate init(openingFailedWith number: Int32) {
        self =
            switch number {
            case ENOENT: .missing
            // With O_NOFOLLOW, the open of a symbolic link fails with this error.
            case ELOOP: .notRegular
            default: .unreadable(errorNumber: number)
            }
    }
}
