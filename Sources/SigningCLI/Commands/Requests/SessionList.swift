// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningStorage

/// Which clients are connected to which accounts of one protocol.
enum SessionList {
    static func read(
        _ protocolID: ProtocolID, _ invocation: Invocation
    ) throws(CLIError) -> [ClientSession] {
        let ledger = try invocation.workspace().openLedger()
        return try CLIError.wrapping { () throws(LedgerError) in
            try ledger.allSessions()
        }.filter { $0.protocolID == protocolID }
    }

    static func put(
        _ protocolID: ProtocolID, _ invocation: Invocation
    ) throws(CLIError) -> ExitStatus {
        let sessions = try read(protocolID, invocation)
        guard !invocation.console.isJSON else {
            let rows = sessions.map { session -> JSON in
                [
                    "client": .string(session.client.id), "account": .string(session.address),
                    "network": .string(session.network),
                    "started": .string(session.started.utcText),
                ]
            }
            invocation.console.put(JSON.array(rows).write())
            return .done
        }
        if sessions.isEmpty { invocation.console.note("no client is connected") }
        for session in sessions {
            invocation.console.put(
                "\(session.network)  \(session.address)  "
                    + "\(VisibleText.escaped(session.client.id))")
        }
        return .done
    }
}
