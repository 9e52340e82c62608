// SPDX-License-Identifier: Apache-2.0

import Glibc

// Output discipline: data alone on standard output, everything said to people on standard
// error; `error:` and `hint:` lines are lower case without a full stop; --quiet keeps only those.

/// Writes to the three places a command may write to.
struct Console {
    let isQuiet: Bool
    let isJSON: Bool

    /// Writes data and a line end to standard output.
    func put(_ text: String) { Self.write(Array((text + "\n").utf8), to: STDOUT_FILENO) }

    /// Writes raw data and a line end to standard output.
    func put(_ bytes: [UInt8]) { Self.write(bytes + [0x0A], to: STDOUT_FILENO) }

    /// Tells a person something that is not an error.
    func note(_ text: String) {
        if !isQuiet { Self.write(Array((text + "\n").utf8), to: STDERR_FILENO) }
    }

    /// Tells what went wrong and what to do.
    func complain(_ message: String, hint: String?) {
        var text = "countersign: error: \(message)\n"
        if let hint { text += "countersign: hint: \(hint)\n" }
        Self.write(Array(text.utf8), to: STDERR_FILENO)
    }

    /// Writes all bytes; false where the other end takes no more.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let written = unsafe bytes[offset...].withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
            }
            if written < 0, errno == EINTR { continue }
            // A reader that went away is no reason to fail: the answer is on record.
            guard written > 0 else { return false }
            offset += written
        }
        return true
    }
}
