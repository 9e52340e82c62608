// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// A session of processes on a terminal, such as a login shell with its jobs, as the kernel reports
/// it.
package struct TerminalSession: Hashable, Sendable {
    /// The number of the session's leader, which is the number of the session.
    private let leader: Int32
    /// The start of the leader, in clock ticks since boot; a leader that reuses a number has
    /// another.
    private let start: String
    /// The number of the controlling terminal.
    private let terminal: Int32

    /// Makes the session of a process from its line in `/proc/PID/stat`; `line` reads that of
    /// another process.
    ///
    /// Nil unless the process runs in the foreground of a terminal and the leader of its session
    /// lives: the kernel takes the terminal from all jobs when the leader ends.
    package init?(of process: String, _ line: (Int32) -> String?) {
        guard let own = ProcessLine(process), own.terminal != 0, own.group == own.foreground,
            let leader = line(own.session).flatMap(ProcessLine.init),
            leader.number == own.session, leader.session == own.session,
            leader.terminal == own.terminal, !["Z", "X"].contains(leader.state)
        else { return nil }
        self.leader = own.session
        start = leader.start
        terminal = own.terminal
    }
}

/// The fields of a line in `/proc/PID/stat`, see proc_pid_stat(5).
private struct ProcessLine {
    let number: Int32
    let state: Substring
    /// The process group.
    let group: Int32
    let session: Int32
    /// The controlling terminal; 0 for none.
    let terminal: Int32
    /// The process group in the foreground of the terminal.
    let foreground: Int32
    let start: String

    init?(_ line: String) {
        // The second field, a name in parentheses that the process chooses, may contain anything.
        guard let open = line.firstIndex(of: "("), let close = line.lastIndex(of: ")") else {
            return nil
        }
        let fields = line[line.index(after: close)...].split(separator: " ")
        let numbers = fields.prefix(6).dropFirst(2).compactMap { Int32($0) }
        guard let number = Int32(line[..<open].filter { $0 != " " }), numbers.count == 4,
            fields.count > 19, numbers[1] > 0
        else { return nil }
        self.number = number
        state = fields[0]
        (group, session, terminal, foreground) = (numbers[0], numbers[1], numbers[2], numbers[3])
        start = String(fields[19])
    }
}

extension HTTPRequest {
    /// The terminal session in whose foreground the client runs now; nil without one.
    package var terminalSession: TerminalSession? {
        (peer.process as? PeerProcess)?.terminalSession
    }
}
