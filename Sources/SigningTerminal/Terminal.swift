// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCrypto
package import SigningService
internal import Synchronization

/// The controlling terminal, apart from standard input and output.
package struct Terminal: ~Copyable {
    private let file: Descriptor

    /// The open file of it.
    var fileNumber: Int32 { file.number }

    /// Opens the terminal; nil where there is none or nobody is looking at it.
    package init?() {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        guard let opened = Descriptor(opening: "/dev/tty", O_RDWR | O_NOCTTY) else { return nil }
        file = opened
    }

    /// Shows text.
    package func show(_ text: String) { _ = Descriptor.write(text.utf8.span, to: file.number) }

    /// Its size in rows and columns; 24 by 80 where it does not tell.
    var size: (rows: Int, columns: Int) {
        var size = winsize()
        guard unsafe ioctl(file.number, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0,
            size.ws_col > 0
        else { return (24, 80) }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    /// The columns that rows of somebody's text may have.
    package var textColumns: Int { min(max(size.columns - 8, Self.columnsMin), Self.columnsMax) }

    private static let columnsMin = 40
    private static let columnsMax = 160

    /// Shows a long text a screen at a time, until it ends or the person has seen enough.
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

    /// What came of a question.
    package enum Answer: Equatable {
        /// A line, without its end; what is longer than any answer is cut to nothing.
        case line(String)
        /// The input ended.
        case hungUp
        /// Nobody answered.
        case timedOut
    }

    /// The longest line that can be an answer, in bytes.
    private static let answerBytesMax = 64

    /// Asks and waits for a line; what was typed before the question is no answer to it.
    package func ask(_ question: String, until deadline: ContinuousClock.Instant) -> Answer {
        while true {
            guard let saved = setModes(clearing: tcflag_t(ISIG)) else { return .hungUp }
            show(question)
            let answer = readAnswer(until: deadline)
            restore(saved)
            if let answer { return answer }
            suspend()
        }
    }

    /// Nil where the person wants the shell first.
    private func readAnswer(until deadline: ContinuousClock.Instant) -> Answer? {
        var line: [UInt8] = []
        while true {
            switch readByte(until: deadline) {
            case .byte(0x0A):
                let isAnswer = line.count <= Self.answerBytesMax
                return .line(isAnswer ? String(decoding: line, as: UTF8.self).lowercased() : "")
            case .byte(Self.interrupt), .ended:
                show("\n")
                return .hungUp
            case .byte(Self.suspension): return nil
            case .byte(let byte):
                if line.count <= Self.answerBytesMax { line.append(byte) }
            case .timedOut:
                show("\n")
                return .timedOut
            }
        }
    }

    /// Gives the terminal to the shell, as Ctrl-Z does, until the job is continued.
    func suspend() {
        show("\n")
        Self.wasContinued.store(false, ordering: .relaxed)
        let before = signal(SIGCONT) { _ in
            Terminal.wasContinued.store(true, ordering: .relaxed)
        }
        kill(0, SIGTSTP)
        // Another thread may be the one that takes the signal, and that may be a while; where
        // nobody could continue us the system does not stop us either.
        for _ in 0..<Self.stoppingRoundsMax where !Self.wasContinued.load(ordering: .relaxed) {
            usleep(Self.stoppingMicroseconds)
        }
        signal(SIGCONT, before)
    }

    private static let wasContinued = Atomic(false)
    private static let stoppingMicroseconds: UInt32 = 20_000
    private static let stoppingRoundsMax = 100

    /// Switches modes off and makes Ctrl-C and Ctrl-Z end a line instead of the program, so that
    /// the terminal is left as it was; what was typed before is thrown away.
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

    /// How long a secret is waited for, in seconds.
    package static let secretSecondsMax: Int64 = 120
    /// The longest secret that is read, in bytes.
    package static let secretBytesMax = 4_096

    /// Reads a secret line without echo.
    package func readSecret(prompt: String) throws(ServiceError) -> SecretBytes {
        while true {
            guard let saved = setModes(clearing: tcflag_t(ECHO | ISIG)) else {
                throw ServiceError("the terminal cannot be set", hint: "use --passphrase-fd")
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
                        "nobody typed a secret",
                        hint: "run it again; \(Self.secretSecondsMax) seconds are waited")
                }
            }
            throw ServiceError(
                "the secret is longer than \(output.count) bytes",
                hint: "it is one line, and ends with it")
        }
    }

    /// Ctrl-C.
    private static let interrupt: UInt8 = 3
    /// Ctrl-Z.
    private static let suspension: UInt8 = 26

    /// How often it is looked whether anybody still waits for an answer.
    private static let lookMilliseconds: Int64 = 200

    private enum Input {
        case byte(UInt8)
        case ended
        case timedOut
    }

    private func readByte(until deadline: ContinuousClock.Instant) -> Input {
        var request = pollfd(fd: file.number, events: Int16(POLLIN), revents: 0)
        while true {
            // Whoever asked has left: there is nothing to answer any more.
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
