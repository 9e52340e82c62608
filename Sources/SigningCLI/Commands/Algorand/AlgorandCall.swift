// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import SigningCodecs
import SigningCore
import SigningService

/// An ARC-27 request that a command builds; it passes the same checks as any other request.
struct AlgorandCall {
    let method: String
    let params: [JSONObject.Member]
    let client: String

    /// Sends the request through the hub, with the id `1`; `home` is that of the command if it has
    /// one already.
    func answer(_ invocation: Invocation, in home: CommandHome? = nil) async throws -> Answering {
        let home = if let home { home } else { try await CommandHome(invocation) }
        let provider = JSONObject.Member.text("providerId", try home.providerID())
        let frame: JSON = [
            "id": "1", "reference": .string("arc0027:\(method):request"),
            "params": .object(JSONObject([provider] + params)),
        ]
        let bytes = frame.write()
        return try await Answering(
            invocation, bytes,
            for: try RequestInput.adapter(for: bytes, invocation, among: home.adapters),
            in: home, from: client, spokenAs: .algorand(invocation.arguments.command))
    }
}

extension CommandLineTool {
    static let algorandSignMessage = Command(
        name: "algorand sign-message",
        options: [
            Option(name: "--account", value: "ADDRESS", offers: .stored(.addresses(.algorand))),
            Option(name: "--client", value: "NAME"),
        ], operands: 1...1,
        summary: "sign a text with the prefix MX",
        usage: """
            usage: countersign algorand sign-message [--account ADDRESS] [--client NAME] MESSAGE

            Signs a text with the prefix MX, and prints it with signer and signature in the form
            that "verify" reads. ADDRESS is the address of the key, if there are several.

            example: countersign algorand sign-message 'I own this account'
            """
    ) { invocation in
        let message = JSONObject.Member.text("message", try invocation.operand(0))
        let home = try await CommandHome(invocation)
        if !invocation.arguments.has("--account") {
            guard try await home.keys(of: .algorand).count <= 1 else {
                throw CLIError.usage(
                    "--account is missing, and this home has several Algorand keys",
                    hint: "see \"countersign key list\"")
            }
        }
        let call = AlgorandCall(
            method: "sign_message",
            params: [message] + invocation.arguments.members([("--account", "signer")]),
            client: invocation.arguments.value("--client") ?? NEARCall.clientDefault)
        let answering = try await call.answer(invocation, in: home)
        if let reply = answering.message {
            let json = try? JSON.parse(reply.span)
            let signed = json?["result"]?.object.map {
                JSON.object(JSONObject([message] + $0.members))
            }
            invocation.console.put(signed?.write() ?? reply)
        }
        return answering.finish()
    }

    static let algorandConnections = Command(
        name: "algorand connections", options: [], operands: 0...0,
        summary: "list the connected clients",
        usage: """
            usage: countersign algorand connections

            Lists which clients are connected to which accounts. Needs no passphrase.

            example: countersign algorand connections --json
            """
    ) { invocation in
        try ConnectionList.put(.algorand, invocation)
    }

    static let algorandDisconnect = Command(
        name: "algorand disconnect",
        options: [Option(name: "--network", value: "NET", offers: .networks)],
        operands: 1...1,
        summary: "end a client's connections",
        usage: """
            usage: countersign algorand disconnect [--network NET] CLIENT

            Ends the sessions of a client, on one network or on all. After its last session the
            permissions that people gave it are revoked too.

            example: countersign algorand disconnect https://app.example
            """
    ) { invocation in
        let client = try invocation.operand(0)
        let network = try invocation.network(
            invocation.arguments.value("--network"), of: AlgorandChain())
        let connected = Set(
            try ConnectionList.read(.algorand, invocation)
                .filter { $0.client.id == client }.map(\.network))
        let networks = try connected.sorted().filter { (network ?? $0) == $0 }.map {
            try AlgorandNodes.network(named: $0, invocation)
        }
        guard !networks.isEmpty else {
            throw CLIError(
                "this client is not connected", hint: "see \"countersign algorand connections\"")
        }
        for network in networks {
            let hash = JSONObject.Member.text(
                "genesisHash", Base64.encode(network.genesisHash.span))
            let answering = try await AlgorandCall(
                method: "disable", params: [hash], client: client
            )
            .answer(invocation)
            let status = answering.finish()
            guard status == .done else { return status }
            if !invocation.console.isJSON {
                invocation.console.note("disconnected on \(network.policyName)")
            }
        }
        if invocation.console.isJSON {
            let names = networks.map { JSON.string($0.policyName) }
            invocation.console.put((["disconnected": .array(names)] as JSON).write())
        }
        return .done
    }
}
