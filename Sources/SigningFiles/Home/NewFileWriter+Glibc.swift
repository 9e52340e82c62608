// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Writes a new file that only its owner can read; deletes it unless it is finished.
package final class NewFileWriter {
    private let descriptor: Int32
    private let path: String
    /// The name that the file gets once it is durable; nil if it has its name from the beginning.
    private let finalPath: String?
    private var isFinished = false

    /// Creates the file; throws if it exists.
    package init(_ path: String) throws(HomeError) {
        let opened = unsafe open(
            path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        // `deinit` deletes the file at the stored path. The path is stored after this check, so
        // that a file that existed before stays.
        guard opened >= 0 else { throw .failed(path: path, code: errno) }
        self.path = path
        finalPath = nil
        descriptor = opened
    }

    /// Creates a file that has another name until it is complete, so that a file with this name is
    /// never a part of one.
    package init(completing path: String) throws(HomeError) {
        guard try Home.status(of: path) == nil else { throw .failed(path: path, code: EEXIST) }
        let part = path + ".countersign-part"
        // A killed process may have left it.
        unsafe unlink(part)
        let opened = unsafe open(
            part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw .failed(path: path, code: errno) }
        self.path = part
        finalPath = path
        descriptor = opened
    }

    /// Takes over an open new file.
    package init(_ path: String, _ descriptor: Int32) {
        self.path = path
        finalPath = nil
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        if !isFinished { unsafe unlink(path) }
    }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws(HomeError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw .failed(path: path, code: errno) }
            rest.removeFirst(written)
        }
    }

    /// Makes the file durable and keeps it.
    package func finish() throws(HomeError) {
        guard fsync(descriptor) == 0 else { throw .failed(path: path, code: errno) }
        if let finalPath { try name(finalPath) }
        isFinished = true
    }

    /// Gives the file its name, durably, and replaces no other file.
    private func name(_ finalPath: String) throws(HomeError) {
        if unsafe link(path, finalPath) == 0 {
            unsafe unlink(path)
        } else {
            // File systems of removable media may have no links.
            let code = errno
            guard code != EEXIST, try Home.status(of: finalPath) == nil else {
                throw .failed(path: finalPath, code: EEXIST)
            }
            try Home.move(path, to: finalPath)
        }
        try Home.sync(finalPath.lastIndex(of: "/").map { String(finalPath[...$0]) } ?? ".")
    }
}
