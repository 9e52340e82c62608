// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The line that the kernel writes of a process in `/proc/PID/stat`, see proc_pid_stat(5).
struct ProcessLine {
    let number: Int32
    let state: String
    let parent: Int32
    /// The process group.
    let group: Int32
    let session: Int32
    /// The controlling terminal; 0 for none.
    let terminal: Int32
    /// The process group in the foreground of the terminal.
    let foreground: Int32
    /// The start of the process, in clock ticks since boot.
    let start: String

    init?(_ line: String) {
        // The process chooses the name in parentheses. Bytes are compared, as a name can merge with
        // a parenthesis to one Character.
        let bytes = line.utf8
        guard let open = bytes.firstIndex(of: UInt8(ascii: "(")),
            let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close
        else { return nil }
        // The third field is the first after the name.
        let fields = bytes[close...].dropFirst().split(separator: UInt8(ascii: " "))
            .map { String(Substring($0)) }
        let numbers = fields.dropFirst().prefix(5).compactMap { Int32($0) }
        guard let number = Int32(Substring(bytes[..<open].dropLast())), fields.count > 19,
            numbers.count == 5
        else { return nil }
        self.number = number
        state = fields[0]
        (parent, group, session) = (numbers[0], numbers[1], numbers[2])
        (terminal, foreground) = (numbers[3], numbers[4])
        start = fields[19]
    }

    /// Reads the line of a process; nil if it has ended.
    init?(of process: Int32) {
        guard let line = ProcessFiles.text("/proc/\(process)/stat") else { return nil }
        self.init(line)
    }
}

/// Reads what the kernel writes below `/proc`.
enum ProcessFiles {
    private static let bytesMax = 16_384

    /// Returns the text of a file; bytes that are not UTF-8 are replaced.
    static func text(_ path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = unsafe read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
