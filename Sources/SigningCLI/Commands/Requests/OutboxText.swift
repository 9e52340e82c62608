// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import SigningCodecs
import SigningCore
import SigningService

/// The texts about signed items of one chain whose delivery is not confirmed.
struct OutboxText {
    /// The member names of an item in JSON.
    struct Names {
        let id: String
        let sender: String
        let bytes: String
    }

    let protocolID: ProtocolID
    /// The first word of the commands for these items.
    let command: String
    let names: Names
    /// The word for an item that the network accepted.
    let taken: String
    /// The hint for a network without a node.
    let nodeHint: @Sendable (_ network: String) -> String
    /// The hint for a node that does not answer a query.
    let askHint: String

    /// The texts of a protocol whose items go to a network; nil for other protocols.
    static func of(_ protocolID: ProtocolID) -> OutboxText? {
        [near, algorand].first { $0.protocolID == protocolID }
    }

    /// The command that lists the items, for hints.
    var listing: String { "\"countersign \(command) unsent\"" }

    private func outbox(_ invocation: Invocation) throws -> Outbox {
        let workspace = try invocation.workspace()
        let ledger = try workspace.openLedger()
        let added = try AddedNetworks(in: workspace.vault)
        guard let courier = invocation.courier(of: protocolID, and: added) else {
            preconditionFailure("no courier for \(protocolID)")
        }
        return Outbox(ledger, by: courier)
    }

    /// Prints the list.
    func list(_ invocation: Invocation) async throws -> ExitStatus {
        let console = invocation.console
        let outbox = try outbox(invocation)
        let waiting: (items: [WaitingItem], problems: [String])
        do throws(OutboxError) { waiting = try await outbox.waiting() } catch { throw wrap(error) }
        for problem in waiting.problems {
            console.warn(VisibleText.escaped(problem), hint: askHint)
        }
        guard !console.isJSON else {
            console.put(JSON.array(waiting.items.map(json)).write())
            return .done
        }
        if waiting.items.isEmpty { console.note("nothing is waiting to be sent") }
        for waiting in waiting.items {
            let item = waiting.item
            var columns = [
                item.item.id, item.network, item.item.sender, item.state, item.signed.utcText,
            ]
            if let turn = waiting.turn {
                columns.append(
                    "\(turn.name) \(turn.number)"
                        + (turn.hasPassed == true ? ", which has passed" : ""))
            }
            console.put(columns.joined(separator: "  "))
        }
        return .done
    }

    private func json(_ waiting: WaitingItem) -> JSON {
        let item = waiting.item
        var members: [JSONObject.Member] = [
            .text(names.id, item.item.id), .text("network", item.network),
            .text(names.sender, item.item.sender), .text("state", item.state),
            .text(names.bytes, Base64.encode(item.item.bytes.span)),
        ]
        if let turn = waiting.turn {
            members += [
                .init(name: turn.name, value: .number(String(turn.number))),
                .init(
                    name: "\(turn.name)HasPassed",
                    value: turn.hasPassed.map { .bool($0) } ?? .null),
            ]
        }
        return JSON.object(JSONObject(members))
    }

    /// Sends one item again and prints the outcome.
    func resend(_ invocation: Invocation) async throws -> ExitStatus {
        let id = try invocation.operand(0)
        let outbox = try outbox(invocation)
        let result: Broadcast.Result
        do throws(OutboxError) { result = try await outbox.resend(id) } catch { throw wrap(error) }
        switch result {
        case .accepted(let outcome):
            invocation.console.put(outcome)
            return .done
        case .failed(let outcome):
            invocation.console.put(outcome)
            throw CLIError(
                "it reached the chain and failed there", hint: "the outcome says why")
        case .refused(_, let text):
            throw CLIError(
                "it was not carried out, and never will be: \(VisibleText.escaped(text))",
                hint: "if you still want it, send a new request")
        case .declined(_, let text), .notSent(let text), .unknown(let text):
            throw CLIError(
                "it may not have arrived: \(VisibleText.escaped(text))",
                hint: "look it up in an explorer; \"\(command) forget\" takes it off the list")
        }
    }

    /// Removes one item from the list.
    func forget(_ invocation: Invocation) async throws -> ExitStatus {
        let id = try invocation.operand(0)
        let outbox = try outbox(invocation)
        do throws(OutboxError) {
            try await outbox.forget(id)
        } catch {
            guard case .noSuchItem = error else { throw wrap(error) }
            throw CLIError("no such transaction is on the list", hint: "see \(listing)")
        }
        invocation.console.done(["forgotten": .string(id)], "forgotten: \(id)")
        return .done
    }

    private func wrap(_ error: OutboxError) -> CLIError {
        switch error {
        case .noSuchItem:
            CLIError("no such transaction is on the list", hint: "see \(listing)")
        case .frozen(let reason):
            CLIError(
                "nothing is sent while signing is stopped: \(VisibleText.escaped(reason))",
                hint: "allow it again with \"countersign thaw\"")
        case .noNode(let network):
            CLIError("no node of \(network) is known", hint: nodeHint(network))
        case .ledger(let error): CLIError(error)
        }
    }
}
