// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningFiles
internal import SigningHome
package import SigningService
internal import SigningStorage
internal import Synchronization

/// The lock file of a home's agent; at most one process holds it, as long as this object exists.
///
/// The file names the agent's socket, and the kernel knows the process that holds the lock. So the
/// file of a killed agent cannot lead clients to another program.
package final class AgentLockFile: Sendable {
    private let lock: Int32
    private let path: String
    /// The socket path that the file names.
    private let announced = Mutex<String?>(nil)

    /// Locks the file.
    package init(of home: OpenHome) throws(ServiceError) {
        path = home.home.agentLockPath
        // The property is set last: a complete object would close the file again when this throws.
        let lock = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else {
            throw ServiceError("\(path) cannot be opened", hint: "see \"countersign doctor\"")
        }
        // The first lock belongs to the descriptor; the second shows the process id to others. The
        // second ends when this process closes any descriptor of the file, so only one is opened.
        guard Self.take(lock), ftruncate(lock, 0) == 0 else {
            close(lock)
            throw ServiceError(
                "another agent serves this home",
                hint: "use that agent, or stop it first: countersign agent stop")
        }
        self.lock = lock
    }

    deinit { close(lock) }

    /// Takes both locks, waiting as long as a killed agent takes to end.
    private static func take(_ lock: Int32) -> Bool {
        var whole = flock()
        whole.l_type = Int16(F_WRLCK)
        for _ in 0..<endingTries {
            if flock(lock, LOCK_EX | LOCK_NB) == 0 {
                return unsafe fcntl(lock, F_SETLK, &whole) == 0
            }
            usleep(endingPauseMicroseconds)
        }
        return false
    }

    /// The kernel releases the locks of a killed process when its helpers have ended too.
    private static let endingTries = 50
    private static let endingPauseMicroseconds: UInt32 = 20_000

    /// The file that clients can no longer find; nil if all files are in place.
    package var missing: String? {
        var own = stat()
        var found = stat()
        guard unsafe fstat(lock, &own) == 0, unsafe lstat(path, &found) == 0,
            own.st_dev == found.st_dev, own.st_ino == found.st_ino
        else { return "its home, or the agent.lock in it" }
        guard let socket = announced.withLock({ $0 }) else { return nil }
        let isThere = unsafe lstat(socket, &found) == 0 && found.st_mode & S_IFMT == S_IFSOCK
        return isThere ? nil : "its socket"
    }

    /// Publishes the path of the agent's socket to other processes.
    package func announce(socket: String) throws(ServiceError) {
        let place = Self.absolute(socket)
        let bytes = Array((place + "\n").utf8)
        guard ftruncate(lock, 0) == 0, lseek(lock, 0, SEEK_SET) == 0,
            Descriptor.write(bytes.span, to: lock)
        else {
            throw ServiceError(
                "the home cannot be written: \(unsafe String(cString: strerror(errno)))",
                hint: "is the disk full?")
        }
        announced.withLock { $0 = place }
    }

    /// Removes the path of the socket.
    package func withdraw() {
        announced.withLock { $0 = nil }
        _ = ftruncate(lock, 0)
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(folder) }
        return "\(unsafe String(cString: folder))/\(path)"
    }
}

/// The state of a home's agent, seen from another process.
package enum AgentPresence: Hashable, Sendable {
    /// The home has no running agent.
    case none
    /// This process holds the lock file but does not accept requests yet, or not any more.
    case silent(process: Int32)
    /// This process holds the lock file and listens at this socket.
    case serving(process: Int32, socket: String)

    /// Reads the state from the lock file without locking it.
    package init(in home: String) throws(ServiceError) {
        let path = Home.agentLockPath(in: home)
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            guard errno == ENOENT else {
                throw ServiceError("\(path) cannot be opened", hint: "see \"countersign doctor\"")
            }
            self = .none
            return
        }
        defer { close(file) }
        let holder: Int32?
        do throws(HomeError) { holder = try Home.processLocking(file, path) } catch {
            throw ServiceError(
                "cannot find out whether an agent runs",
                hint: "the file system of the home has to support locks")
        }
        guard let process = holder else {
            self = .none
            return
        }
        guard process > 0 else {
            throw ServiceError(
                "the agent of this home runs in another container",
                hint: "run the command there, or with --no-agent")
        }
        var bytes = [UInt8](repeating: 0, count: Self.pathBytesMax)
        let count = unsafe pread(file, &bytes, bytes.count, 0)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        // A path without a line end is still being written.
        self =
            text.hasSuffix("\n") && text.hasPrefix("/")
            ? .serving(process: process, socket: String(text.dropLast()))
            : .silent(process: process)
    }

    private static let pathBytesMax = 4_096
}
