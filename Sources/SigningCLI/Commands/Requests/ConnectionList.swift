// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningService
import SigningStorage

/// Lists the connected clients of one protocol with their accounts.
enum ConnectionList {
    static func read(
        _ protocolID: ProtocolID, _ invocation: Invocation
    ) throws -> [ClientConnection] {
        let ledger = try invocation.workspace().openLedger()
        return try ledger.allConnections().filter { $0.protocolID == protocolID }
    }

    static func put(_ protocolID: ProtocolID, _ invocation: Invocation) throws -> ExitStatus {
        let connections = try read(protocolID, invocation)
        guard !invocation.console.isJSON else {
            let rows = connections.map { connection -> JSON in
                [
                    "client": .string(connection.client.id), "account": .string(connection.address),
                    "network": .string(connection.network),
                    "started": .string(connection.started.utcText),
                ]
            }
            invocation.console.put(JSON.array(rows).write())
            return .done
        }
        if connections.isEmpty { invocation.console.note("no client is connected") }
        for connection in connections {
            invocation.console.put(
                "\(connection.network)  \(connection.address)  "
                    + "\(VisibleText.listed(connection.client.id))")
        }
        return .done
    }
}
