// SPDX-License-Identifier: Apache-2.0

internal import CSandbox
internal import Glibc

/// A small process forked before the sandbox is entered.
///
/// It reaches services over Unix sockets that the sandboxed process cannot reach. It contains no
/// secret and reads no file of the user.
package enum HelperProcess {
    /// Forks the process; call it while there is only one thread.
    ///
    /// In the new process `prepare` loads libraries, then the process is confined, and `body` runs
    /// with the line until it returns. Without `prepare` the process is not confined, so that it
    /// can run programs. `name` has at most 15 bytes. Returns nil if the fork fails.
    package static func start(
        _ name: String, prepare: (() -> Void)?, _ body: (HelperLine) -> Void
    ) -> HelperLine? {
        guard csandbox_thread_count() == 1 else { return nil }
        var socket: Int32 = -1
        let process = unsafe csandbox_aid_start(name, &socket)
        guard process >= 0 else { return nil }
        let line = HelperLine(socket)
        guard process == 0 else { return line }
        if let prepare {
            prepare()
            Sandbox.enterToSpeak()
        }
        body(line)
        _exit(0)
    }
}

/// A connection between an agent and a helper process, for messages of a few bytes.
package final class HelperLine: Sendable {
    /// The result of waiting for a message.
    package enum News: Hashable, Sendable {
        /// A message arrived.
        case message([UInt8])
        /// The time ended without a message.
        case nothing
        /// The other end is closed.
        case over
    }

    /// The most bytes of a message.
    package static let bytesMax = 16
    /// The socket, which can be polled together with other descriptors.
    package let socket: Int32

    init(_ socket: Int32) { self.socket = socket }

    deinit { close(socket) }

    /// Creates both ends of a line, for a test or a process that needs no sandbox.
    package static func pair() -> (HelperLine, HelperLine)? {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        return (HelperLine(ends[0]), HelperLine(ends[1]))
    }

    /// Ends the connection; both ends learn it.
    package func end() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Sends a message; false if that fails.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= Self.bytesMax else { return false }
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        return unsafe Glibc.send(socket, bytes, bytes.count, flags) == bytes.count
    }

    /// Waits for a message, at most this number of milliseconds; -1 for no limit.
    package func next(milliseconds: Int32) -> News {
        var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        let found = unsafe poll(&request, 1, milliseconds)
        guard found > 0 else { return found == 0 || errno == EINTR ? .nothing : .over }
        var bytes = [UInt8](repeating: 0, count: Self.bytesMax)
        let count = unsafe recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return .nothing }
        return count > 0 ? .message(Array(bytes[..<count])) : .over
    }
}
