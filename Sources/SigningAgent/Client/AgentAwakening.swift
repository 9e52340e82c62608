// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningService

/// The agent that a service manager starts when somebody connects to its socket, as
/// `countersign-agent.socket` has it.
package enum AgentAwakening {
    /// Where its socket is for a home; nil where there is none.
    ///
    /// A unit of a user serves the home that the user's commands work in when they name none.
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

    /// Whether somebody listens there, as the kernel has it: one that was killed leaves its file.
    package static func isHeld(_ path: String) -> Bool {
        guard let list = unsafe fopen("/proc/net/unix", "re") else { return true }
        defer { unsafe fclose(list) }
        var line: UnsafeMutablePointer<CChar>?
        var room = 0
        defer { unsafe free(line) }
        while unsafe getline(&line, &room, list) > 0, let text = unsafe line {
            let line = unsafe String(cString: text)
            // Connections that were taken stand there under the same path.
            let flags = line.split(separator: " ").dropFirst(3).first
            if line.hasSuffix(" \(path)\n"), flags ?? "" == listens { return true }
        }
        return false
    }

    /// `__SO_ACCEPTCON` of Linux.
    private static let listens = "00010000"

    /// Connects, and waits until something answers.
    ///
    /// Who that is the seat of the home tells, not the socket: all it is asked is whether it is
    /// well.
    static func wake(for home: String) async {
        guard let path = socket(for: home) else { return }
        let end = ContinuousClock.now + .seconds(secondsMax)
        let question = "GET /v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        guard let link = try? await AgentLink(to: path, of: nil, until: end) else { return }
        try? await link.send(Array(question.utf8), until: end)
        _ = try? await link.receive(until: end)
    }

    /// How long a service may take to start.
    private static let secondsMax: Int64 = 15

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
