// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore

/// Where the socket stands: a folder for its owner alone, and a lock beside it, which says that
/// somebody serves it; the socket itself says nothing.
final class SocketPlace: Sendable {
    let path: String
    private let inherited: Int32?
    private let lock: Int32

    /// Takes the place.
    init(_ address: SocketAddress) throws(TransportError) {
        let path = address.path
        // `sun_path` has 108 bytes with the zero at its end.
        guard path.utf8.count <= Self.pathBytesMax else {
            throw TransportError(
                "the path of the socket is longer than \(Self.pathBytesMax) bytes",
                hint: "give a shorter one with --socket PATH")
        }
        self.path = path
        inherited = address.inherited
        try Self.checkFolder(Self.folder(of: path))
        try Self.checkIsFree(path)
        // Kept last: an object that is whole closes it when this throws.
        let lock = unsafe open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw Self.error("\(path).lock") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw TransportError(
                "another agent serves \(VisibleText.escaped(path))",
                hint: "use it, stop it, or give another --socket PATH")
        }
        self.lock = lock
    }

    deinit { close(lock) }

    /// Leaves room for what is added to it while it is made.
    private static let pathBytesMax = 100

    /// Makes the socket under another name and then moves it here: nobody finds half of it.
    func listen() throws(TransportError) -> Int32 {
        if let inherited {
            guard let listener = SocketAddress.take(inherited, backlog: Self.backlog) else {
                throw Self.error(path)
            }
            return listener
        }
        try Self.checkIsFree(path)
        let before = "\(path).new"
        _ = unsafe unlink(before)
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let listener = socket(AF_UNIX, type, 0)
        guard listener >= 0 else { throw Self.error(path) }
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
            Glibc.listen(listener, Self.backlog) == 0, unsafe rename(before, path) == 0
        else {
            let error = Self.error(path)
            close(listener)
            _ = unsafe unlink(before)
            throw error
        }
        return listener
    }

    private static let backlog: Int32 = 4_096

    /// Takes the socket away, where it is not another's who hands it to the next; the lock stays,
    /// so that nobody serves two of one name.
    func remove() {
        if inherited == nil, (try? Self.checkIsFree(path)) != nil { _ = unsafe unlink(path) }
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes the folder where it is missing; one that others may look into is none.
    private static func checkFolder(_ folder: String) throws(TransportError) {
        guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw error(folder) }
        var status = stat()
        guard unsafe lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid(), status.st_mode & 0o077 == 0
        else {
            throw TransportError(
                "\(VisibleText.escaped(folder)) is not a folder of yours alone",
                hint: "chmod 700 it, or give another --socket PATH")
        }
    }

    /// A socket that nobody serves may be replaced, any other file may not.
    private static func checkIsFree(_ path: String) throws(TransportError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw TransportError(
                "\(VisibleText.escaped(path)) is there and is no socket",
                hint: "move it away, or give another --socket PATH")
        }
    }

    private static func error(_ path: String) -> TransportError {
        TransportError(
            "\(VisibleText.escaped(path)): \(unsafe String(cString: strerror(errno)))",
            hint: "is its folder there, and yours?")
    }
}
