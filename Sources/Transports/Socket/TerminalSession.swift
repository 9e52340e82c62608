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

    /// Makes the session of a process from what the kernel writes of it; `line` reads that of
    /// another process.
    ///
    /// Nil unless the process runs in the foreground of a terminal and the leader of its session
    /// lives: the kernel takes the terminal from all jobs when the leader ends.
    init?(of own: ProcessLine, _ line: (Int32) -> ProcessLine?) {
        guard own.session > 0, own.terminal != 0, own.group == own.foreground,
            let leader = line(own.session), leader.number == own.session,
            leader.session == own.session,
            leader.terminal == own.terminal, !["Z", "X"].contains(leader.state)
        else { return nil }
        self.leader = own.session
        start = leader.start
        terminal = own.terminal
    }
}

extension HTTPRequest {
    /// The terminal session in whose foreground the client runs now; nil without one.
    package var terminalSession: TerminalSession? {
        (peer.process as? PeerProcess)?.terminalSession
    }
}
