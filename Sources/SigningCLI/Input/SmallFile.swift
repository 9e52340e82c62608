// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningService

/// Regular files of settings, which are read as a whole.
enum SmallFile {
    private static let bytesMax = 1 << 20

    /// The content of a file; nil if it cannot be read or is larger than 1 MiB.
    static func bytes(at path: String) -> [UInt8]? {
        // Without O_NONBLOCK a named pipe would block.
        guard let file = Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY) else {
            return nil
        }
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= bytesMax
        else { return nil }
        return try? Descriptor.readAll(file.number, name: path)
    }

    /// The content of a file in UTF-8; nil if it cannot be read so.
    static func text(at path: String) -> String? {
        bytes(at: path).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
