// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningService
import Web

extension CommandLineTool {
    static let nearManifest = Command(
        name: "near manifest", options: [AgentWeb.option], operands: 0...0,
        summary: "print the manifest for pages with near-connect",
        usage: """
            usage: countersign near manifest [--web PORT]

            Prints a wallet manifest that a page with near-connect can load; nothing has to be
            hosted. The wallet opens a window of the agent at PORT, or of the running agent if it
            serves pages. Requests that no rule allows wait in the inbox. The manifest contains the
            port and the name of this home for pages, such as http://NAME.localhost:7155, so another
            port or home needs another manifest. It contains nothing about keys. Needs no
            passphrase.

            example: countersign near manifest --web 7155
            """
    ) { invocation in
        let json = NEARManifest.json(origin: try await webOrigin(invocation))
        invocation.console.put(json.write())
        return .done
    }

    /// The origin of the pages: with the given port, or that of the running agent.
    private static func webOrigin(_ invocation: Invocation) async throws -> String {
        if let port = try AgentWeb.port(invocation) {
            return try AgentWeb.windows(of: invocation.workspace().open).origin(port: port)
        }
        let home = try invocation.environment.home(invocation.arguments)
        let reply = try await AgentFinding.client(home) { client in
            try await client.ask("GET", "/v1/web/origin")
        }
        guard reply.isGood, let origin = reply.json["origin"]?.text else {
            guard reply.status == 404 else { throw reply.refusal }
            throw CLIError(
                "the agent does not serve the web page",
                hint: "give the port that the agent will use: --web 7155")
        }
        return origin
    }
}
