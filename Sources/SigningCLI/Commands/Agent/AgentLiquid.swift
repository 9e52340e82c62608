// SPDX-License-Identifier: Apache-2.0

import LiquidAuth
import Sandbox

/// What an agent needs that keeps connections to pages; nil where it keeps none.
struct AgentLiquid {
    static let option = Option(name: "--liquid", value: nil)

    /// What keeps a channel, and may be started from the agent's sandbox.
    let program: NamedProgram

    init?(_ invocation: Invocation) throws(CLIError) {
        guard invocation.arguments.has(Self.option.name) else { return nil }
        let found = try LiquidInput.program(invocation)
        guard let program = found.named else {
            throw CLIError(
                "\(ChannelProgram.name) cannot be read", hint: "see Docs/datachannel-stdio.md")
        }
        self.program = program
    }
}
