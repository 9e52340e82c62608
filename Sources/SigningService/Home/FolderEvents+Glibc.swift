// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningFiles
internal import SigningStorage

/// The kernel's reports that files in some folders were written, made, moved or removed (inotify).
///
/// The folders are chosen at the start, because a sandbox forbids to choose them later.
package final class FolderEvents: Sendable {
    /// The folders, by the paths given.
    package let folders: [String]
    /// The inotify instance; -1 if there is none.
    private let file: Int32

    /// Begins to collect the events in folders; starts no thread.
    package init(in folders: [String]) {
        self.folders = folders
        let file = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        let isGood =
            file >= 0
            && folders.allSatisfy { unsafe inotify_add_watch(file, $0, Self.mask) >= 0 }
        if file >= 0, !isGood { close(file) }
        self.file = isGood ? file : -1
    }

    deinit { if file >= 0 { close(file) } }

    private static let mask = UInt32(
        IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVED_FROM
            | IN_MOVED_TO | IN_MOVE_SELF)

    /// False if the kernel reports nothing, so that files have to be compared.
    package var areReported: Bool { file >= 0 }

    /// Waits for an event, at most this number of milliseconds, and takes all that are there.
    ///
    /// True if there was any.
    func wait(milliseconds: Int32) -> Bool {
        guard areReported else {
            usleep(useconds_t(1_000 * milliseconds))
            return false
        }
        var request = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, milliseconds) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
        while unsafe read(file, &buffer, buffer.count) > 0 {}
        return true
    }

    private static let bufferBytes = 1 << 14
}

/// The file that a path leads to and the time of its last change; for a folder, also of its list.
struct PathMark: Hashable {
    private let numbers: [Int]

    /// Nil if there is no file.
    init?(_ path: String) {
        var found = stat()
        guard unsafe stat(path, &found) == 0 else { return nil }
        numbers = [
            Int(truncatingIfNeeded: found.st_dev), Int(truncatingIfNeeded: found.st_ino),
            found.st_mtim.tv_sec, found.st_mtim.tv_nsec,
        ]
    }
}

extension FolderEvents {
    /// Begins to collect the events of a home, of the records of its teams, and of more folders.
    package convenience init(of home: OpenHome, beside more: [String] = []) {
        let homes = [home.home] + ((try? home.home.teams()) ?? []).map(home.home.team)
        // A database may be a symbolic link; SQLite keeps its other files beside the target.
        let databases = homes.flatMap { [$0.vaultPath, $0.ledgerPath] }.compactMap(Self.realFolder)
        self.init(in: Set(homes.map(\.path) + databases + more).sorted())
    }

    private static func realFolder(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        let text = unsafe String(cString: real)
        return text.lastIndex(of: "/").map { String(text[..<$0]) }
    }
}
