// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCrypto
package import SigningService
internal import Synchronization

/// The controlling terminal, apart from standard input and output.
package struct Terminal: ~Copyable {
    private let file: Descriptor

    /// The file descriptor of the terminal.
    var fileNumber: Int32 { file.number }

    /// Opens the terminal; nil if there is none or standard error is not a terminal.
    package init?() {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        guard let opened = Descriptor(opening: "/dev/tty", O_RDWR | O_NOCTTY) else { return nil }
        file = opened
    }

    /// Writes text to the terminal.
    package func show(_ text: String) { _ = Descriptor.write(text.utf8.span, to: file.number) }

    /// The rows and columns of the terminal; 24 by 80 if it does not report them.
    var size: (rows: Int, columns: Int) {
        var size = winsize()
        guard unsafe ioctl(file.number, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0,
            size.ws_col > 0
        else { return (24, 80) }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    /// The maximum width of rows with a client's text, in columns.
    package var textColumns: Int { min(max(size.columns - 8, Self.columnsMin), Self.columnsMax) }

    private static let columnsMin = 40
    private static let columnsMax = 160

    /// Shows a long text page by page until its end or until the person stops.
    func page(_ text: String, _ deadline: ContinuousClock.Instant) {
        let (rows, columns) = size
        var left = rows - 1
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let height = max(1, (line.count + columns - 1) / columns)
            if left < height {
                guard ask("-- Enter for more, q to stop: ", until: deadline) == .line("") else {
                    return
                }
                left = rows - 1
            }
            show(line + "\n")
            left -= height
        }
    }

    /// The result of a question.
    package enum Answer: Equatable {
        /// A line without its end; empty if it is longer than any valid answer.
        case line(String)
        /// The input ended, the person pressed Ctrl-C, or the task was cancelled.
        case hungUp
        /// The deadline passed.
        case timedOut
    }

    /// The maximum length of an answer, in bytes.
    private static let answerBytesMax = 64
    /// The maximum length of a text that a question asks for, in bytes.
    private static let textBytesMax = 1_024

    /// Asks a question and waits for a line, which it returns in lower case; discards the input
    /// typed before the question.
    package func ask(_ question: String, until deadline: ContinuousClock.Instant) -> Answer {
        let answer = ask(question, until: deadline, Self.answerBytesMax)
        guard case .line(let line) = answer else { return answer }
        return .line(line.lowercased())
    }

    /// Asks for a text of up to 1,024 bytes and waits for a line; discards the input typed before
    /// the question.
    package func askText(_ question: String, until deadline: ContinuousClock.Instant) -> Answer {
        ask(question, until: deadline, Self.textBytesMax)
    }

    private func ask(
        _ question: String, until deadline: ContinuousClock.Instant, _ bytesMax: Int
    ) -> Answer {
        while true {
            guard let saved = setModes(clearing: tcflag_t(ISIG)) else { return .hungUp }
            show(question)
            let answer = readAnswer(until: deadline, bytesMax)
            restore(saved)
            if let answer { return answer }
            suspend()
        }
    }

    /// The answer; nil if the person pressed Ctrl-Z.
    private func readAnswer(
        until deadline: ContinuousClock.Instant, _ bytesMax: Int
    ) -> Answer? {
        var line: [UInt8] = []
        while true {
            switch readByte(until: deadline) {
            case .byte(0x0A):
                let isAnswer = line.count <= bytesMax
                return .line(isAnswer ? String(decoding: line, as: UTF8.self) : "")
            case .byte(Self.interrupt), .ended:
                show("\n")
                return .hungUp
            case .byte(Self.suspension): return nil
            case .byte(let byte):
                if line.count <= bytesMax { line.append(byte) }
            case .timedOut:
                show("\n")
                return .timedOut
            }
        }
    }

    /// Suspends the job, as Ctrl-Z does, until it is continued.
    func suspend() {
        show("\n")
        Self.wasContinued.store(false, ordering: .relaxed)
        let before = signal(SIGCONT) { _ in
            Terminal.wasContinued.store(true, ordering: .relaxed)
        }
        kill(0, SIGTSTP)
        // The signal may reach another thread first and take a while. An orphaned job is not
        // stopped at all, so the wait is bounded.
        for _ in 0..<Self.stoppingRoundsMax where !Self.wasContinued.load(ordering: .relaxed) {
            usleep(Self.stoppingMicroseconds)
        }
        signal(SIGCONT, before)
    }

    private static let wasContinued = Atomic(false)
    private static let stoppingMicroseconds: UInt32 = 20_000
    private static let stoppingRoundsMax = 100

    /// Clears mode flags, discards unread input and returns the previous modes.
    ///
    /// Ctrl-C and Ctrl-Z end a line instead of the program, so that the caller can restore them.
    private func setModes(clearing flags: tcflag_t) -> termios? {
        var saved = termios()
        guard unsafe tcgetattr(file.number, &saved) == 0 else { return nil }
        var modes = saved
        modes.c_lflag &= ~flags
        modes.c_cc.11 = Self.interrupt  // VEOL
        modes.c_cc.16 = Self.suspension  // VEOL2
        return unsafe tcsetattr(file.number, TCSAFLUSH, &modes) == 0 ? saved : nil
    }

    private func restore(_ saved: termios) {
        var saved = saved
        unsafe tcsetattr(file.number, TCSAFLUSH, &saved)
    }

    /// The time to type a secret, in seconds.
    package static let secretSecondsMax: Int64 = 120
    /// The maximum length of a secret, in bytes.
    package static let secretBytesMax = 4_096

    /// Reads a secret line without echo.
    package func readSecret(prompt: String) throws(ServiceError) -> SecretBytes {
        while true {
            guard let saved = setModes(clearing: tcflag_t(ECHO | ISIG)) else {
                throw ServiceError(
                    "the terminal cannot hide typed text",
                    hint: "give the passphrase with --passphrase-fd N")
            }
            show(prompt)
            var isSuspended = false
            defer {
                restore(saved)
                show("\n")
                if isSuspended { suspend() }
            }
            let secret = try readSecret(&isSuspended)
            if !isSuspended { return secret }
        }
    }

    private func readSecret(_ isSuspended: inout Bool) throws(ServiceError) -> SecretBytes {
        try SecretBytes(countMax: Self.secretBytesMax) { output throws(ServiceError) in
            let deadline = ContinuousClock.now + .seconds(Self.secretSecondsMax)
            var count = 0
            while count < output.count {
                switch readByte(until: deadline) {
                case .byte(0x0A): return count
                case .byte(Self.interrupt), .ended:
                    throw ServiceError.cancelled
                case .byte(Self.suspension):
                    isSuspended = true
                    return 0
                case .byte(let byte):
                    output[count] = byte
                    count += 1
                case .timedOut:
                    throw ServiceError(
                        "no secret was typed in time",
                        hint: "run the command again and type it within \(Self.secretSecondsMax) "
                            + "seconds")
                }
            }
            throw ServiceError(
                "the secret is longer than \(output.count) bytes",
                hint: "the secret is one line: end it with Enter")
        }
    }

    /// Ctrl-C.
    private static let interrupt: UInt8 = 3
    /// Ctrl-Z.
    private static let suspension: UInt8 = 26

    /// The interval between checks for a cancelled task, in milliseconds.
    private static let lookMilliseconds: Int64 = 200

    private enum Input {
        case byte(UInt8)
        case ended
        case timedOut
    }

    private func readByte(until deadline: ContinuousClock.Instant) -> Input {
        var request = pollfd(fd: file.number, events: Int16(POLLIN), revents: 0)
        while true {
            // The request was withdrawn, so an answer is no longer needed.
            if Task.isCancelled { return .ended }
            let left = max(0, (deadline - .now).components.seconds) * 1_000
            let ready = unsafe poll(&request, 1, Int32(clamping: min(left, Self.lookMilliseconds)))
            if ready < 0, errno == EINTR { continue }
            if ready == 0, left > 0 { continue }
            guard ready == 1 else { return .timedOut }
            var byte: UInt8 = 0
            let count = unsafe read(file.number, &byte, 1)
            if count < 0, errno == EINTR { continue }
            return count == 1 ? .byte(byte) : .ended
        }
    }
}
