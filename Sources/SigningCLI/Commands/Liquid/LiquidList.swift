// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningCore
import SigningService

extension CommandLineTool {
    static let liquidList = Command(
        name: "liquid list", options: [], operands: 0...0,
        summary: "list the connections of the agent",
        usage: """
            usage: countersign liquid list

            Lists the connections to pages that the agent keeps, newest first, after the passphrase:
            id, state (logging_in, waiting, connecting, open, ended), key, account, server, and the
            reason for an end. It shows the last 16 connections that have ended.

            example: countersign liquid list --json
            """
    ) { invocation in
        try await OwnerCommand(invocation, to: "see the connections").use {
            session throws in
            let list = try await OwnerCommand.get("/v1/liquid", session)
            let rows = list["connections"]?.list ?? []
            guard !invocation.console.isJSON else {
                invocation.console.put(JSON.array(rows).write())
                return .done
            }
            if rows.isEmpty { invocation.console.note("no connection") }
            for row in rows {
                let words = ["id", "state", "key", "account", "server"].compactMap { row[$0]?.text }
                let why = row["ending"]?["text"]?.text.map { [$0] } ?? []
                invocation.console.put(
                    (words + why).map { VisibleText.escaped($0) }.joined(separator: "  "))
            }
            return .done
        }
    }

    static let liquidClose = Command(
        name: "liquid close", options: [], operands: 1...1,
        summary: "end a connection",
        usage: """
            usage: countersign liquid close ID

            Ends a connection that the agent keeps, after the passphrase. Its questions that wait
            for a person are withdrawn.

            example: countersign liquid close 0123456789abcdef0123456789abcdef
            """
    ) { invocation in
        let id = try invocation.operand(0)
        guard id.utf8.count == 32, (try? Hex.decode(id)) != nil else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(id))\" is not the id of a connection",
                hint: "see \"countersign liquid list\"")
        }
        return try await OwnerCommand(invocation, to: "end the connection").use {
            session throws in
            let report = try await OwnerCommand.ask("DELETE", "/v1/liquid/\(id)", nil, session)
            invocation.console.done(
                ["id": .string(id)],
                "ended \(VisibleText.escaped(report["server"]?.text ?? id))")
            return .done
        }
    }
}
