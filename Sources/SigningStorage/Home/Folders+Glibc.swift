// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A folder that no other process holds like this, until it goes out of scope.
final class FolderLock: Sendable {
    private let descriptor: Int32

    /// Nil where another process holds it.
    init?(_ path: String) throws(HomeError) {
        let opened = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw .failed(path: path, code: errno) }
        descriptor = opened
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit { close(descriptor) }
}

/// The right to change a home, which one command has at a time, until it goes out of scope.
///
/// What its holder reads before it is unlocked no other command changes meanwhile.
package final class HomeTurn: Sendable {
    private let lock: FolderLock

    fileprivate init(_ lock: FolderLock) { self.lock = lock }
}

extension Home {
    /// How long a command waits for the others that change the home, in seconds.
    package static let turnSecondsMax: Int64 = 30

    /// Waits for its turn; nil where another command keeps it longer than anybody waits.
    package func takeTurn() throws(HomeError) -> HomeTurn? {
        let deadline = ContinuousClock.now + .seconds(Self.turnSecondsMax)
        while true {
            if let lock = try FolderLock(path) { return HomeTurn(lock) }
            guard ContinuousClock.now < deadline else { return nil }
            usleep(Self.turnPauseMicroseconds)
        }
    }

    private static let turnPauseMicroseconds: UInt32 = 20_000

    /// Puts a file or folder in another place of the same file system.
    static func move(_ path: String, to target: String) throws(HomeError) {
        guard unsafe rename(path, target) == 0 else { throw .failed(path: target, code: errno) }
    }

    /// Gives a file another name in the same file system, where that is not taken and there can be
    /// several.
    static func link(_ path: String, to target: String) throws(HomeError) {
        guard unsafe Glibc.link(path, target) == 0 || [EEXIST, EPERM, EOPNOTSUPP].contains(errno)
        else {
            throw .failed(path: target, code: errno)
        }
    }

    /// Makes the entries of a folder durable.
    static func sync(_ path: String) throws(HomeError) {
        let directory = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .failed(path: path, code: errno) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw .failed(path: path, code: errno) }
    }

    /// Removes a home that was made for a moment.
    package func discard() { try? Self.removeFolder(path) }

    /// Removes a home with the files in it.
    package func remove() throws(HomeError) { try Self.removeFolder(path) }

    /// Removes a folder with the files in it; there need be none.
    static func removeFolder(_ path: String) throws(HomeError) {
        let folder = Home(path: path)
        let bases = [folder.vaultPath, folder.ledgerPath, folder.policyPath]
        let files = bases.flatMap { [$0, $0 + "-wal", $0 + "-shm", $0 + "-journal"] }
        for file in try files + segmentFiles(in: folder)
            + [
                segmentPartPath(of: folder.ledgerPath), folder.waitingPath, folder.freezeMarkPath,
            ]
        {
            guard unsafe unlink(file) == 0 || errno == ENOENT || errno == ENOTDIR else {
                throw .failed(path: file, code: errno)
            }
        }
        guard unsafe rmdir(path) == 0 || errno == ENOENT else {
            throw .failed(path: path, code: errno)
        }
    }
}
