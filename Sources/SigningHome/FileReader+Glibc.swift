// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningFiles

/// Reads a file from its beginning to its end.
final class FileReader {
    private let descriptor: Int32
    private let path: String
    /// The length of the file in bytes.
    let count: UInt64

    /// Opens a file; nil if it does not exist.
    init?(_ path: String) throws(BackupError) {
        self.path = path
        // Without O_NONBLOCK, opening a pipe would wait for its writer.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return nil }
            throw .home(.failed(path: path, code: errno))
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw .home(.failed(path: path, code: errno))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notABackup }
        count = UInt64(clamping: status.st_size)
    }

    deinit { close(descriptor) }

    /// The next bytes, at most `countMax`; nil at the end.
    func read(countMax: Int) throws(BackupError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: countMax)
        while true {
            let found = unsafe Glibc.read(descriptor, &bytes, countMax)
            if found < 0, errno == EINTR { continue }
            guard found >= 0 else { throw .home(.failed(path: path, code: errno)) }
            return found == 0 ? nil : Array(bytes.prefix(found))
        }
    }

    /// The next `count` bytes; nil if there are fewer.
    func readExactly(_ count: Int) throws(BackupError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = try read(countMax: count - bytes.count) else { return nil }
            bytes += more
        }
        return bytes
    }

    /// Whether the file has been read to its end.
    func isAtEnd() throws(BackupError) -> Bool {
        let place = lseek(descriptor, 0, SEEK_CUR)
        guard place >= 0 else { throw .home(.failed(path: path, code: errno)) }
        return UInt64(clamping: place) >= count
    }
}
