// SPDX-License-Identifier: Apache-2.0

public import SigningCore
package import SigningStorage

/// Why an item of an outbox was not sent again, or not taken off it.
public enum OutboxError: Error, Hashable, Sendable {
    /// There is none of this name.
    case noSuchItem
    /// The owner stopped all signing; why.
    case frozen(String)
    /// No node of its network is known.
    case noNode(network: String)
    /// The record cannot be read or written.
    case ledger(LedgerError)
}

/// What is signed for the networks of one chain and not known to be there.
public struct Outbox: Sendable {
    private let ledger: SQLiteLedger
    private let courier: any Courier

    /// Opens that of a courier's chain.
    package init(_ ledger: SQLiteLedger, by courier: any Courier) {
        self.ledger = ledger
        self.courier = courier
    }

    /// What is there, in the order in which it is to be sent again, and what nodes did not tell.
    public func waiting() async throws(OutboxError) -> (items: [WaitingItem], problems: [String]) {
        await courier.inOrder(try items())
    }

    /// Sends one item once more and puts on record what became of it.
    ///
    /// What was signed before a freeze moves value as much as what is signed after it.
    public func resend(_ id: String) async throws(OutboxError) -> Broadcast.Result {
        guard let found = try items(id).first else { throw .noSuchItem }
        if let reason = try reading({ () throws(LedgerError) in try ledger.freezeReason() }) {
            throw .frozen(reason)
        }
        guard courier.reaches(found.network) else { throw .noNode(network: found.network) }
        let result = await courier.resend(found.item, to: found.network)
        try await record(result, of: id)
        return result
    }

    /// Takes one item off the list, because its owner knows what became of it.
    public func forget(_ id: String) async throws(OutboxError) {
        guard try !items(id).isEmpty else { throw .noSuchItem }
        try await record(.refused(name: "forgotten", "by its owner"), of: id)
    }

    private func items(_ id: String? = nil) throws(OutboxError) -> [UnsentItem] {
        try reading { () throws(LedgerError) in
            try ledger.unsent(of: courier.protocolID, itemID: id)
        }
    }

    private func reading<Value>(
        _ read: () throws(LedgerError) -> Value
    ) throws(OutboxError) -> Value {
        do throws(LedgerError) { return try read() } catch { throw .ledger(error) }
    }

    private func record(_ result: Broadcast.Result, of id: String) async throws(OutboxError) {
        do throws(LedgerError) {
            try await ledger.record(result, of: id, at: SystemEnvironment().now())
        } catch {
            throw .ledger(error)
        }
    }
}
