// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCore
internal import Synchronization

/// The place of the socket: a private folder, with a lock file that marks a served socket.
///
/// The socket is bound early, under a temporary name, because a sandbox may forbid it later.
/// Clients cannot find it before it is served.
package final class SocketPlace: Sendable {
    /// The path of the socket.
    package let path: String
    /// The folder of the socket.
    package var folder: String { Self.folder(of: path) }
    /// True if a service manager passed the socket, so that it starts the agent again.
    package let isInherited: Bool
    private let lock: Int32
    /// The listening descriptor; the caller of `listen` closes it.
    private let listener: Mutex<Int32?>

    /// Takes the place.
    ///
    /// `home` may contain other files, because the agent changes them anyway.
    package init(_ address: SocketAddress, in home: String? = nil) throws(TransportError) {
        let path = address.path
        try Self.checkLength(path)
        self.path = path
        isInherited = address.inherited != nil
        try Self.checkFolder(Self.folder(of: path))
        try SocketFolderRule.check(Self.folder(of: path), in: home)
        try Self.checkIsFree(path)
        // Assigned to `self` last, so that `deinit` does not close it again if this throws.
        let lock = unsafe open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw Self.error("\(path).lock") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw TransportError(
                "another agent serves \(VisibleText.escaped(path))",
                hint: "use it, stop it, or give another --socket PATH")
        }
        do throws(TransportError) {
            listener = Mutex(try Self.makeListener(at: path, from: address.inherited))
        } catch {
            close(lock)
            throw error
        }
        self.lock = lock
    }

    deinit {
        if let unused = listener.withLock({ $0 }) {
            close(unused)
            if !isInherited { _ = unsafe unlink(Self.unfinished(path)) }
        }
        close(lock)
    }

    /// Leaves room for the ending of the temporary name.
    private static let pathBytesMax = 100

    /// Moves the socket to its final path, once; the caller closes it.
    func listen() throws(TransportError) -> Int32 {
        if !isInherited {
            try Self.checkIsFree(path)
            guard unsafe rename(Self.unfinished(path), path) == 0 else { throw Self.error(path) }
        }
        let made = listener.withLock { $0.take() }
        guard let made else {
            throw TransportError("the socket was already served", hint: "start the agent again")
        }
        return made
    }

    private static func unfinished(_ path: String) -> String { "\(path).new" }

    private static func makeListener(
        at path: String, from inherited: Int32?
    ) throws(TransportError) -> Int32 {
        if let inherited {
            guard let listener = SocketAddress.take(inherited, backlog: backlog) else {
                throw error(path)
            }
            return listener
        }
        let before = unfinished(path)
        _ = unsafe unlink(before)
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let listener = socket(AF_UNIX, type, 0)
        guard listener >= 0 else { throw error(path) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
            unsafe place.copyBytes(from: before.utf8)
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, size) == 0
            }
        }
        guard isBound, unsafe chmod(before, 0o600) == 0,
            Glibc.listen(listener, backlog) == 0
        else {
            let error = error(path)
            close(listener)
            _ = unsafe unlink(before)
            throw error
        }
        return listener
    }

    private static let backlog: Int32 = 4_096

    /// Removes the socket, unless it was inherited.
    ///
    /// The lock file remains, so that two processes cannot serve one path.
    func remove() {
        if !isInherited, (try? Self.checkIsFree(path)) != nil { _ = unsafe unlink(path) }
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Refuses an address that cannot be served in a `home`, and makes nothing; the home may be
    /// missing.
    package static func check(_ address: SocketAddress, in home: String) throws(TransportError) {
        try checkLength(address.path)
        let folder = folder(of: address.path)
        if unsafe access(folder, F_OK) == 0 {
            try checkFolder(folder)
            try SocketFolderRule.check(folder, in: home)
            try checkIsFree(address.path)
        } else if folder != home, unsafe access(Self.folder(of: folder), W_OK | X_OK) != 0 {
            throw error(folder)
        }
    }

    private static func checkLength(_ path: String) throws(TransportError) {
        // `sun_path` has 108 bytes including the final zero.
        guard path.utf8.count <= pathBytesMax else {
            throw TransportError(
                "the path of the socket is longer than \(pathBytesMax) bytes",
                hint: "give a shorter one with --socket PATH")
        }
    }

    /// Makes the folder if it is missing.
    ///
    /// Refuses a folder that other users may read, and one with all files of the user, which the
    /// agent could then change.
    private static func checkFolder(_ folder: String) throws(TransportError) {
        guard !isWide(folder) else {
            throw TransportError(
                "the socket needs a directory of its own, but \(VisibleText.escaped(folder)) is "
                    + "the home directory or /",
                hint:
                    "give --socket PATH in a directory of its own, such as "
                    + "~/.countersign/agent.sock"
            )
        }
        guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw error(folder) }
        var status = stat()
        guard unsafe lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid(), status.st_mode & 0o077 == 0
        else {
            throw TransportError(
                "\(VisibleText.escaped(folder)) is not a directory that only you can use",
                hint: "chmod 700 it, or give another --socket PATH")
        }
    }

    /// Returns whether it is the root or the user's home folder.
    private static func isWide(_ folder: String) -> Bool {
        let named = unsafe getenv("HOME").map { unsafe String(cString: $0) }
        return ["/", named, registeredHome()].contains {
            $0.map { SocketFolderRule.isSame($0, folder) } ?? false
        }
    }

    private static func registeredHome() -> String? {
        var entry = unsafe passwd()
        var buffer = [CChar](repeating: 0, count: 16_384)
        var found: UnsafeMutablePointer<passwd>?
        guard unsafe getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0,
            let home = unsafe found?.pointee.pw_dir
        else { return nil }
        return unsafe String(cString: home)
    }

    /// Refuses to replace anything but a socket that is not served.
    private static func checkIsFree(_ path: String) throws(TransportError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw TransportError(
                "\(VisibleText.escaped(path)) exists and is not a socket",
                hint: "move it away, or give another --socket PATH")
        }
    }

    private static func error(_ path: String) -> TransportError {
        TransportError(
            "\(VisibleText.escaped(path)): \(unsafe String(cString: strerror(errno)))",
            hint: "check that its directory exists and belongs to you")
    }
}
