// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCore
import SigningCrypto
import SigningService

/// An open file that holds a secret.
struct CredentialsFile: ~Copyable {
    private let descriptor: Descriptor
    /// True if other users have permission to read the file.
    let isOpenToOthers: Bool
    /// The path of the file without symbolic links.
    let realPath: String

    static func open(_ path: String) throws -> CredentialsFile {
        let shown = VisibleText.escaped(path)
        // A pipe without a writer must not block the command.
        guard let file = Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY) else {
            throw unreadable(shown)
        }
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0 else { throw unreadable(shown) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CLIError(
                "\(shown) is not a file", hint: "give one file in ~/.near-credentials")
        }
        guard status.st_size <= SecretInput.bytesMax else {
            throw CLIError(
                "\(shown) is longer than \(SecretInput.bytesMax) bytes",
                hint: "a credentials file has a few hundred bytes")
        }
        guard let real = unsafe realpath(path, nil) else { throw unreadable(shown) }
        defer { unsafe free(real) }
        return CredentialsFile(
            descriptor: file, isOpenToOthers: status.st_mode & 0o077 != 0,
            realPath: unsafe String(cString: real))
    }

    func read() throws -> SecretBytes { try SecretInput.readFile(descriptor.number) }

    private static func unreadable(_ shown: String) -> CLIError {
        CLIError(
            "\(shown) cannot be read: \(unsafe String(cString: strerror(errno)))",
            hint: "check the path and its permissions")
    }
}
