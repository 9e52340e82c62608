// SPDX-License-Identifier: Apache-2.0

import Glibc
import Sandbox
import SigningAgent
import SigningCore

/// The program that an agent runs when something begins or ceases to wait for its owner.
enum AgentHook {
    static let option = Option(name: "--hook", value: "PATH")

    /// The path on the command line; nil if there is none.
    ///
    /// Refuses a program that other users can change, and one that the kernel cannot run.
    static func path(_ invocation: Invocation) throws -> String? {
        guard let path = invocation.arguments.value(option.name) else { return nil }
        guard let file = SandboxProgram.look(at: path) else {
            throw CLIError(
                "--hook \(VisibleText.escaped(path)) cannot be run: \(Approver.problem(errno))",
                hint: "give the full path of a program that only you or root can change")
        }
        defer { close(file) }
        if let problem = problem(ofContentOf: file) {
            throw CLIError(
                "--hook \(VisibleText.escaped(path)) cannot be run: \(problem)",
                hint: "begin a script with a line such as #!/bin/sh")
        }
        return path
    }

    /// The reason that the kernel cannot run a file, by its first bytes; nil if none is known.
    private static func problem(ofContentOf file: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: lineBytesMax)
        let count = unsafe pread(file, &bytes, bytes.count, 0)
        let start = bytes.prefix(max(0, count))
        if start.starts(with: [0x7F] + Array("ELF".utf8)) { return nil }
        guard start.starts(with: "#!".utf8) else { return "it is no program and no script" }
        let line = start.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
        let words = String(decoding: line, as: UTF8.self).split { $0 == " " || $0 == "\t" }
        let interpreter = words.first.map(String.init) ?? ""
        guard unsafe access(interpreter, X_OK) != 0 else { return nil }
        return "its interpreter \"\(VisibleText.quotable(interpreter))\" cannot be run"
    }

    /// The longest first line of a script that Linux reads, in bytes.
    private static let lineBytesMax = 256
}
