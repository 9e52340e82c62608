// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningFiles

/// An exclusive lock on a folder, which is held until this object is deallocated.
final class FolderLock: Sendable {
    private let descriptor: Int32

    /// Locks a folder; nil if another process holds the lock.
    init?(_ path: String) throws(HomeError) {
        let opened = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw .failed(path: path, code: errno) }
        descriptor = opened
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit { close(descriptor) }
}

/// The exclusive right to change a home, which is held until this object is deallocated.
///
/// The holder can rely on settings that it reads before it unlocks the vault: no other command
/// changes them in the meantime.
package final class HomeTurn: Sendable {
    private let lock: FolderLock

    fileprivate init(_ lock: FolderLock) { self.lock = lock }
}

extension Home {
    /// The longest time that a command waits for other commands that change the home, in seconds.
    package static let turnSecondsMax: Int64 = 30

    /// Waits for the right to change the home; nil if another command holds it for too long.
    package func takeTurn() throws(HomeError) -> HomeTurn? {
        let deadline = ContinuousClock.now + .seconds(Self.turnSecondsMax)
        while true {
            if let lock = try FolderLock(path) { return HomeTurn(lock) }
            guard ContinuousClock.now < deadline else { return nil }
            usleep(Self.turnPauseMicroseconds)
        }
    }

    private static let turnPauseMicroseconds: UInt32 = 20_000
}
