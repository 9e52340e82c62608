// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import SigningService
internal import Socket

/// One connection to an agent; every wait on it has an end, and holds no thread.
final class AgentLink: Sendable {
    private let socket: Int32

    /// Connects to a socket that `process`, and no other, listens at; nil is any of this user.
    ///
    /// Whoever put a socket in the agent's place would be given requests, and be believed.
    init(
        to path: String, of process: Int32?, until end: ContinuousClock.Instant
    ) async throws(ServiceError) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        // Kept last: an object that is whole closes it when this throws.
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

    /// Ends what waits on it.
    func cancel() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Sends all of it.
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
                throw Self.gone
            }
        }
    }

    /// What comes next; nothing where the other end is done.
    func receive(until end: ContinuousClock.Instant) async throws(ServiceError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.partBytes)
        while true {
            let count = unsafe recv(socket, &bytes, bytes.count, 0)
            if count >= 0 { return Array(bytes.prefix(count)) }
            guard errno == EAGAIN || errno == EINTR else { throw Self.gone }
            if errno == EAGAIN {
                try await wait(until: end) { DispatchSource.makeReadSource(fileDescriptor: $0) }
            }
        }
    }

    private static let partBytes = 65_536

    /// Returns once a source of Dispatch says that the socket is ready.
    private func wait(
        until end: ContinuousClock.Instant, for make: (Int32) -> any DispatchSourceProtocol
    ) async throws(ServiceError) {
        let left = (end - .now).components.seconds
        guard left >= 0, !Task.isCancelled else { throw Task.isCancelled ? Self.gone : Self.late }
        let (ready, released) = (Gate(), Gate())
        let source = make(socket)
        source.setEventHandler { ready.open() }
        source.setCancelHandler { released.open() }
        source.activate()
        await ready.wait(seconds: left + 1)
        source.cancel()
        // The number of a descriptor that is still watched must not be used again.
        await released.wait()
    }

    private static let late = ServiceError(
        "the agent does not answer in time", hint: "see \"countersign agent status\"")

    static let gone = ServiceError(
        "the agent went away before it answered",
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
            // As many wait as may.
            guard errno == EAGAIN || errno == EINTR, .now < end else { throw unreachable(path) }
            do { try await Task.sleep(for: pause) } catch { throw gone }
        }
    }

    private static let pause = Duration.milliseconds(10)

    /// The process that the kernel names as the one that listens.
    private static func listener(of socket: Int32) -> Int32? {
        // As `struct ucred`.
        var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        let status = unsafe getsockopt(socket, SOL_SOCKET, peerCredentials, &credentials, &size)
        guard status == 0, credentials.user == geteuid(), credentials.process > 0 else {
            return nil
        }
        return credentials.process
    }

    /// `SO_PEERCRED`.
    private static let peerCredentials: Int32 = 17
}
