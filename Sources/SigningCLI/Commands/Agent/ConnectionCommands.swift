// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningService

extension CommandLineTool {
    static let connectionCommands = [connectionList, connectionEnd]

    private static let connectionList = Command(
        of: OwnerActs.connectionList, operands: 0...0,
        usage: """
            usage: countersign agent connection list

            Lists the clients that are connected to your accounts, over every wire, and when each
            connection ends. "countersign grant list" shows what a client may do without a question.

            example: countersign agent connection list --json
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let connections = try workspace.perform(OwnerActs.connectionList, ())
        let clients = workspace.open.clientNames
        guard !invocation.console.isJSON else {
            let rows = connections.map { connection -> JSON in
                [
                    "id": .string(Hex.encode(connection.id.span)),
                    "protocol": .string(connection.protocolID.name),
                    "client": .string(connection.client.id),
                    "known_by": .string(connection.client.proof.word),
                    "called": clients.name(of: connection.client).map { .string($0) } ?? .null,
                    "network": .string(connection.network),
                    "key": .string(workspace.keyName(connection.key)),
                    "account": .string(connection.address),
                    "started": .string(connection.started.utcText),
                    "expires": connection.expires.map { .string($0.utcText) } ?? .null,
                ]
            }
            invocation.console.put(JSON.array(rows).write())
            return .done
        }
        for connection in connections {
            let parts = [
                Hex.encode(connection.id.span), connection.protocolID.name,
                (clients.name(of: connection.client).map { "\($0), " } ?? "")
                    + VisibleText.listed(connection.client.id)
                    + " (\(connection.client.proof.known))",
                workspace.keyName(connection.key),
                connection.expires.map { "until \($0.utcText)" } ?? "no end date",
            ]
            invocation.console.put(parts.joined(separator: "  "))
        }
        if connections.isEmpty { invocation.console.note("no client is connected") }
        return .done
    }

    private static let connectionEnd = Command(
        of: OwnerActs.connectionEnd, operands: 1...32,
        usage: """
            usage: countersign agent connection end ID...

            Ends connections at once, for every process, and revokes what their clients may do with
            those keys without a question. Needs no passphrase: a client can ask again.

            example: countersign agent connection end 5d0c6ae1b2f39e475d0c6ae1b2f39e47
            """
    ) { invocation in
        let workspace = try invocation.workspace(toWrite: true)
        let known = try workspace.perform(OwnerActs.connectionList, ()).map(\.id)
        let ids = try invocation.arguments.operands.map { text in
            guard let id = try? Hex.decode(text), known.contains(id) else {
                throw CLIError(
                    "there is no connection \"\(VisibleText.quotable(text))\"",
                    hint: "see \"countersign agent connection list\"")
            }
            return id
        }
        let count = try workspace.perform(OwnerActs.connectionEnd, ids)
        invocation.console.done(["ended": .integer(Int64(count))], "ended: \(count)")
        return .done
    }
}
