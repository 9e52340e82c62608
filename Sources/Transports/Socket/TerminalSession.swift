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
    /// Nil unless the process has a terminal, in whose foreground it runs if wanted, and the leader
    /// of its session lives: the kernel takes the terminal from all jobs when the leader ends.
    init?(of own: ProcessLine, inForeground: Bool = true, _ line: (Int32) -> ProcessLine?) {
        guard own.session > 0, own.terminal != 0, !inForeground || own.group == own.foreground,
            let leader = line(own.session)
        else { return nil }
        self.leader = own.session
        start = leader.start
        terminal = own.terminal
        guard isLed(by: leader) else { return nil }
    }

    /// True while its leader lives and has the terminal.
    package var isLive: Bool { ProcessLine(of: leader).map(isLed) ?? false }

    private func isLed(by process: ProcessLine) -> Bool {
        process.number == leader && process.session == leader && process.start == start
            && process.terminal == terminal && !["Z", "X"].contains(process.state)
    }
}

extension HTTPRequest {
    /// The terminal session in which the client runs now, in its foreground if wanted; nil without
    /// one.
    package func terminalSession(inForeground: Bool) -> TerminalSession? {
        (peer.process as? PeerProcess)?.terminalSession(inForeground: inForeground)
    }
}
