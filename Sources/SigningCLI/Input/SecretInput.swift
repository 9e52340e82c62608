// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCrypto
import SigningService
import SigningTerminal

/// Reads secrets with `read(2)` directly into guarded memory.
enum SecretInput {
    /// The maximum length of a secret text, in bytes.
    static let bytesMax = Terminal.secretBytesMax

    /// Reads up to the first line end, which is not part of the secret.
    static func readLine(from descriptor: Int32) throws -> SecretBytes {
        try read(from: descriptor, stopsAtLineEnd: true)
    }

    /// Reads standard input to its end; on a terminal, one line without echo.
    static func readStandardInput() throws -> SecretBytes {
        if isatty(STDIN_FILENO) == 1, let terminal = Terminal() {
            return try terminal.readSecret(prompt: "secret key: ")
        }
        return try read(from: STDIN_FILENO, stopsAtLineEnd: false)
    }

    /// Reads an open file to its end, which is before `countMax` unless the file grows.
    static func readFile(_ descriptor: Int32, countMax: Int) throws -> SecretBytes {
        try read(from: descriptor, stopsAtLineEnd: false, countMax: countMax)
    }

    private static func read(
        from descriptor: Int32, stopsAtLineEnd: Bool, countMax: Int = bytesMax
    ) throws -> SecretBytes {
        try SecretBytes(countMax: countMax) { output in
            var count = 0
            while true {
                guard count < output.count else {
                    throw CLIError(
                        "the secret is longer than \(countMax) bytes",
                        hint: stopsAtLineEnd
                            ? "the secret is one line: end it with "
                                + "Enter" : "check that it is the right file")
                }
                // Reads a line one byte at a time, as the bytes after it belong to another reader.
                let wanted = stopsAtLineEnd ? 1 : output.count - count
                let got = unsafe output.withUnsafeMutableBufferPointer { buffer in
                    let place = unsafe buffer.baseAddress.map { unsafe $0 + count }
                    return unsafe Glibc.read(descriptor, place, wanted)
                }
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else {
                    let name =
                        descriptor == STDIN_FILENO
                        ? "standard input" : "descriptor \(descriptor)"
                    throw CLIError(
                        "the secret cannot be read from \(name)",
                        hint: "give an open file or pipe")
                }
                if got == 0 || (stopsAtLineEnd && output[count] == 0x0A) {
                    if got == 1 { output[count] = 0 }
                    return count
                }
                count += got
            }
        }
    }
}
