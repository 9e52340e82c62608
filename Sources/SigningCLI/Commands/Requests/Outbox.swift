// SPDX-License-Identifier: Apache-2.0

import ARC27
import NEAR
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
        protocolID: .near, command: "near",
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

    /// What is there, in the order in which it is to be sent again.
    func unsent(_ invocation: Invocation) throws(CLIError) -> [UnsentItem] {
        try items(in: try invocation.workspace().openLedger())
    }

    /// One row of a listing, with what only one network has to say.
    struct Row {
        let item: UnsentItem
        var columns: [String] = []
        var members: [JSONObject.Member] = []
    }

    /// Prints what is there.
    func list(_ invocation: Invocation) throws(CLIError) -> ExitStatus {
        list(try unsent(invocation).map { Row(item: $0) }, invocation.console)
    }

    /// Prints rows.
    func list(_ rows: [Row], _ console: Console) -> ExitStatus {
        if console.isJSON {
            let objects = rows.map { row in
                let item = row.item
                return JSON.object(
                    JSONObject(
                        [
                            .text(names.id, item.item.id), .text("network", item.network),
                            .text(names.sender, item.item.sender), .text("state", item.state),
                            .text(names.bytes, Base64.encode(item.item.bytes.span)),
                        ] + row.members))
            }
            console.put(JSON.array(objects).write())
            return .done
        }
        if rows.isEmpty { console.note("nothing is waiting to be sent") }
        for row in rows {
            let item = row.item
            let columns =
                [item.item.id, item.network, item.item.sender, item.state, item.signed.utcText]
                + row.columns
            console.put(columns.joined(separator: "  "))
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
        try checkNotFrozen(ledger)
        let result = try await send(found)
        try await record(result, of: id, in: ledger)
        switch result {
        case .accepted(let outcome):
            invocation.console.put(outcome)
            return .done
        case .failed(let outcome):
            invocation.console.put(outcome)
            throw CLIError(
                "the chain took it, and it failed there", hint: "the outcome says why")
        case .refused(_, let text):
            throw CLIError(
                "it was not carried out, and never will be: \(VisibleText.escaped(text))",
                hint: "ask for it anew where it is still wanted")
        case .declined(_, let text), .notSent(let text), .unknown(let text):
            throw CLIError(
                "nobody has it for certain: \(VisibleText.escaped(text))",
                hint: "look it up in an explorer; \"\(command) forget\" takes it off the list")
        }
    }

    /// What was signed before a freeze moves value as much as what is signed after it.
    private func checkNotFrozen(_ ledger: SQLiteLedger) throws(CLIError) {
        let reason = try CLIError.wrapping { () throws(LedgerError) in try ledger.freezeReason() }
        guard let reason else { return }
        throw CLIError(
            "nothing is sent while signing is stopped: \(VisibleText.escaped(reason))",
            hint: "allow it again with \"countersign thaw\"")
    }

    /// Takes one item off the list.
    func forget(_ invocation: Invocation) async throws(CLIError) -> ExitStatus {
        let id = try invocation.operand(0)
        let ledger = try invocation.workspace().openLedger()
        guard try !items(id, in: ledger).isEmpty else {
            throw CLIError("there is no such transaction on the list", hint: "see \(listing)")
        }
        try await record(.refused(name: "forgotten", "by its owner"), of: id, in: ledger)
        invocation.console.done(["forgotten": .string(id)], "forgotten: \(id)")
        return .done
    }

    private func record(
        _ result: Broadcast.Result, of id: String, in ledger: SQLiteLedger
    ) async throws(CLIError) {
        do throws(LedgerError) {
            try await ledger.record(result, of: id, at: SystemEnvironment().now())
        } catch {
            throw CLIError(error)
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
