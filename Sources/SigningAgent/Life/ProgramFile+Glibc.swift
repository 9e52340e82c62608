// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The file of the running program, which an upgrade replaces.
package struct ProgramFile: Sendable {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// The file of this process; nil if it is unknown or was already replaced.
    package init?() {
        guard let found = unsafe realpath("/proc/self/exe", nil) else { return nil }
        defer { unsafe free(found) }
        self.init(at: unsafe String(cString: found))
    }

    /// The file at an absolute path; nil if there is none.
    init?(at path: String) {
        var found = stat()
        guard unsafe stat(path, &found) == 0 else { return nil }
        self.path = path
        device = found.st_dev
        inode = found.st_ino
    }

    /// The folder of the file; nil if this process cannot read it, and so cannot watch it.
    package var folder: String? {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        return unsafe access(folder, R_OK) == 0 ? folder : nil
    }

    /// True if another file is at the path now; false if there is none, as then no other version
    /// can start.
    package var isReplaced: Bool {
        var found = stat()
        guard unsafe stat(path, &found) == 0 else { return false }
        return found.st_dev != device || found.st_ino != inode
    }
}
