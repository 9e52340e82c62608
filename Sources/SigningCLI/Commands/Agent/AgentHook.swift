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
    /// Refuses a program that other users can change.
    static func path(_ invocation: Invocation) throws -> String? {
        guard let path = invocation.arguments.value(option.name) else { return nil }
        guard let file = SandboxProgram.look(at: path) else {
            throw CLIError(
                "--hook \(VisibleText.escaped(path)) cannot be run: \(Approver.problem(errno))",
                hint: "give the full path of a program that only you or root can change")
        }
        close(file)
        return path
    }
}
