// SPDX-License-Identifier: Apache-2.0

public import SigningCore
internal import SigningFiles
package import SigningStorage

/// The reasons that an item of an outbox was not sent again or not removed.
public enum OutboxError: Error, Hashable, Sendable {
    /// The outbox has no item with this id.
    case noSuchItem
    /// The owner stopped all signing; the reason.
    case frozen(String)
    /// The courier knows no node of the item's network.
    case noNode(network: String)
    /// The record could not be read or written.
    case ledger(LedgerError)
}

/// The signed items for the networks of one chain that are not known to have arrived.
public struct Outbox: Sendable {
    private let ledger: SQLiteLedger
    private let courier: any Courier

    /// Opens the outbox of a courier's chain.
    package init(_ ledger: SQLiteLedger, by courier: any Courier) {
        self.ledger = ledger
        self.courier = courier
    }

    /// Returns the items in the order for sending them again, and the problems of nodes.
    public func waiting() async throws(OutboxError) -> (items: [WaitingItem], problems: [String]) {
        await courier.inOrder(try items())
    }

    /// Sends one item again and records the result.
    ///
    /// It refuses during a freeze: an item that was signed before moves value as well.
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

    /// Removes one item from the list, because its owner knows its result.
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
