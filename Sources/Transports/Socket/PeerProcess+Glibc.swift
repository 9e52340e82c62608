// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc
internal import Sandbox
internal import SigningCore
internal import Synchronization

/// The process at the other end of a connection, as the kernel describes it.
///
/// It proves nothing: a process can run another program under its number. Cheap data is read when
/// it connects. The hash and the parents are read on demand, while a descriptor guarantees that the
/// number still belongs to it.
final class PeerProcess: ClientProcess {
    private struct Known {
        var hash: [UInt8]??
        var parents: [String]??
    }

    /// The process number, valid while it lives.
    let number: Int32
    /// The program at the time of connecting.
    let executable: String?
    /// The systemd unit at the time of connecting.
    let unit: String?
    /// The number and start time; nil if the kernel does not report them.
    var mark: String? { startTime.map { "\(number) \($0)" } }
    private let startTime: String?
    private let known = Mutex(Known())

    /// The most parent processes to report.
    static let parentsMax = 16

    /// Reads the cheap data of the process that connected to a socket.
    init(_ number: Int32, at socket: Int32) {
        self.number = number
        let facts = Self.steadily(microhttpd_shim_peer_process(socket, number)) {
            () -> (String?, String?, String?) in
            (
                Self.program(of: number),
                ProcessFiles.text("/proc/\(number)/cgroup").flatMap(Self.unit),
                ProcessLine(of: number)?.start
            )
        }
        (executable, unit, startTime) = facts ?? (nil, nil, nil)
    }

    /// SHA-256 of the program; nil if it cannot be read or has changed.
    var executableHash: [UInt8]? {
        if let known = known.withLock({ $0.hash }) { return known }
        let hash = looked { ExecutableHashes.hash(of: number, running: executable) }
        known.withLock { $0.hash = .some(hash) }
        return hash
    }

    /// The programs of the parent processes, the nearest first; nil if unknown.
    var parents: [String]? {
        if let known = known.withLock({ $0.parents }) { return known }
        let parents = looked { Self.chain(above: number) }
        known.withLock { $0.parents = .some(parents) }
        return parents
    }

    /// The terminal session in which the process runs, in its foreground if wanted; nil without
    /// one.
    func terminalSession(inForeground: Bool) -> TerminalSession? {
        looked {
            ProcessLine(of: number).flatMap { own in
                TerminalSession(of: own, inForeground: inForeground) { ProcessLine(of: $0) }
            }
        }
    }

    /// Runs a body only while this is still the process that connected.
    private func looked<Value>(_ body: () -> Value?) -> Value? {
        guard let startTime else { return nil }
        return Self.steadily(microhttpd_shim_process(number)) {
            ProcessLine(of: number)?.start == startTime ? body() : nil
        } ?? nil
    }

    /// Runs a body while a descriptor of a process is held; nil if the process ends before the body
    /// does.
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
            guard let parent = ProcessLine(of: current)?.parent else { return nil }
            // Stop at the first process, and at processes outside of this container.
            guard parent > 1 else { break }
            let program = steadily(microhttpd_shim_process(parent)) { self.program(of: parent) }
            // A process that cannot be inspected has no name here.
            guard let program else { return nil }
            chain.append(program ?? "?")
            current = parent
        }
        return chain
    }

    /// Returns the last part of the control group of the unified hierarchy if it is a unit.
    static func unit(in groups: String) -> String? {
        guard let line = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::") }),
            let last = line.split(separator: "/").last
        else { return nil }
        let isUnit = [".service", ".scope", ".slice"].contains { last.hasSuffix($0) }
        return isUnit ? String(last) : nil
    }

    /// Returns the program of a process; in a sandbox only the helper process can read it.
    static func program(of process: Int32) -> String? {
        guard let file = Executables.open(of: process) else { return nil }
        defer { close(file) }
        return Executables.path(of: file)
    }
}
