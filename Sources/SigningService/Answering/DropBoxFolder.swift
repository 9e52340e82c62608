// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The folder for large data that clients of the same user exchange with the home, one file for
/// each token.
///
/// Its path is `$XDG_RUNTIME_DIR/countersign/pb`.
package struct DropBoxFolder: Sendable {
    /// The greatest age of a file, in seconds.
    package static let secondsMax: Int64 = 300

    private let path: String

    /// Opens the folder and creates it if necessary.
    package init(runtime: String?) throws(ServiceError) {
        guard let runtime else {
            throw ServiceError(
                "the folder for drop boxes is not known", hint: "set XDG_RUNTIME_DIR")
        }
        path = "\(runtime)/countersign/pb"
        for folder in ["\(runtime)/countersign", path] {
            guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
                throw ServiceError(
                    "\"\(folder)\" cannot be created: \(unsafe String(cString: strerror(errno)))",
                    hint: nil)
            }
        }
        try Self.check(path)
    }

    /// Returns and deletes the file of a token.
    ///
    /// Nil if there is no file, or if it is old, too large, or accessible to other users.
    package func take(_ token: String, bytesMax: Int) throws(ServiceError) -> [UInt8]? {
        try read(token, bytesMax: bytesMax, isTaken: true)
    }

    /// Returns the file of a token without deleting it.
    package func look(at token: String, bytesMax: Int) throws(ServiceError) -> [UInt8]? {
        try read(token, bytesMax: bytesMax, isTaken: false)
    }

    private func read(
        _ token: String, bytesMax: Int, isTaken: Bool
    ) throws(ServiceError) -> [UInt8]? {
        let place = "\(path)/\(token)"
        guard let file = Descriptor(opening: place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
            return nil
        }
        // A second reader must find no file.
        if isTaken, unsafe unlink(place) != 0 { return nil }
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == getuid(), status.st_mode & 0o077 == 0,
            status.st_nlink == (isTaken ? 0 : 1),
            status.st_size <= bytesMax
        else { return nil }
        var now = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &now) == 0,
            Int64(now.tv_sec - status.st_mtim.tv_sec) <= Self.secondsMax
        else { return nil }
        return try Descriptor.readAll(file.number, name: "the drop box")
    }

    /// Writes an answer under the token, readable by the user alone.
    package func put(_ bytes: [UInt8], under token: String) throws(ServiceError) {
        let place = "\(path)/\(token)"
        guard
            let file = Descriptor(
                opening: place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600),
            Descriptor.write(bytes.span, to: file.number)
        else {
            throw ServiceError(
                "the answer cannot be written to the drop box",
                hint: "check that the drop box is empty and that the disk is not full")
        }
    }

    /// Refuses a folder that other users may write to: it may receive decrypted text.
    private static func check(_ path: String) throws(ServiceError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == getuid(), status.st_mode & 0o077 == 0
        else {
            throw ServiceError(
                "\"\(path)\" is not a private folder of yours", hint: "chmod 700 it, or remove it")
        }
    }
}
