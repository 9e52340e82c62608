// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Sandbox
internal import SigningDigests
internal import Synchronization

/// Hashes of programs, computed once for each unchanged file.
enum ExecutableHashes {
    private struct Mark: Hashable {
        let device: UInt64
        let file: UInt64
        let bytes: Int64
        let written: [Int]
    }

    private static let known = Mutex<[Mark: [UInt8]]>([:])
    /// The most hashes to keep; one more clears the cache.
    private static let knownMax = 256
    private static let partBytes = 1 << 18

    /// Returns SHA-256 of the program of a process, which still has to be `target`.
    static func hash(of process: Int32, running target: String?) -> [UInt8]? {
        // The file is opened once, so that it remains the same if the process starts another
        // program.
        guard let file = Executables.open(of: process) else { return nil }
        defer { close(file) }
        guard Executables.path(of: file) == target, let mark = mark(of: file) else { return nil }
        if let hash = known.withLock({ $0[mark] }) { return hash }
        var state = SHA256State()
        var part = [UInt8](repeating: 0, count: partBytes)
        while true {
            let count = unsafe read(file, &part, part.count)
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            state.update(part.span.extracting(0..<count))
        }
        // A file that was changed while it was hashed has no valid hash.
        guard self.mark(of: file) == mark else { return nil }
        let hash = state.finish()
        known.withLock { known in
            if known.count >= knownMax { known = [:] }
            known[mark] = hash
        }
        return hash
    }

    private static func mark(of file: Int32) -> Mark? {
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Mark(
            device: UInt64(status.st_dev), file: UInt64(status.st_ino),
            bytes: Int64(status.st_size),
            written: [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                status.st_ctim.tv_nsec,
            ])
    }
}
