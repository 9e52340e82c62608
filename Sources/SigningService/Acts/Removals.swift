// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
package import SigningStorage
internal import Synchronization

/// Finds the grants that were revoked and the connections that the owner ended, in the record.
///
/// The record is the one place where such acts meet: those of this process, those of a command on
/// the files of the home, and those of other hubs.
package final class Removals: Sendable {
    /// One grant or connection that is gone.
    package struct Removal: Hashable, Sendable {
        /// The event that reports it.
        package let event: ActDescription.Event
        /// The id, in hexadecimal digits.
        package let id: String
        /// The client that it concerned; nil if that is not known any more.
        package let client: Client?
    }

    private struct State {
        var log: AuditLog?
        /// The number of the newest entry that was looked at; nil before the first look.
        var last: Int64?
        /// The clients of the connections, by id, as of the last look.
        var clients: [[UInt8]: Client] = [:]
    }

    private let home: OpenHome
    private let ledger: SQLiteLedger
    private let state = Mutex(State())

    /// Creates a reader that finds what is removed from now on.
    package init(of home: OpenHome, _ ledger: SQLiteLedger) {
        self.home = home
        self.ledger = ledger
        _ = take()
    }

    /// Returns what was removed since the last call; each removal is returned once.
    ///
    /// If the record cannot be read, the next call looks again.
    package func take() -> [Removal] {
        state.withLock { state in (try? look(&state)) ?? [] }
    }

    private func look(_ state: inout State) throws(LedgerError) -> [Removal] {
        let log = try opened(&state)
        let newest = try log.entries(limit: 1).first?.sequence ?? 0
        guard newest != state.last else { return [] }
        var found: [Removal] = []
        if let last = state.last {
            for entry in try log.revocations(after: last, upTo: newest) {
                let body = try? JSON.parse(entry.body.utf8.span)
                found += try removals(body ?? .null, state.clients)
            }
        }
        let connections = try ledger.allConnections()
        state.clients = Dictionary(connections.map { ($0.id, $0.client) }) { $1 }
        state.last = newest
        return found
    }

    /// The log, on a handle that stays open.
    private func opened(_ state: inout State) throws(LedgerError) -> AuditLog {
        if let log = state.log { return log }
        let log = try AuditLog.open(home.home)
        state.log = log
        return log
    }

    /// The removals that one entry records.
    private func removals(
        _ body: JSON, _ clients: [[UInt8]: Client]
    ) throws(LedgerError) -> [Removal] {
        let ids = (body["grants"]?.list ?? []).compactMap(\.text)
        let grants = ids.isEmpty ? [] : try ledger.allGrants().map(\.sealed.grant)
        let revoked = ids.map { id -> Removal in
            let scope = grants.first { $0.idText == id }?.scope
            let client = scope.map { Client(id: $0.client, name: nil, proof: $0.proof) }
            return Removal(event: .revoked, id: id, client: client)
        }
        let ended = (body["sessions"]?.list ?? []).compactMap(\.text).map { id -> Removal in
            let client = (try? Hex.decode(id)).flatMap { clients[$0] }
            return Removal(event: .disconnected, id: id, client: client)
        }
        return ended + revoked
    }
}
