// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningService

/// Reads the input of a command: a URL as given, a file, or standard input.
enum Source {
    static func read(_ source: String) throws -> [UInt8] {
        if source == "-" { return try readAll(STDIN_FILENO, name: "standard input") }
        if isURL(source) { return Array(source.utf8) }
        guard let file = Descriptor(opening: source, O_RDONLY) else {
            throw CLIError(
                "\"\(source)\" cannot be opened: \(unsafe String(cString: strerror(errno)))",
                hint: "give a URL, a file, or - for standard input")
        }
        return try readAll(file.number, name: "\"\(source)\"")
    }

    /// True for a scheme of at least two letters and a colon; `C:` and `./a:b` are files.
    static func isURL(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = text.utf8[..<colon]
        guard scheme.count > 1, let first = scheme.first else { return false }
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) }
        return isLetter(first)
            && scheme.allSatisfy {
                isLetter($0) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0)
            }
    }

    static func readAll(_ descriptor: Int32, name: String) throws -> [UInt8] {
        try Descriptor.readAll(descriptor, name: name)
    }
}
