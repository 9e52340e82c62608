// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder for one transcript: home, passphrase, a fake desktop, the real binary.
final class Scratch: Sendable {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The binary under test: the release build, or the one named in the environment.
    static let binary: URL = {
        let named = ProcessInfo.processInfo.environment["COUNTERSIGN_BINARY"]
        return named.map { URL(filePath: $0) } ?? root.appending(path: ".build/release/countersign")
    }()

    /// The program of Examples/OwnProtocol.
    static let doors = root.appending(path: ".build/debug/doors")

    /// The program of Examples/OneAdapter.
    static let oneAdapter = root.appending(path: ".build/debug/OneAdapter")

    let folder: URL

    /// Creates the folder; with an agent, every signing command runs while an agent does.
    init(withAgent hasAgent: Bool = false) throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "countersign-\(UUID().uuidString)")
        for name in ["bin", "credentials"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        let credential = folder.appending(path: "credentials/countersign-passphrase")
        try Data("correct horse battery".utf8).write(to: credential)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: credential.path)
        for (name, binary) in [("countersign", Self.binary), ("doors", Self.doors)] {
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "bin/\(name)"), withDestinationURL: binary)
        }
        if hasAgent { try putAgentBeforeCommands() }
        // The runtime folder of a login, where an agent puts its socket.
        try FileManager.default.createDirectory(
            at: folder.appending(path: "runtime"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        // Stands in for the desktop: writes down what it was asked to open.
        try put("xdg-open", "printf '%s\\n' \"$#\" \"$1\" >> \"$HOME/opened\"")
        // Stands in for the compiler, which takes minutes: runs the example that is built already.
        try put("swift", "[ \"$*\" = run ] && exec '\(Self.oneAdapter.path)'")
    }

    /// Writes a shell script into the folder that `PATH` names.
    private func put(_ name: String, _ script: String) throws {
        let path = folder.appending(path: "bin/\(name)")
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path.path)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Starts an agent with the same options for the time of each signing command; the second
    /// command of a pipe may find the agent of the first.
    private func putAgentBeforeCommands() throws {
        let script = """
            #!/bin/bash
            real='\(Self.binary.path)'
            home=${COUNTERSIGN_HOME:-$HOME/.countersign}; same=(); last=; started=
            for word; do
              case $last in --home) home=$word;; --rpc | --algod) same+=("$last" "$word");; esac
              case $word in --home=*) home=${word#--home=};; --drop-box) same+=("$word");; esac
              last=$word
            done
            case " $* " in
            *" --help "* | *" --version "*) exec "$real" "$@";;
            *" handle "* | *" open "* | *" near "* | *" algorand "*) ;;
            *) exec "$real" "$@";;
            esac
            "$real" agent start --home "$home" --socket "$home/agent.sock" "${same[@]}" \\
              > /dev/null 2>&1 < /dev/null && started=yes && touch "$HOME/agents"
            "$real" "$@"
            status=$?
            if test "$started"; then
              "$real" agent stop --home "$home" > /dev/null 2>&1 < /dev/null
              rm -f "$home"/agent.*
            fi
            exit $status
            """
        let path = folder.appending(path: "bin/countersign")
        try FileManager.default.removeItem(at: path)
        try Data(script.utf8).write(to: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path.path)
    }

    /// True if a command of the transcript had an agent.
    var hadAgent: Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: "agents").path)
    }

    /// The time limit of one command, in seconds.
    private static let secondsMax = 600

    /// Closes inherited descriptors.
    ///
    /// Foundation lets children inherit descriptors of other tests. A background child would keep
    /// the pipes of those tests open.
    private static let closing = """
        for d in /proc/$$/fd/*; do d=${d##*/}; [ "$d" -gt 2 ] && eval "exec $d>&-"; done
        """

    /// The number of commands that run at a time.
    private static let places = DispatchSemaphore(value: 2)

    /// Runs one command line and returns what it printed, both streams in one.
    func run(_ command: String) async throws -> [String] {
        try await withCheckedThrowingContinuation { continuation in
            // A blocked task would hold one of Dispatch's few threads, one per core.
            Thread.detachNewThread { [self] in
                Self.places.wait()
                defer { Self.places.signal() }
                continuation.resume(with: Result { try wait(for: command) })
            }
        }
    }

    private func wait(for command: String) throws -> [String] {
        let process = Process()
        // A library of other tests makes this process ignore SIGPIPE, and children inherit that.
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "--default-signal=PIPE", "/usr/bin/timeout", "\(Self.secondsMax)", "/bin/bash", "-c",
            "exec 2>&1; \(Self.closing); set -o pipefail; \(command)",
        ]
        process.currentDirectoryURL = folder
        process.environment = [
            "PATH": "\(folder.path)/bin:/usr/bin:/bin", "HOME": folder.path, "LC_ALL": "C.UTF-8",
            "CREDENTIALS_DIRECTORY": "\(folder.path)/credentials",
            "XDG_RUNTIME_DIR": "\(folder.path)/runtime",
            "VECTORS": Self.root.appending(path: "Tests/Vectors").path,
        ]
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        var lines = String(decoding: data, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        // `head` may close the pipe before the command has written all output.
        let isCut = process.terminationStatus == 128 + SIGPIPE && command.contains("| head")
        if process.terminationStatus != 0, !isCut {
            lines.append("[exit \(process.terminationStatus)]")
        }
        return lines
    }
}
