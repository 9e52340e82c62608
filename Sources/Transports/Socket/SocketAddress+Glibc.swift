// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCore

/// The address of a socket: a path to bind, or a socket inherited from the parent process.
package struct SocketAddress: Sendable {
    /// The path.
    package let path: String
    /// The descriptor of an inherited socket.
    let inherited: Int32?

    /// Makes the address of a socket that is not bound yet.
    package init(path: String) {
        self.path = path
        inherited = nil
    }

    private init(path: String, inherited: Int32) {
        self.path = path
        self.inherited = inherited
    }

    /// The first descriptor that a service manager passes.
    private static let firstInherited: Int32 = 3

    /// Returns the socket that a service manager passed (`LISTEN_FDS`); nil if absent.
    ///
    /// It can be read once, so that child processes do not take it for theirs.
    package static func inherited() throws(TransportError) -> SocketAddress? {
        let number = text("LISTEN_PID").flatMap { Int32($0) }
        let count = text("LISTEN_FDS").flatMap { Int($0) }
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { _ = unsafe unsetenv(name) }
        guard number == getpid(), let count, count > 0 else { return nil }
        let socket = firstInherited
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        guard count == 1, isListening(socket), let path = path(of: socket) else {
            throw TransportError(
                "the service manager did not hand over one Unix socket with a path",
                hint: "see ListenStream= of countersign-agent.socket")
        }
        return SocketAddress(path: path, inherited: socket)
    }

    private static func text(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    private static func isListening(_ socket: Int32) -> Bool {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0
            && value != 0
    }

    private static func path(of socket: Int32) -> String? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(socket, $0, &size)
            }
        }
        guard status == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let bytes = unsafe withUnsafeBytes(of: &address.sun_path) { bytes in
            unsafe Array(bytes.prefix { $0 != 0 })
        }
        let path = String(validating: bytes, as: UTF8.self)
        return path?.hasPrefix("/") == true ? path : nil
    }

    /// Makes an inherited socket this process's own.
    ///
    /// The kernel reports to clients the process that called `listen` last.
    static func take(_ socket: Int32, backlog: Int32) -> Int32? {
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, firstInherited)
        guard copy >= 0 else { return nil }
        _ = fcntl(copy, F_SETFL, fcntl(copy, F_GETFL) | O_NONBLOCK)
        guard listen(copy, backlog) == 0 else {
            close(copy)
            return nil
        }
        return copy
    }
}
