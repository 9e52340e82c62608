// SPDX-License-Identifier: Apache-2.0

internal import CSandbox
internal import Glibc

/// A small process of its own, made before the sandbox was entered, which reaches over Unix sockets
/// what the process inside may not; it holds no secret and reads none of its user's files.
package enum HelperProcess {
    /// Forks it; call it while there is one thread.
    ///
    /// In it `prepare` loads what it needs, then it is bound, and `body` speaks over the line until
    /// it has ended. `name` has at most 15 bytes. Nil where there is none.
    package static func start(
        _ name: String, prepare: () -> Void, _ body: (HelperLine) -> Void
    ) -> HelperLine? {
        guard csandbox_thread_count() == 1 else { return nil }
        var socket: Int32 = -1
        let process = unsafe csandbox_aid_start(name, &socket)
        guard process >= 0 else { return nil }
        let line = HelperLine(socket)
        guard process == 0 else { return line }
        prepare()
        Sandbox.enterToSpeak()
        body(line)
        _exit(0)
    }
}

/// What an aid and its process tell each other: messages of a few bytes.
package final class HelperLine: Sendable {
    /// What came.
    package enum News: Hashable, Sendable {
        /// A message.
        case message([UInt8])
        /// Nothing, in that time.
        case nothing
        /// The other end is gone.
        case over
    }

    /// The most bytes of a message.
    package static let bytesMax = 16
    /// What can be waited for beside other descriptors.
    package let socket: Int32

    init(_ socket: Int32) { self.socket = socket }

    deinit { close(socket) }

    /// Both ends of one, for a test or a process that needs no sandbox.
    package static func pair() -> (HelperLine, HelperLine)? {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        return (HelperLine(ends[0]), HelperLine(ends[1]))
    }

    /// Sends a message; false where nobody takes it.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= Self.bytesMax else { return false }
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        return unsafe Glibc.send(socket, bytes, bytes.count, flags) == bytes.count
    }

    /// Waits for a message, for so many milliseconds at most; -1 for ever.
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
