// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCrypto

/// The controlling terminal, apart from standard input and output.
struct Terminal: ~Copyable {
    private let file: Descriptor

    /// Opens the terminal; nil where there is none or nobody is looking at it.
    init?() {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        guard let opened = Descriptor(opening: "/dev/tty", O_RDWR | O_NOCTTY) else { return nil }
        file = opened
    }

    /// Shows text.
    func show(_ text: String) { Console.write(Array(text.utf8), to: file.number) }

    /// Reads a line of at most 64 bytes; nil when time is up or the terminal is gone.
    func readLine(secondsMax: Int64) -> String? {
        var line: [UInt8] = []
        while line.count < 64 {
            guard let byte = readByte(millisecondsMax: Int32(clamping: secondsMax * 1_000)) else {
                return nil
            }
            if byte == 0x0A { break }
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Reads a secret line without echo.
    func readSecret(prompt: String) throws(CLIError) -> SecretBytes {
        show(prompt)
        var saved = termios()
        guard unsafe tcgetattr(file.number, &saved) == 0 else {
            throw CLIError("the terminal cannot be set", hint: "use --passphrase-fd")
        }
        var silent = saved
        silent.c_lflag &= ~tcflag_t(ECHO)
        unsafe tcsetattr(file.number, TCSAFLUSH, &silent)
        defer {
            unsafe tcsetattr(file.number, TCSAFLUSH, &saved)
            show("\n")
        }
        return try SecretInput.readLine(from: file.number)
    }

    private func readByte(millisecondsMax: Int32) -> UInt8? {
        var request = pollfd(fd: file.number, events: Int16(POLLIN), revents: 0)
        while true {
            let ready = unsafe poll(&request, 1, millisecondsMax)
            if ready < 0, errno == EINTR { continue }
            guard ready == 1 else { return nil }
            var byte: UInt8 = 0
            let count = unsafe read(file.number, &byte, 1)
            if count < 0, errno == EINTR { continue }
            return count == 1 ? byte : nil
        }
    }
}
