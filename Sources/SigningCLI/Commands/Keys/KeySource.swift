// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCore
import SigningCrypto
import SigningService

/// The content of one import, from a file or from standard input.
struct KeySource: ~Copyable {
    /// The longest file, in bytes; a kmd wallet of a thousand keys is smaller.
    static let bytesMax = 1 << 20

    let bytes: SecretBytes
    /// The path as errors show it, or "standard input".
    let shown: String
    /// The path without symbolic links; nil for standard input.
    let realPath: String?
    /// True if other users have permission to read the file.
    let isOpenToOthers: Bool

    init(bytes: consuming SecretBytes, shown: String = "standard input") {
        self.bytes = bytes
        self.shown = shown
        realPath = nil
        isOpenToOthers = false
    }

    /// Reads a whole file.
    init(path: String) throws {
        let shown = VisibleText.escaped(path)
        // A pipe without a writer must not block the command.
        guard let file = Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY) else {
            throw Self.unreadable(shown)
        }
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0 else { throw Self.unreadable(shown) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CLIError("\(shown) is not a file", hint: "give the one file that has the key")
        }
        guard status.st_size <= Self.bytesMax else {
            throw CLIError(
                "\(shown) is longer than \(Self.bytesMax) bytes",
                hint: "key files are smaller: check that it is the right file")
        }
        guard let real = unsafe realpath(path, nil) else { throw Self.unreadable(shown) }
        defer { unsafe free(real) }
        bytes = try SecretInput.readFile(file.number, countMax: Int(status.st_size) + 1)
        self.shown = shown
        realPath = unsafe String(cString: real)
        isOpenToOthers = status.st_mode & 0o077 != 0
    }

    /// True if anything exists at the path.
    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    private static func unreadable(_ shown: String) -> CLIError {
        CLIError(
            "\(shown) cannot be read: \(unsafe String(cString: strerror(errno)))",
            hint: "check the path and its permissions")
    }
}
