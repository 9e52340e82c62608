// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc
internal import Sandbox
internal import SigningCore
internal import Synchronization

/// The process at the other end of a connection, as the kernel tells of it; it describes and proves
/// nothing, as a program can run another under its number.
///
/// What is cheap is read when it connects; its hash and its parents when somebody asks for them,
/// while a descriptor of the process says that its number is still its own.
final class PeerProcess: ClientProcess {
    private struct Known {
        var hash: [UInt8]??
        var parents: [String]??
    }

    /// Its number, as long as it lives.
    let number: Int32
    /// What it ran when it connected.
    let executable: String?
    /// The systemd unit that it was in then.
    let unit: String?
    /// Its number and when it started; nil where the kernel does not tell.
    var mark: String? { startTime.map { "\(number) \($0)" } }
    private let startTime: String?
    private let known = Mutex(Known())

    /// How many processes above it are told.
    static let parentsMax = 16
    private static let pathBytesMax = 4_096

    /// Reads what is cheap of the process that connected to a socket.
    init(_ number: Int32, at socket: Int32) {
        self.number = number
        let facts = Self.steadily(microhttpd_shim_peer_process(socket, number)) {
            () -> (String?, String?, String?) in
            let folder = "/proc/\(number)"
            return (
                Self.program(of: number), Self.text("\(folder)/cgroup").flatMap(Self.unit),
                Self.text("\(folder)/stat").flatMap(Login.startTime)
            )
        }
        (executable, unit, startTime) = facts ?? (nil, nil, nil)
    }

    /// SHA-256 of what it runs; nil where that cannot be read, or is not what it ran before.
    var executableHash: [UInt8]? {
        if let known = known.withLock({ $0.hash }) { return known }
        let hash = looked { ExecutableHashes.hash(of: number, running: executable) }
        known.withLock { $0.hash = .some(hash) }
        return hash
    }

    /// What the processes above it run, the nearest first; nil where that cannot be told.
    var parents: [String]? {
        if let known = known.withLock({ $0.parents }) { return known }
        let parents = looked { Self.chain(above: number) }
        known.withLock { $0.parents = .some(parents) }
        return parents
    }

    /// Looks while this is still the process that connected.
    private func looked<Value>(_ body: () -> Value?) -> Value? {
        guard let startTime else { return nil }
        return Self.steadily(microhttpd_shim_process(number)) {
            Self.text("/proc/\(number)/stat").flatMap(Login.startTime) == startTime ? body() : nil
        } ?? nil
    }

    /// Runs a body while a descriptor is held of a process, which must live until its end; nil
    /// where it does not.
    private static func steadily<Value>(_ process: Int32, _ body: () -> Value) -> Value? {
        guard process >= 0 else { return nil }
        defer { close(process) }
        let value = body()
        var end = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&end, 1, 0) == 0 ? value : nil
    }

    private static func chain(above number: Int32) -> [String]? {
        var chain: [String] = []
        var current = number
        while chain.count < parentsMax {
            guard let stat = text("/proc/\(current)/stat"), let parent = parent(in: stat) else {
                return nil
            }
            // The first process, and what is outside of this container.
            guard parent > 1 else { break }
            let program = steadily(microhttpd_shim_process(parent)) { self.program(of: parent) }
            // One that does not let itself be looked at stands there without a name.
            guard let program else { return nil }
            chain.append(program ?? "?")
            current = parent
        }
        return chain
    }

    /// The fourth field; the second one, a name in parentheses, may hold anything.
    static func parent(in stat: String) -> Int32? {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        return fields.count > 1 ? Int32(fields[1]) : nil
    }

    /// The last part of the control group of the unified hierarchy, where it is a unit's.
    static func unit(in groups: String) -> String? {
        guard let line = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::") }),
            let last = line.split(separator: "/").last
        else { return nil }
        let isUnit = [".service", ".scope", ".slice"].contains { last.hasSuffix($0) }
        return isUnit ? String(last) : nil
    }

    /// What a process runs; a sandbox hides its link from all but a helper.
    static func program(of process: Int32) -> String? {
        guard let file = Executables.open(of: process) else { return nil }
        defer { close(file) }
        return Executables.path(of: file)
    }

    private static func text(_ path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: pathBytesMax)
        let count = unsafe read(file, &bytes, bytes.count)
        // Names in it are the process's own.
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
