// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningService
internal import SigningStorage
internal import Synchronization

/// The one place that an agent of a home can have, held by a lock as long as this lives.
///
/// The file says where the agent answers, and the kernel who holds it: what a killed agent left
/// there leads nobody to another program.
package final class AgentLockFile: Sendable {
    private let lock: Int32
    private let path: String
    /// Where others were told that it answers.
    private let announced = Mutex<String?>(nil)

    /// Takes it.
    package init(of home: OpenHome) throws(ServiceError) {
        path = home.home.agentLockPath
        // Kept last: an object that is whole closes it when this throws.
        let lock = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else {
            throw ServiceError("\(path) cannot be opened", hint: "see \"countersign doctor\"")
        }
        // The first lock is for descriptors, and the second tells others the process. It ends with
        // any descriptor of the file that this process closes, so only here is one opened.
        var whole = flock()
        whole.l_type = Int16(F_WRLCK)
        guard flock(lock, LOCK_EX | LOCK_NB) == 0, unsafe fcntl(lock, F_SETLK, &whole) == 0,
            ftruncate(lock, 0) == 0
        else {
            close(lock)
            throw ServiceError(
                "another agent serves this home", hint: "use that one, or stop it first")
        }
        self.lock = lock
    }

    deinit { close(lock) }

    /// What those who look for it do not find any more; nil where all is in its place.
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

    /// Tells other processes where the agent answers, from now on.
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

    /// Tells them that it does not answer any more.
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

/// What is known of the agent of a home from outside.
package enum AgentPresence: Hashable, Sendable {
    /// None holds the seat.
    case none
    /// This process holds it and does not answer yet, or not any more.
    case silent(process: Int32)
    /// This process holds it and answers here.
    case serving(process: Int32, socket: String)

    /// Looks at the seat; takes nothing, and hinders nobody who does.
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
        // Without its line end it is being written.
        self =
            text.hasSuffix("\n") && text.hasPrefix("/")
            ? .serving(process: process, socket: String(text.dropLast()))
            : .silent(process: process)
    }

    private static let pathBytesMax = 4_096
}
