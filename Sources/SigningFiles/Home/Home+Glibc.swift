// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The attributes of a file or directory.
package struct FileStatus {
    let path: String
    let isDirectory: Bool
    let ownerID: UInt32
    /// The permission bits.
    let mode: UInt32

    func checkOwner(is userID: UInt32) throws(HomeError) {
        guard ownerID == userID else { throw .wrongOwner(path: path, userID: ownerID) }
    }

    /// Throws if other users can read or change the file.
    package func checkIsPrivate() throws(HomeError) {
        guard mode & 0o077 == 0 else { throw .readableByOthers(path: path, mode: mode) }
    }
}

extension Home {
    /// The effective user of this process.
    static var currentUserID: UInt32 { geteuid() }

    /// The attributes of a file or directory; nil if it does not exist.
    package static func status(of path: String) throws(HomeError) -> FileStatus? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .failed(path: path, code: errno) }
            return nil
        }
        return FileStatus(
            path: path, isDirectory: status.st_mode & S_IFMT == S_IFDIR, ownerID: status.st_uid,
            mode: status.st_mode & 0o7777)
    }

    /// Makes one directory; ignores that another process made it first.
    package static func makeDirectory(_ path: String) throws(HomeError) {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .failed(path: path, code: errno)
        }
    }

    /// Makes an empty file with mode 0600 if it does not exist, durably.
    ///
    /// SQLite gives the files beside a database the mode of the database.
    package func makeFile(_ file: String) throws(HomeError) {
        let descriptor = unsafe Glibc.open(file, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .failed(path: file, code: errno) }
        close(descriptor)
        try Self.sync(path)
    }

    /// Moves a file or folder within a file system.
    package static func move(_ path: String, to target: String) throws(HomeError) {
        guard unsafe rename(path, target) == 0 else { throw .failed(path: target, code: errno) }
    }

    /// Gives a file a second name in the same file system.
    ///
    /// Does nothing if the name is taken or the file system does not support second names.
    package static func link(_ path: String, to target: String) throws(HomeError) {
        guard unsafe Glibc.link(path, target) == 0 || [EEXIST, EPERM, EOPNOTSUPP].contains(errno)
        else {
            throw .failed(path: target, code: errno)
        }
    }

    /// Makes the content of a file, or the entries of a folder, durable.
    package static func sync(_ path: String) throws(HomeError) {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed(path: path, code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .failed(path: path, code: errno) }
    }
}
