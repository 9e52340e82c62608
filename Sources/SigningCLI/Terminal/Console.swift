// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import SigningTerminal
import Synchronization

// Output rules: data alone on standard output, messages for people on standard error. The lines
// `error:` and `hint:` are lower case without a full stop; --quiet keeps only those.

/// The output streams of a command.
struct Console {
    let isQuiet: Bool
    let isJSON: Bool

    private static let lostOutput = Atomic(false)

    /// True if a write to standard output failed.
    static var hasLostOutput: Bool { lostOutput.load(ordering: .relaxed) }

    /// Writes data and a line end to standard output.
    func put(_ text: String) { put(Array(text.utf8)) }

    private static let someOutput = Atomic(false)

    /// True if anything was written to standard output.
    static var hasOutput: Bool { someOutput.load(ordering: .relaxed) }

    /// Writes raw data and a line end to standard output.
    func put(_ bytes: [UInt8]) {
        Self.someOutput.store(true, ordering: .relaxed)
        // Programs receive every byte; a terminal receives no control characters.
        let shown = isatty(STDOUT_FILENO) == 1 ? Self.harmless(bytes) : bytes
        if !Self.write(shown + [0x0A], to: STDOUT_FILENO) {
            Self.lostOutput.store(true, ordering: .relaxed)
        }
    }

    /// Writes a secret and a line end to standard output without copying it.
    ///
    /// With `asMember` it is the only member of a JSON object; its text needs no escaping.
    func put(secret: borrowing SecretBytes, asMember name: String? = nil) {
        Self.someOutput.store(true, ordering: .relaxed)
        let head = name.map { "{\"\($0)\":\"" } ?? ""
        let isBegun = Self.write(Array(head.utf8), to: STDOUT_FILENO)
        let isWritten = secret.withSpan { bytes in
            Descriptor.write(bytes, to: STDOUT_FILENO)
        }
        let isEnded = Self.write(
            Array((name == nil ? "\n" : "\"}\n").utf8), to: STDOUT_FILENO)
        if !isBegun || !isWritten || !isEnded {
            Self.lostOutput.store(true, ordering: .relaxed)
        }
    }

    /// Writes a value for programs and a note for people about a finished act.
    func done(_ value: JSON, _ note: String) {
        if isJSON { put(value.write()) }
        self.note(note)
    }

    /// Prints a note, which is not an error.
    func note(_ text: String) {
        if !isQuiet { Self.tell(text) }
    }

    /// Prints a warning with a remedy; the command continues.
    func warn(_ message: String, hint: String) {
        note("countersign: warning: \(message)\ncountersign: hint: \(hint)")
    }

    /// Prints an error with its hint.
    func complain(_ message: String, hint: String?) {
        var text = "countersign: error: \(message)"
        if let hint { text += "\ncountersign: hint: \(hint)" }
        Self.tell(text)
    }

    /// Writes a text for people and a line end to standard error.
    private static func tell(_ text: String) {
        let shown = harmless(Array(text.utf8)) + [0x0A]
        let filled = FilledText.shown(
            String(decoding: shown, as: UTF8.self), on: STDERR_FILENO, indent: hanging)
        write(Array(filled.utf8), to: STDERR_FILENO)
    }

    /// The indentation of a message's further lines, in columns.
    private static let hanging = 4

    /// Writes rows for people to standard output; `indent` is where the text of a row begins.
    func put(rows text: String, indent: Int) {
        put(FilledText.shown(text, on: STDOUT_FILENO, indent: indent))
    }

    /// Escapes control, bidirectional and invisible characters in JSON notation, so that JSON keeps
    /// its meaning; line ends and tabs stay.
    static func harmless(_ bytes: [UInt8]) -> [UInt8] {
        let isPlain = bytes.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x09 }
        guard !isPlain else { return bytes }
        var shown = ""
        for character in String(decoding: bytes, as: UTF8.self) {
            guard VisibleText.hasHidden(String(character)) || character == "\r" else {
                shown.append(character)
                continue
            }
            // If hidden characters are attached to a visible one, the visible one stays.
            for scalar in character.unicodeScalars where !isHidden(scalar) {
                shown.unicodeScalars.append(scalar)
            }
            for unit in character.unicodeScalars.filter(isHidden).flatMap({ String($0).utf16 }) {
                let hex = String(unit, radix: 16)
                shown += "\\u" + String(repeating: "0", count: 4 - hex.utf8.count) + hex
            }
        }
        return Array(shown.utf8)
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\r" || VisibleText.hasHidden(String(scalar))
    }

    /// Writes all bytes; returns false if the other end is closed.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        Descriptor.write(bytes.span, to: descriptor)
    }
}
