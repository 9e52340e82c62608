// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningFiles

/// The result of cutting a shared log.
package struct LogCut: Hashable, Sendable {
    /// The snapshot before which all batches were removed.
    package let snapshot: LogSnapshot
    /// The number of removed batches.
    package let batchCount: Int64
}

extension SQLiteLedger {
    /// Stores a snapshot of the whole record beside its log, and records it.
    ///
    /// Other hubs can continue meanwhile. An interrupted snapshot has no effect: only recorded
    /// snapshots are read.
    package func keepSnapshot(at time: Timestamp) throws(LedgerError) -> LogSnapshot {
        try flush()
        try catchUp()
        let twin = try database.twin()
        let (place, count, digest) = try twin.alone { connection throws(LedgerError) in
            let access = Access<LedgerError>(connection)
            try access.run("BEGIN")
            defer { connection.rollBack() }
            guard let identity = try access.logIdentity() else { throw Self.notShared }
            let writer = SnapshotWriter(
                identity, try Self.keeper(at: identity.address), at: try access.logPlace())
            try WholeContent.read(access) { text throws(LedgerError) in try writer.put(text) }
            try writer.finish()
            return (writer.place, writer.count, writer.digest)
        }
        let snapshot = HubEntry.Snapshot(place: place, partCount: count, digest: digest)
        return try database.write { access throws(LedgerError) in
            try access.note(.snapshot, at: time) { $0.snapshot = snapshot }
            let entry = try access.entries(before: .max, countMax: 1).first
            guard let made = entry.flatMap({ LogSnapshot($0) }) else {
                throw .corrupt("a snapshot is missing")
            }
            return made
        }
    }

    /// Removes the batches before the newest snapshot that every hub in use has passed, and records
    /// it.
    package func cutLog(at time: Timestamp) throws(LedgerError) -> LogCut {
        try flush()
        try catchUp()
        let (address, snapshot) = try database.write { access throws(LedgerError) in
            guard let identity = try access.logIdentity() else { throw Self.notShared }
            let found = try access.snapshots()
            guard let newest = found.first else {
                throw .unavailable(
                    "no snapshot is on record: make one first (countersign ledger snapshot)")
            }
            guard let passed = try access.passed(found, besides: identity.hub) else {
                let names = try access.hubsBefore(newest, besides: identity.hub)
                    .map(\.name).joined(separator: ", ")
                throw .unavailable(
                    "these hubs have not written since the snapshot was made: let each sign "
                        + "something, or retire it (\(names))")
            }
            try access.note(.cut, at: time) { $0.cutPlace = passed.place.sequence }
            return (identity.address, passed)
        }
        let count = try Self.keeper(at: address).cut(through: snapshot.place)
        return LogCut(snapshot: snapshot, batchCount: count)
    }

    /// The recorded snapshots that are not archived, newest first.
    package func snapshots() throws(LedgerError) -> [LogSnapshot] {
        try read { access throws(LedgerError) in try access.snapshots() }
    }

    static func keeper(at address: String) throws(LedgerError) -> any SnapshotKeeper {
        guard let keeper = try SharedLogs.open(address) as? any SnapshotKeeper else {
            throw .unavailable("the store of this log does not support snapshots")
        }
        return keeper
    }
}

/// Stores the parts of a snapshot, one part behind, so that the last part is known as the last.
private final class SnapshotWriter {
    let place: LogPlace
    private(set) var count: Int32 = 0
    private(set) var digest = SnapshotPart.origin
    private let identity: LogIdentity
    private let keeper: any SnapshotKeeper
    private var waiting: [UInt8]?

    init(_ identity: LogIdentity, _ keeper: any SnapshotKeeper, at place: LogPlace) {
        self.identity = identity
        self.keeper = keeper
        self.place = place
    }

    func put(_ text: [UInt8]) throws(LedgerError) {
        guard text.count <= LogIdentity.changesMax else {
            throw .unavailable("an entry of the ledger is too large for a snapshot")
        }
        if let waiting { try keep(waiting, isLast: false) }
        waiting = text
    }

    func finish() throws(LedgerError) { try keep(waiting ?? [], isLast: true) }

    private func keep(_ text: [UInt8], isLast: Bool) throws(LedgerError) {
        let part = try identity.part(text, at: count, of: place, isLast: isLast)
        try keeper.keep(part.bytes, at: count, of: place)
        digest = part.digest(after: digest)
        count += 1
    }
}

extension Access<LedgerError> {
    /// Records a change of the log by this hub.
    fileprivate func note(
        _ what: HubEntry.Change, at time: Timestamp, _ add: (inout HubEntry) -> Void
    ) throws(LedgerError) {
        guard let identity = try logIdentity(), let hub = try hub(identity.hub) else {
            throw SQLiteLedger.notShared
        }
        let key = HubKey(number: hub.number, publicKey: hub.publicKey)
        var entry = HubEntry(what, key, named: hub.name)
        add(&entry)
        _ = try append(.hub(entry), at: time)
    }

    /// The recorded snapshots that are not archived, newest first.
    func snapshots() throws(LedgerError) -> [LogSnapshot] {
        try all(
            """
            SELECT sequence, time, kind, CAST(body AS BLOB), previous_hash, hash FROM audit
            WHERE kind = 'hub' ORDER BY sequence DESC
            """
        ) { row throws(LedgerError) in try row.auditEntry() }
        .compactMap { LogSnapshot($0) }
    }

    /// The newest of these snapshots that every hub in use has passed.
    fileprivate func passed(
        _ snapshots: [LogSnapshot], besides own: Int32
    ) throws(LedgerError) -> LogSnapshot? {
        for snapshot in snapshots where try hubsBefore(snapshot, besides: own).isEmpty {
            return snapshot
        }
        return nil
    }

    /// The hubs in use that have written nothing since a snapshot was recorded; they may not have
    /// passed it.
    fileprivate func hubsBefore(
        _ snapshot: LogSnapshot, besides own: Int32
    ) throws(LedgerError) -> [LedgerHub] {
        var found: [LedgerHub] = []
        for hub in try hubs() where hub.isInUse && hub.number != own {
            let hasWritten = try exists(
                "SELECT 1 FROM writers WHERE hub = ? AND first_sequence > ?",
                .integer(Int64(hub.number)), .integer(snapshot.entry))
            if !hasWritten, try writer(of: snapshot.entry) != hub.number { found.append(hub) }
        }
        return found
    }
}
