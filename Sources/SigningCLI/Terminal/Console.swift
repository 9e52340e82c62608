// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import Synchronization

// Output discipline: data alone on standard output, everything said to people on standard
// error; `error:` and `hint:` lines are lower case without a full stop; --quiet keeps only those.

/// Writes to the three places a command may write to.
struct Console {
    let isQuiet: Bool
    let isJSON: Bool

    private static let lostOutput = Atomic(false)

    /// Whether something could not be written to standard output.
    static var hasLostOutput: Bool { lostOutput.load(ordering: .relaxed) }

    /// Writes data and a line end to standard output.
    func put(_ text: String) { put(Array(text.utf8)) }

    private static let someOutput = Atomic(false)

    /// Whether anything was written to standard output.
    static var hasOutput: Bool { someOutput.load(ordering: .relaxed) }

    /// Writes raw data and a line end to standard output.
    func put(_ bytes: [UInt8]) {
        Self.someOutput.store(true, ordering: .relaxed)
        // Programs get every byte; a terminal gets nothing that moves it.
        let shown = isatty(STDOUT_FILENO) == 1 ? Self.harmless(bytes) : bytes
        if !Self.write(shown + [0x0A], to: STDOUT_FILENO) {
            Self.lostOutput.store(true, ordering: .relaxed)
        }
    }

    /// Writes a secret and a line end to standard output, without a copy of it; `asMember` as the
    /// only member of an object, by this name, of a text that needs no escaping.
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

    /// Writes the value of a command that has something to say to programs alone, and tells a
    /// person what was done.
    func done(_ value: JSON, _ note: String) {
        if isJSON { put(value.write()) }
        self.note(note)
    }

    /// Tells a person something that is not an error.
    func note(_ text: String) {
        if !isQuiet { Self.write(Self.harmless(Array((text + "\n").utf8)), to: STDERR_FILENO) }
    }

    /// Tells what deserves a look and what to do; the command goes on.
    func warn(_ message: String, hint: String) {
        note("countersign: warning: \(message)\ncountersign: hint: \(hint)")
    }

    /// Tells what went wrong and what to do.
    func complain(_ message: String, hint: String?) {
        var text = "countersign: error: \(message)\n"
        if let hint { text += "countersign: hint: \(hint)\n" }
        Self.write(Self.harmless(Array(text.utf8)), to: STDERR_FILENO)
    }

    /// The text with control, bidirectional and invisible characters written as JSON writes them,
    /// so that JSON means the same as before; line ends and tabs stay.
    static func harmless(_ bytes: [UInt8]) -> [UInt8] {
        let isPlain = bytes.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x09 }
        guard !isPlain else { return bytes }
        var shown = ""
        for character in String(decoding: bytes, as: UTF8.self) {
            guard VisibleText.hasHidden(String(character)) || character == "\r" else {
                shown.append(character)
                continue
            }
            // Of what only hangs on a visible character, that one stays.
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

    /// Writes all bytes; false where the other end takes no more.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        Descriptor.write(bytes.span, to: descriptor)
    }
}
