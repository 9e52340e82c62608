// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningService

/// Starts an agent through a service manager: `countersign-agent.socket` starts it at the first
/// connection.
package enum AgentAwakening {
    /// The path of the service's socket for a home; nil if absent.
    ///
    /// A user unit serves the home that the user's commands use by default.
    package static func socket(for home: String) -> String? {
        let own = variable("COUNTERSIGN_HOME") ?? variable("HOME").map { "\($0)/.countersign" }
        guard own == home, let runtime = variable("XDG_RUNTIME_DIR") else { return nil }
        let path = "\(runtime)/countersign/agent.sock"
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
            status.st_uid == geteuid()
        else { return nil }
        return path
    }

    /// True if a process listens at the path, according to the kernel: a killed process leaves its
    /// socket file behind.
    package static func isHeld(_ path: String) -> Bool {
        guard let list = unsafe fopen("/proc/net/unix", "re") else { return true }
        defer { unsafe fclose(list) }
        var line: UnsafeMutablePointer<CChar>?
        var room = 0
        defer { unsafe free(line) }
        while unsafe getline(&line, &room, list) > 0, let text = unsafe line {
            let line = unsafe String(cString: text)
            // Accepted connections are listed with the same path.
            let flags = line.split(separator: " ").dropFirst(3).first
            if line.hasSuffix(" \(path)\n"), flags ?? "" == listens { return true }
        }
        return false
    }

    /// The flag `__SO_ACCEPTCON` of Linux.
    private static let listens = "00010000"

    /// Connects and waits for the first answer.
    ///
    /// The answer is not trusted, and only the health is asked for: the lock file of the home names
    /// the agent, not the socket.
    static func wake(for home: String) async {
        guard let path = socket(for: home) else { return }
        let end = ContinuousClock.now + .seconds(secondsMax)
        let question = "GET /v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        guard let link = try? await AgentLink(to: path, of: nil, until: end) else { return }
        try? await link.send(Array(question.utf8), until: end)
        _ = try? await link.receive(until: end)
    }

    /// The time that a service may take to start, in seconds.
    private static let secondsMax: Int64 = 15

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
