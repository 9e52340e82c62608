// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A full-screen terminal that reads single keys; its modes are restored however the inbox ends.
struct InboxTerminal: ~Copyable {
    private let terminal: Terminal
    private let paint = TerminalPaint()
    private var turn: TerminalTurn?
    private var saved: termios?
    private var shown: [InboxRow] = []

    /// A read of the keyboard.
    enum Input: Equatable {
        case keys([InboxKey])
        /// The terminal was closed.
        case ended
    }

    /// Takes over the terminal; nil if there is none, or if it cannot position the cursor.
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

    /// The current rows and columns.
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

    /// Switches to the alternate screen, hides the cursor and enables bracketed paste; `end`
    /// reverts it.
    private static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?2004h"
    private static let end = "\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l"

    /// Draws rows in place of the previous screen.
    mutating func draw(_ rows: [InboxRow]) {
        guard rows != shown else { return }
        shown = rows
        let lines = rows.map { paint.painted($0) + "\u{1B}[K" }
        terminal.show("\u{1B}[H" + lines.joined(separator: "\r\n") + "\u{1B}[J")
    }

    /// Redraws all rows the next time.
    mutating func forget() { shown = [] }

    /// Discards unread input.
    func flush() { tcflush(terminal.fileNumber, TCIFLUSH) }

    /// Waits up to `momentMilliseconds` and returns the keys read at once.
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

    /// Suspends the job until it is continued.
    mutating func suspend() {
        Self.give(back: terminal, saved)
        saved = nil
        // Other processes may ask meanwhile.
        turn = nil
        signal(SIGTSTP, SIG_DFL)
        terminal.suspend()
        InboxSignals.watchSuspension()
        turn = terminal.takeTurn(until: .now + .seconds(Terminal.secretSecondsMax))
        enter()
    }
}

/// The signals that end or suspend the inbox; a handler only sets a flag.
package enum InboxSignals {
    private static let ending = Atomic<Int32>(0)
    private static let isToStop = Atomic(false)
    private static let ends = [SIGTERM, SIGHUP, SIGINT, SIGQUIT]

    /// The signal that ends the inbox; nil while there is none.
    package static var end: Int32? {
        let number = ending.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// True if a suspension was requested since the last call.
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

    /// Restores the default actions of the signals.
    static func unwatch() { for number in ends + [SIGTSTP] { signal(number, SIG_DFL) } }

    /// Ends the process with the default action of a signal.
    package static func die(of number: Int32) {
        signal(number, SIG_DFL)
        raise(number)
    }
}
