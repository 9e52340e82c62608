// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningService
import Web

extension CommandLineTool {
    static let nearManifest = Command(
        name: "near manifest", options: [AgentWeb.option], operands: 0...0,
        usage: """
            usage: countersign near manifest [--web PORT]

            Prints the manifest of a wallet that any page with near-connect takes in, whole: nothing
            of it is hosted anywhere. Its calls open a window of the agent that serves PORT, or of
            the one that runs, where it serves pages. What rules do not allow waits in the inbox.
            Another port or home is another manifest: the home's name for these pages, such as
            http://NAME.localhost:7155, is in it. It says nothing of keys, and needs no passphrase.

            example: countersign near manifest --web 7155
            """
    ) { invocation throws(CLIError) in
        let json = NEARManifest.json(origin: try await webOrigin(invocation))
        invocation.console.put(json.write())
        return .done
    }

    /// The origin of the pages: with the given port, or that of the running agent.
    private static func webOrigin(_ invocation: Invocation) async throws(CLIError) -> String {
        if let port = try AgentWeb.port(invocation) {
            return try AgentWeb.windows(of: invocation.workspace().open).origin(port: port)
        }
        let home = try invocation.environment.home(invocation.arguments)
        let reply = try await AgentFinding.client(home) { client throws(ServiceError) in
            try await client.ask("GET", "/v1/web/origin")
        }
        guard reply.isGood, let origin = reply.json["origin"]?.text else {
            guard reply.status == 404 else { throw CLIError(reply.refusal) }
            throw CLIError(
                "the agent does not serve the web page",
                hint: "give the port that the agent will use: --web 7155")
        }
        return origin
    }
}
