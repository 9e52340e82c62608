// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import SigningService
internal import Socket

/// One connection to an agent; every wait has a time limit and blocks no thread.
final class AgentLink: Sendable {
    private let socket: Int32

    /// Connects to a socket at which exactly `process` listens; nil accepts any process of this
    /// user.
    ///
    /// Otherwise a program could put its socket in the place of the agent's, and receive and answer
    /// requests.
    init(
        to path: String, of process: Int32?, until end: ContinuousClock.Instant
    ) async throws(ServiceError) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        // The property is set last: a complete object would close the socket again when this
        // throws.
        let socket = Glibc.socket(AF_UNIX, type, 0)
        guard socket >= 0 else { throw Self.unreachable(path) }
        do throws(ServiceError) {
            try await Self.connect(socket, to: path, until: end)
            guard let listener = Self.listener(of: socket), listener == process ?? listener else {
                throw ServiceError(
                    "another program answers at \(path)",
                    hint: process.map { "stop the agent (\($0)) and start it again" })
            }
        } catch {
            close(socket)
            throw error
        }
        self.socket = socket
    }

    deinit { close(socket) }

    /// Ends all waits on the connection.
    func cancel() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Sends all bytes.
    func send(_ bytes: [UInt8], until end: ContinuousClock.Instant) async throws(ServiceError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { rest in
                unsafe Glibc.send(
                    socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                try await wait(until: end) { DispatchSource.makeWriteSource(fileDescriptor: $0) }
            } else if errno != EINTR {
                throw Self.connectionLost
            }
        }
    }

    /// Returns the next bytes; empty if the other end has closed.
    func receive(until end: ContinuousClock.Instant) async throws(ServiceError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.partBytes)
        while true {
            let count = unsafe recv(socket, &bytes, bytes.count, 0)
            if count >= 0 { return Array(bytes.prefix(count)) }
            guard errno == EAGAIN || errno == EINTR else { throw Self.connectionLost }
            if errno == EAGAIN {
                try await wait(until: end) { DispatchSource.makeReadSource(fileDescriptor: $0) }
            }
        }
    }

    private static let partBytes = 65_536

    /// Waits until a Dispatch source reports that the socket is ready.
    private func wait(
        until end: ContinuousClock.Instant, for make: (Int32) -> any DispatchSourceProtocol
    ) async throws(ServiceError) {
        let left = (end - .now).components.seconds
        guard left >= 0, !Task.isCancelled else {
            throw Task.isCancelled ? Self.connectionLost : Self.late
        }
        let (ready, released) = (Gate(), Gate())
        let source = make(socket)
        source.setEventHandler { ready.open() }
        source.setCancelHandler { released.open() }
        source.activate()
        await ready.wait(seconds: left + 1)
        source.cancel()
        // The descriptor must stay open until its source has been released.
        await released.wait()
    }

    private static let late = ServiceError(
        "the agent does not answer in time", hint: "see \"countersign agent status\"")

    static let connectionLost = ServiceError(
        "the connection to the agent ended before it answered",
        hint: "see \"countersign audit list\" for what was done")

    private static func unreachable(_ path: String) -> ServiceError {
        ServiceError(
            "the agent cannot be reached at \(path): \(unsafe String(cString: strerror(errno)))",
            hint: "stop it and start it again, or use --no-agent")
    }

    private static func connect(
        _ socket: Int32, to path: String, until end: ContinuousClock.Instant
    ) async throws(ServiceError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            throw unreachable(path)
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        while true {
            let isDone = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.connect(socket, $0, size) == 0
                }
            }
            if isDone { return }
            // The listener's backlog is full.
            guard errno == EAGAIN || errno == EINTR, .now < end else { throw unreachable(path) }
            do { try await Task.sleep(for: pause) } catch { throw connectionLost }
        }
    }

    private static let pause = Duration.milliseconds(10)

    /// The process that listens at the socket, according to the kernel; nil if it is another
    /// user's.
    private static func listener(of socket: Int32) -> Int32? {
        // The layout of `struct ucred`.
        var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        let status = unsafe getsockopt(socket, SOL_SOCKET, peerCredentials, &credentials, &size)
        guard status == 0, credentials.user == geteuid(), credentials.process > 0 else {
            return nil
        }
        return credentials.process
    }

    /// The value of `SO_PEERCRED`.
    private static let peerCredentials: Int32 = 17
}
