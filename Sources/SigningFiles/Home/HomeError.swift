// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An error in using a home directory.
package enum HomeError: Error, Hashable, Sendable {
    /// The path does not exist.
    case missing(path: String)
    /// The path is not a directory.
    case notADirectory(path: String)
    /// The directory belongs to another user.
    case wrongOwner(path: String, userID: UInt32)
    /// Other users have access to a file or directory that only the owner may access.
    case readableByOthers(path: String, mode: UInt32)
    /// A system call failed with this errno.
    case failed(path: String, code: Int32)

    /// The error in plain words.
    package var text: String {
        switch self {
        case .missing(let path): "\(path) does not exist"
        case .notADirectory(let path): "\(path) is not a directory"
        case .wrongOwner(let path, let userID):
            "\(path) belongs to user \(userID)"
        case .readableByOthers(let path, let mode):
            "\(path) has mode \(Self.octal(mode)), so others have access to it"
        case .failed(let path, let code): "\(path): \(unsafe String(cString: strerror(code)))"
        }
    }

    /// The command that fixes the error; nil if no single command does.
    package var fix: String? {
        switch self {
        case .wrongOwner(let path, _): "chown \(geteuid()) \(path)"
        case .readableByOthers(let path, let mode):
            Self.fix(path, mode)
        case .missing, .notADirectory, .failed: nil
        }
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func fix(_ path: String, _ mode: UInt32) -> String {
        // The owner's execute bit tells a directory from a file.
        mode & 0o100 == 0 ? "chmod 600 \(path)" : "chmod 700 \(path)"
    }
}
