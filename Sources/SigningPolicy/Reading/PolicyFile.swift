// SPDX-License-Identifier: Apache-2.0

/// Reads policy files, and only those that nobody else could have written.
public enum PolicyFile {}

/// Why a policy file was not read.
public enum PolicyFileError: Error, Hashable, Sendable {
    /// There is no such file.
    case missing
    /// It is a symbolic link, a directory or anything else that is no regular file.
    case notRegular
    /// It belongs to another user.
    case wrongOwner(userID: UInt32)
    /// Its group or others may write to it.
    case writableByOthers(mode: UInt32)
    /// It is larger than a policy may be.
    case tooLarge
    /// The system refused; the number is its own.
    case unreadable(errorNumber: Int32)
}
