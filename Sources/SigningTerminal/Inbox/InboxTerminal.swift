// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// The terminal as the inbox has it: the whole screen, key by key, given back as it was however
/// the inbox ends.
struct InboxTerminal: ~Copyable {
    private let terminal: Terminal
    private let paint = TerminalPaint()
    private var turn: TerminalTurn?
    private var saved: termios?
    private var shown: [InboxRow] = []

    /// What came from the keyboard.
    enum Input: Equatable {
        case keys([InboxKey])
        /// The terminal is gone.
        case ended
    }

    /// Takes the terminal; nil where there is none, or none that draws.
    init?(until deadline: ContinuousClock.Instant) {
        let name = unsafe getenv("TERM").map { unsafe String(cString: $0) }
        guard let name, name != "dumb", let terminal = Terminal(),
            let turn = terminal.takeTurn(until: deadline)
        else { return nil }
        self.terminal = terminal
        self.turn = turn
        enter()
    }

    deinit { Self.give(back: terminal, saved) }

    /// Its size now.
    var size: (rows: Int, columns: Int) { terminal.size }

    private mutating func enter() {
        var modes = termios()
        guard unsafe tcgetattr(terminal.fileNumber, &modes) == 0 else { return }
        saved = modes
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        modes.c_iflag &= ~tcflag_t(IXON)
        unsafe tcsetattr(terminal.fileNumber, TCSAFLUSH, &modes)
        terminal.show(Self.begin)
        shown = []
    }

    private static func give(back terminal: borrowing Terminal, _ saved: termios?) {
        guard var saved else { return }
        terminal.show(end)
        unsafe tcsetattr(terminal.fileNumber, TCSAFLUSH, &saved)
    }

    /// The other screen, no cursor, and pasted text marked as such; and back.
    private static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?2004h"
    private static let end = "\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l"

    /// Shows rows in place of what was there.
    mutating func draw(_ rows: [InboxRow]) {
        guard rows != shown else { return }
        shown = rows
        let lines = rows.map { paint.painted($0) + "\u{1B}[K" }
        terminal.show("\u{1B}[H" + lines.joined(separator: "\r\n") + "\u{1B}[J")
    }

    /// Draws all of it the next time.
    mutating func forget() { shown = [] }

    /// Throws away what was typed before this.
    func flush() { tcflush(terminal.fileNumber, TCIFLUSH) }

    /// What came at once, within a moment.
    func read() -> Input {
        var request = pollfd(fd: terminal.fileNumber, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, Self.momentMilliseconds) > 0 else { return .keys([]) }
        var bytes = [UInt8](repeating: 0, count: Self.burstBytesMax)
        let count = unsafe Glibc.read(terminal.fileNumber, &bytes, bytes.count)
        if count < 0, errno == EINTR { return .keys([]) }
        return count > 0 ? .keys(InboxKey.parse(Array(bytes.prefix(count)))) : .ended
    }

    private static let momentMilliseconds: Int32 = 100
    private static let burstBytesMax = 4_096

    /// Gives the terminal to the shell until the job is continued.
    mutating func suspend() {
        Self.give(back: terminal, saved)
        saved = nil
        // Others may ask here meanwhile.
        turn = nil
        signal(SIGTSTP, SIG_DFL)
        terminal.suspend()
        InboxSignals.watchSuspension()
        turn = terminal.takeTurn(until: .now + .seconds(Terminal.secretSecondsMax))
        enter()
    }
}

/// Signals from outside that end or stop the inbox; a flag each, as nothing more may be done in a
/// handler.
package enum InboxSignals {
    private static let ending = Atomic<Int32>(0)
    private static let isToStop = Atomic(false)
    private static let ends = [SIGTERM, SIGHUP, SIGINT, SIGQUIT]

    /// Which signal ends it; nil while none does.
    package static var end: Int32? {
        let number = ending.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Whether it was told to stop, since this was asked last.
    static func takeSuspension() -> Bool { isToStop.exchange(false, ordering: .relaxed) }

    static func watch() {
        ending.store(0, ordering: .relaxed)
        isToStop.store(false, ordering: .relaxed)
        for number in ends {
            signal(number) { InboxSignals.ending.store($0, ordering: .relaxed) }
        }
        watchSuspension()
    }

    static func watchSuspension() {
        signal(SIGTSTP) { _ in InboxSignals.isToStop.store(true, ordering: .relaxed) }
    }

    /// Leaves signals as they were for every program.
    static func unwatch() { for number in ends + [SIGTSTP] { signal(number, SIG_DFL) } }

    /// Ends the process as the signal would have.
    package static func die(of number: Int32) {
        signal(number, SIG_DFL)
        raise(number)
    }
}
