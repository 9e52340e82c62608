// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningFiles

/// A running `LedgerCrashProbe` with its printed lines.
struct ProbeProcess {
    private let processID: pid_t
    private let output: Int32

    struct Failure: Error {}

    /// Starts a probe in a home.
    init(_ home: Home, maximum: Int, requests: Int, tasks: Int = 1) throws {
        try self.init([home.path, String(maximum), String(requests), String(tasks)])
    }

    /// Starts a probe that archives the record, and waits until it begins.
    init(archiving home: Home) throws {
        try self.init(["archive", home.path])
        var byte: UInt8 = 0
        while byte != UInt8(ascii: "\n"), unsafe read(output, &byte, 1) == 1 {}
    }

    private init(_ operands: [String]) throws {
        var pipeEnds: [Int32] = [0, 0]
        // The descriptors close in other children, which would keep them open.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &pipeEnds) == 0 else { throw Failure() }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, pipeEnds[1], STDOUT_FILENO)
        let words = [Self.path] + operands
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var started: pid_t = 0
        let code = unsafe posix_spawn(&started, Self.path, &actions, nil, &arguments, environ)
        close(pipeEnds[1])
        guard code == 0 else { throw Failure() }
        processID = started
        output = pipeEnds[0]
    }

    /// Kills the process without a chance to clean up.
    func kill() {
        Glibc.kill(processID, SIGKILL)
    }

    /// Reads all output and waits for the end; an incomplete last line does not count.
    func finish() -> [String] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(output, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        close(output)
        var status: Int32 = 0
        unsafe waitpid(processID, &status, 0)
        let complete = bytes[..<((bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)]
        return complete.split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The probe is built into the same directory as the tests.
    private static let path: String = {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        let bytes = buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }
        let own = String(decoding: bytes, as: UTF8.self)
        return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
            + "/LedgerCrashProbe"
    }()
}
