// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Sandbox

/// A run of `sandbox-probe` in its sandbox, with the result of each operation.
private struct Probe {
    /// The sets of system calls for the probe; the raw value is its argument.
    enum Calls: Int { case serves, servesNetworks, reachesNetworks, speaks }

    let results: [String: String]

    init(_ calls: Calls) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "sandbox-\(UUID().uuidString)")
        let home = folder.appending(path: "home")
        let outside = folder.appending(path: "outside")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("secret".utf8).write(to: outside)
        // The build puts the probe into the folder of the tests.
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let binary = URL(filePath: own).deletingLastPathComponent()
            .appending(path: "sandbox-probe")
        let process = Process()
        process.executableURL = binary
        let there = try #require(Self.listen(at: folder.appending(path: "socket").path))
        defer { close(there) }
        process.arguments = [
            home.path, outside.path, String(calls.rawValue),
            folder.appending(path: "socket").path,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try Data(contentsOf: outside) == Data("secret".utf8), "it was touched")
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        results = Dictionary(
            lines.map { line in
                let words = line.split(separator: " ")
                return (String(words[0]), words.dropFirst().joined(separator: " "))
            }, uniquingKeysWith: { $1 })
    }

    private static func listen(at path: String) -> Int32? {
        let held = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: path.utf8.prefix(107))
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(held, $0, size) == 0
            }
        }
        return isBound && Glibc.listen(held, 4) == 0 ? held : nil
    }

    var hasLandlock: Bool { results["landlock"] != "0" }
}

@Suite("The sandbox")
struct ProbeTests {
    /// The operations that an agent needs.
    static let goesOn = [
        "calls", "thread", "write-home", "rename-home", "remove-home", "read-etc", "write-null",
        "stat-of-other", "memory", "pair", "pipe", "helper-exe", "read-limits", "own-name",
        "own-priority", "own-signal", "own-thread", "own-terminal", "own-descriptor",
    ]
    /// The operations that seccomp refuses for every program.
    static let refused = [
        "link-home", "device-home", "cut-outside", "hard-link-outside", "ptrace", "read-memory",
        "write-memory", "kill", "kill-thread", "limits-of-other", "exec", "exec-descriptor", "fork",
        "memory-file", "code-in-memory", "data-to-code", "io-uring", "bpf", "namespace", "mount",
        "keys", "dumpable", "new-filter", "type-into-terminal", "packets", "mode-home",
        "mode-of-file", "owner-of-file", "code-in-file", "mode-outside", "mode-outside-at",
        "owner-outside", "attribute-outside", "times-outside", "unix-socket", "datagram-pair",
        "own-limits", "priority-of-other", "priority-of-group", "place-of-other", "signal-group",
        "signal-by-descriptor", "choose-signal", "signal-by-control", "library",
        "netlink-diagnosis", "netlink-devices", "netlink-audit", "raw-socket", "raw-socket-6",
        "raw-socket-all", "ping-socket", "multipath", "other-transport", "ordered-packets",
        "thread-in-namespace", "thread-without-memory", "new-process", "unix-datagrams",
    ]
    /// Sockets of the networks.
    static let networks = ["internet", "internet-datagrams", "netlink"]
    /// Calls of a program that others connect to.
    static let listening = ["listen", "accept"]
    /// The operations that Landlock refuses.
    static let hidden = [
        "thread-read-outside", "folder-home", "read-outside", "write-outside", "remove-outside",
        "move-outside", "write-etc", "write-tmp", "exe-of-other", "memory-of-other",
    ]

    @Test("an agent can do what it needs, and nothing else")
    func all() throws {
        let probe = try Probe(.serves)
        for name in Self.goesOn + Self.listening {
            #expect(probe.results[name] == "ok", "\(name)")
        }
        for name in Self.refused + Self.networks + ["connect-pair"] {
            #expect(probe.results[name] == "EPERM", "\(name)")
        }
        if probe.hasLandlock {
            #expect(probe.results["files"] == "ok")
            for name in Self.hidden { #expect(probe.results[name] == "EACCES", "\(name)") }
        }
        #expect(probe.results["helper-program"] == "ENOENT", "it was given none")
        #expect(probe.results["helper-channel"] == "ENOENT", "it was given none")
        #expect(probe.results["helper-end"] == "ESRCH", "it started none")
    }

    @Test("only the process that needs networks has them")
    func networks() throws {
        let probe = try Probe(.servesNetworks)
        for name in Self.networks + Self.listening {
            #expect(probe.results[name] == "ok", "\(name)")
        }
        for name in Self.refused { #expect(probe.results[name] == "EPERM", "\(name)") }
        #expect(probe.results["connect-pair"] == "EISCONN")
    }

    @Test("a program that keeps a channel reaches networks, and no program connects to it")
    func channels() throws {
        let probe = try Probe(.reachesNetworks)
        for name in Self.networks + ["thread", "memory", "pair", "pipe"] {
            #expect(probe.results[name] == "ok", "\(name)")
        }
        for name in Self.refused + Self.listening {
            #expect(probe.results[name] == "EPERM", "\(name)")
        }
    }

    @Test("a process that speaks with the desktop makes Unix streams and no other sockets")
    func speaking() throws {
        let probe = try Probe(.speaks)
        for name in ["unix-socket", "thread"] { #expect(probe.results[name] == "ok", "\(name)") }
        for name in Self.refused + Self.networks + Self.listening where name != "unix-socket" {
            #expect(probe.results[name] == "EPERM", "\(name)")
        }
    }

    @Test("a process with threads gets an error, because its files are not confined")
    func late() {
        // The test makes its state by hand, as other tests in this process need files and threads.
        let parts = [
            SandboxState.Part("files", nil, problem: "the process already had another thread"),
            SandboxState.Part("system calls", "seccomp", problem: "none"),
        ]
        let state = SandboxState(parts: parts)
        #expect(!state.isWhole)
        #expect(
            state.text
                == "in a sandbox; system calls: seccomp; "
                + "not restricted: files (the process already had another thread)")
        #expect(SandboxState(parts: [parts[1]]).isWhole)
        #expect(
            SandboxState(parts: [parts[0]]).text.hasPrefix("not in a sandbox; not restricted: "))
        #expect(Sandbox.state == nil)
    }

    @Test("the program of a process is opened, and named")
    func executables() throws {
        let own = ProcessInfo.processInfo.processIdentifier
        let file = try #require(Executables.open(of: own))
        defer { close(file) }
        let path = try #require(Executables.path(of: file))
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        #expect(path == executable)
        #expect(Executables.open(of: 0) == nil)
        #expect(SandboxProgram.run() == nil, "there is no helper here")
        #expect(SandboxProgram.runChannel() == nil, "there is no helper here")
    }
}
