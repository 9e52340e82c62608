// SPDX-License-Identifier: Apache-2.0

import LiquidAuth
import SigningAgent

extension CommandLineTool {
    static let liquidConnect = Command(
        name: "liquid connect",
        options: [
            Option(name: "--key", value: "KEY", offers: .keys),
            Option(name: "--ice", value: "URIS"),
            Option(name: "--ice-file", value: "FILE"),
            Option(name: "--addresses", value: "LIST"),
            Option(name: "--allow-insecure", value: nil), Option(name: "--ca", value: "FILE"),
            Option(name: "--idle", value: "SECONDS"), Option(name: "--most", value: "SECONDS"),
            AlgorandNodes.option,
        ], operands: 1...1,
        summary: "log in and answer a page over a data channel",
        usage: """
            usage: countersign liquid connect [OPTION...] URI|PICTURE

            options: --key KEY, --ice URIS, --ice-file FILE, --addresses LIST, --allow-insecure,
            --ca FILE, --idle SECONDS, --most SECONDS, --algod URL

            Logs in with an Algorand account at the server that a liquid:// URI names (Liquid Auth).
            Opens a data channel to the page that shows the URI, and answers the requests of the
            page. It ends when either side closes the channel or you press Ctrl-C. If the policy
            needs a person, the question appears on the terminal; Ctrl-C at a question denies the
            request. If an agent was started with --liquid, the agent keeps the connection and asks
            the questions: this command then ends when the channel is open. PICTURE is a PNG file
            with the URI as a QR code.

            KEY is the account; it is needed only if there are several Algorand keys. URIS are STUN
            servers (stun:host:port), separated by commas; by default there are none. FILE has one
            server on each line; a relay is followed by a space and its password (turn:user@host
            PASSWORD). Others must not be able to read FILE. URIS and FILE may name 8 servers
            together. The first STUN server that answers is used and shown; all relays are used.
            turns: is refused, because TLS to servers is not supported. LIST is the addresses of
            this machine that the page may learn. --allow-insecure accepts http:// on this machine.
            --ca is a file of certificates to trust instead of the certificates of the system. The
            channel closes after --idle seconds without a message (1800) and after --most seconds
            (43200). --algod is as for "liquid login".

            example: countersign liquid connect "liquid://app.example/?requestId=0198c0de"
            """
    ) { invocation in
        let workspace = try invocation.workspace(toWrite: true)
        let plan = try LiquidPlan(invocation, in: workspace)
        guard try await LiquidByAgent.isThere(invocation) else {
            return try await LiquidAlone(plan, invocation, in: workspace).run()
        }
        let command = try await OwnerCommand(
            invocation, to: "have the agent connect \(plan.order.user.key) by \(plan.place)")
        return try await command.use { session in
            let call = LiquidByAgent(plan, in: session, invocation.console)
            return try await StopSignals.run { try await call.run() }
        }
    }
}
