// SPDX-License-Identifier: Apache-2.0

import LiquidAuth
import Sandbox

/// The helper program of an agent that keeps connections to pages; nil without `--liquid`.
struct AgentLiquid {
    static let option = Option(name: "--liquid", value: nil)

    /// The helper program that keeps channels; the sandbox of the agent lets it start this program.
    let program: NamedProgram

    init?(_ invocation: Invocation) throws {
        guard invocation.arguments.has(Self.option.name) else { return nil }
        let found = try LiquidInput.program(invocation)
        guard let program = found.named else {
            throw CLIError(
                "\(ChannelProgram.name) cannot be read", hint: "see Docs/datachannel-stdio.md")
        }
        self.program = program
    }
}
