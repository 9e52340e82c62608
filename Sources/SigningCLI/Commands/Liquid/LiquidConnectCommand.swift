// SPDX-License-Identifier: Apache-2.0

import LiquidAuth
import SigningAgent

extension CommandLineTool {
    static let liquidConnect = Command(
        name: "liquid connect",
        options: [
            Option(name: "--key", value: "KEY"), Option(name: "--ice", value: "URIS"),
            Option(name: "--ice-file", value: "FILE"),
            Option(name: "--addresses", value: "LIST"),
            Option(name: "--allow-insecure", value: nil), Option(name: "--ca", value: "FILE"),
            Option(name: "--idle", value: "SECONDS"), Option(name: "--most", value: "SECONDS"),
            AlgorandNodes.option,
        ], operands: 1...1,
        usage: """
            usage: countersign liquid connect [OPTION...] URI|PICTURE

            options: --key KEY, --ice URIS, --ice-file FILE, --addresses LIST, --allow-insecure,
            --ca FILE, --idle SECONDS, --most SECONDS, --algod URL

            Logs an Algorand account in at the server that a liquid:// URI names (Liquid Auth),
            opens a data channel to the page that shows the URI, and answers what comes over it,
            until either side closes it or Ctrl-C is pressed. What policy.toml leaves to a person
            is asked on the terminal; Ctrl-C at a question is a no. Where an agent was started with
            --liquid it keeps the connection and asks: this command then ends when it is open.
            PICTURE is a PNG file with the QR code of the URI in it.

            KEY is the account, the only Algorand key without the option. URIS are servers that
            help to find a way (stun:host:port), with commas between; there are none by default.
            FILE has one in each line, a relay with its password after a space
            (turn:user@host PASSWORD), and is for you alone to read; both together have 8 at most.
            Of several stun: servers the first that answers is taken, and told; of relays all are.
            turns: is refused: there is no TLS to servers. LIST are those addresses of
            this machine that the page is told. --allow-insecure takes http:// on this machine,
            --ca a file of certificates in place of the system's. After --idle seconds without a
            message (1800), and after --most seconds (43200), the channel is closed. --algod is as
            for "liquid login".

            example: countersign liquid connect "liquid://app.example/?requestId=0198c0de"
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace(toWrite: true)
        let plan = try LiquidPlan(invocation, in: workspace)
        guard try await LiquidByAgent.isThere(invocation) else {
            return try await LiquidAlone(plan, invocation, in: workspace).run()
        }
        let command = try await OwnerCommand(
            invocation, to: "have the agent connect \(plan.order.user.key) by \(plan.place)")
        return try await command.use { session throws(CLIError) in
            let call = LiquidByAgent(plan, in: session, invocation.console)
            return try await StopSignals.run { () throws(CLIError) in try await call.run() }
        }
    }
}
