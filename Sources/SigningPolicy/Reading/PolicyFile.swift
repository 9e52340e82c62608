// SPDX-License-Identifier: Apache-2.0

/// Reads policy files that only the user or root can write.
public enum PolicyFile {}

/// An error in reading a policy file.
public enum PolicyFileError: Error, Hashable, Sendable {
    /// There is no such file.
    case missing
    /// The path is a symbolic link, a directory or another file that is not regular.
    case notRegular
    /// The file belongs to another user.
    case wrongOwner(userID: UInt32)
    /// The group or others may write to the file.
    case writableByOthers(mode: UInt32)
    /// The file is larger than a policy may be.
    case tooLarge
    /// The system refused, with this errno.
    case unreadable(errorNumber: Int32)
}
