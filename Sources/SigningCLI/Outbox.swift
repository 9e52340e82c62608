// SPDX-License-Identifier: Apache-2.0

import ARC27
import NEP413
import SigningCodecs
import SigningCore
import SigningStorage

/// What is signed for the networks of one protocol and not known to be there, and its words.
struct Outbox {
    /// What a listing for programs calls the parts of an item.
    struct Names {
        let id: String
        let sender: String
        let bytes: String
    }

    let protocolID: ProtocolID
    /// The first word of its commands.
    let command: String
    let names: Names
    /// What became of an item that the network took.
    let taken: String

    static let near = Outbox(
        protocolID: NEP413Adapter.protocolID, command: "near",
        names: Names(
            id: "transactionHash", sender: "account", bytes: "signedTransaction"),
        taken: "carried out")
    static let algorand = Outbox(
        protocolID: ProtocolID("algorand"), command: "algorand",
        names: Names(id: "txnID", sender: "sender", bytes: "signedTransactions"),
        taken: "accepted")

    /// That of a protocol whose items go to a network.
    static func of(_ protocolID: ProtocolID) -> Outbox? {
        [near, algorand].first { $0.protocolID == protocolID }
    }

    /// The command that lists them, for hints.
    var listing: String { "\"countersign \(command) unsent\"" }

    /// Prints what is there.
    func list(_ invocation: Invocation) throws(CLIError) -> ExitStatus {
        let items = try items(in: try invocation.workspace().openLedger())
        if invocation.console.isJSON {
            let rows = items.map { item in
                JSON.object(
                    JSONObject([
                        .text(names.id, item.item.id), .text("network", item.network),
                        .text(names.sender, item.item.sender), .text("state", item.state),
                        .text(names.bytes, Base64.encode(item.item.bytes.span)),
                    ]))
            }
            invocation.console.put(JSON.array(rows).write())
            return .done
        }
        for item in items {
            invocation.console.put(
                "\(item.item.id)  \(item.network)  \(item.item.sender)  \(item.state)  "
                    + item.signed.utcText)
        }
        return .done
    }

    /// Sends one item once more, records what became of it, and prints that.
    func resend(
        _ invocation: Invocation,
        by send: (UnsentItem) async throws(CLIError) -> Broadcast.Result
    ) async throws(CLIError) -> ExitStatus {
        let id = try invocation.operand(0)
        let ledger = try invocation.workspace().openLedger()
        guard let found = try items(id, in: ledger).first else {
            throw CLIError("there is no such transaction to send", hint: "see \(listing)")
        }
        let result = try await send(found)
        try record(result, of: id, in: ledger)
        switch result {
        case .accepted(let outcome):
            invocation.console.put(outcome)
            return .done
        case .failed(let outcome):
            invocation.console.put(outcome)
            throw CLIError(
                "the chain took it, and it failed there", hint: "the outcome says why")
        case .refused(_, let text), .notSent(let text), .unknown(let text):
            throw CLIError(
                "nobody has it for certain: \(VisibleText.escaped(text))",
                hint: "look it up in an explorer; \"\(command) forget\" takes it off the list")
        }
    }

    /// Takes one item off the list.
    func forget(_ invocation: Invocation) throws(CLIError) -> ExitStatus {
        let id = try invocation.operand(0)
        let ledger = try invocation.workspace().openLedger()
        guard try !items(id, in: ledger).isEmpty else {
            throw CLIError("there is no such transaction on the list", hint: "see \(listing)")
        }
        try record(.refused(name: "forgotten", "by its owner"), of: id, in: ledger)
        invocation.console.done(["forgotten": .string(id)], "forgotten: \(id)")
        return .done
    }

    private func record(
        _ result: Broadcast.Result, of id: String, in ledger: SQLiteLedger
    ) throws(CLIError) {
        try CLIError.wrapping { () throws(LedgerError) in
            try ledger.record(result, of: id, at: SystemEnvironment().now())
        }
    }

    private func items(
        _ id: String? = nil, in ledger: SQLiteLedger
    ) throws(CLIError) -> [UnsentItem] {
        try CLIError.wrapping { () throws(LedgerError) in
            try ledger.unsent(of: protocolID, itemID: id)
        }
    }
}
