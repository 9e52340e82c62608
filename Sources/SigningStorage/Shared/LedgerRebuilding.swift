// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningFiles
package import SigningVault

/// The vault's data that authenticates a record.
package struct RecordTrust: Sendable {
    /// The public key that must sign the owner's entries: Ed25519, 32 bytes.
    package let logPublicKey: [UInt8]
    /// The vault's newest checkpoint; nil if the record belongs to no vault.
    package let lastCheckpoint: AuditCheckpoint?
    /// Whether the vault says that the record is shared; true if it cannot say so.
    let isShared: Bool

    /// Creates the data from its parts.
    package init(
        logPublicKey: [UInt8], lastCheckpoint: AuditCheckpoint?, isShared: Bool = true
    ) {
        self.logPublicKey = logPublicKey
        self.lastCheckpoint = lastCheckpoint
        self.isShared = isShared
    }
}

extension Vault {
    /// The data with which this vault authenticates the record.
    package func recordTrust() throws(VaultError) -> RecordTrust {
        RecordTrust(
            logPublicKey: try logPublicKey(), lastCheckpoint: try lastCheckpoint(),
            isShared: (try? sharesRecord()) ?? true)
    }
}

extension SQLiteLedger {
    /// Rebuilds a damaged copy from the shared log, and replaces the old one; returns the new name
    /// of the old file.
    ///
    /// The old file must still contain this hub's identity: without it the log cannot be read, and
    /// only a backup helps. No other process may use the home. If the process is killed, the next
    /// call completes or repeats the work. `trust` comes from the vault and authenticates the
    /// record.
    package static func rebuild(
        in home: Home, by trust: RecordTrust
    ) throws(LedgerError) -> String? {
        let making = Home(path: home.path + "/.rebuilding")
        let whole = Home(path: home.path + "/.rebuilt")
        let isCutOff = try inHome { () throws(HomeError) in
            // If both files exist, the age of the rebuilt one is unknown.
            let isGone = try Home.status(of: home.ledgerPath) == nil
            return try isGone ? Home.status(of: whole.ledgerPath) != nil : false
        }
        if !isCutOff {
            try home.checkHasLedger()
            try inHome { () throws(HomeError) in try Home.removeFolder(whole.path) }
            try makeCopy(of: home, in: making, trust)
            try inHome { () throws(HomeError) in
                try Home.move(making.path, to: whole.path)
                try Home.sync(home.path)
            }
        }
        let name = try home.setLedgerAside(withArchive: false)
        try inHome { () throws(HomeError) in
            // These files are identical to the old ones, or replace damaged ones.
            for file in try Home.archiveFiles(in: whole) {
                try Home.move(file, to: home.path + file.dropFirst(whole.path.count))
            }
            // The companion files of SQLite must be in place before the database.
            let files = zip(
                Home.withCompanions(whole.ledgerPath), Home.withCompanions(home.ledgerPath))
            for (from, to) in Array(files).reversed() where try Home.status(of: from) != nil {
                try Home.move(from, to: to)
            }
            try Home.sync(home.path)
            try Home.removeFolder(whole.path)
        }
        return name
    }

    /// Builds a copy from the newest valid snapshot, or from the first batch.
    ///
    /// All later batches are verified as usual.
    static func makeCopy(
        of home: Home, in folder: Home, _ trust: RecordTrust
    ) throws(LedgerError) {
        let old = try Database<LedgerError>(path: home.ledgerPath, schema: .ledger, .existing)
        let (seen, address) = try old.query { access throws(LedgerError) in
            guard try access.local(.mark) != nil else {
                throw .unavailable("the ledger is not shared, so it cannot be rebuilt from a log")
            }
            guard let identity = try access.logIdentity() else {
                throw .corrupt("the identity of this hub cannot be read: restore a backup")
            }
            return (try access.logPlace(), identity.address)
        }
        let log = try SharedLogs.open(address)
        let places = try (log as? any SnapshotKeeper)?.snapshots() ?? []
        // A snapshot beyond this hub's position is skipped: only the server vouches for it.
        let starts = places.filter { 0 < $0.sequence && $0.sequence < seen.sequence } + [.origin]
        var failure: LedgerError?
        for start in starts {
            do throws(LedgerError) {
                try inHome { () throws(HomeError) in
                    try Home.removeFolder(folder.path)
                    try Home.makeDirectory(folder.path)
                }
                try makeCopy(of: home, in: folder, from: start, through: seen, log)
                // Batches are verified one by one, but a snapshot is only the statement of one hub.
                guard start != .origin else { return }
                return try check(folder, madeFrom: start, besides: home, trust)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private static func makeCopy(
        of home: Home, in folder: Home, from start: LogPlace, through seen: LogPlace,
        _ log: any SharedLog
    ) throws(LedgerError) {
        try create(in: folder)
        let copy = try Database<LedgerError>(path: folder.ledgerPath, schema: .ledger, .existing)
        try copy.alone { connection throws(LedgerError) in
            let access = Access<LedgerError>(connection)
            // Uses of limits may refer to intents that were archived before the ledger was shared.
            try access.run("PRAGMA foreign_keys = OFF")
            try access.run("ATTACH ? AS old", .text(home.ledgerPath))
            try access.run("INSERT INTO main.local SELECT name, value FROM old.local")
            // The format is determined again, as earlier batches may have older formats.
            try access.run(
                "DELETE FROM main.local WHERE name = ?", .text(LocalRow.format.rawValue))
            try access.run("INSERT INTO main.hub_statements SELECT * FROM old.hub_statements")
            // Positions before the snapshot are needed to compare with other hubs.
            try access.run(
                "INSERT INTO main.log_places SELECT * FROM old.log_places WHERE sequence < ?",
                .integer(start.sequence))
            try access.run("DETACH old")
            try access.set(.origin)
            guard let identity = try access.logIdentity() else {
                throw .corrupt("the identity of this hub cannot be read: restore a backup")
            }
            do throws(LedgerError) {
                try access.run("BEGIN IMMEDIATE")
                let reading = SharedCopy(identity, connection)
                if let keeper = log as? any SnapshotKeeper, start != .origin {
                    try reading.begin(with: start, from: keeper, through: seen, identity)
                }
                try reading.readOn(in: log, through: seen)
                try access.run("COMMIT")
            } catch {
                connection.rollBack()
                throw error
            }
        }
    }

    /// Throws if the rows of a copy do not match its entries, including archived ones.
    private static func check(
        _ folder: Home, madeFrom start: LogPlace, besides home: Home, _ trust: RecordTrust
    ) throws(LedgerError) {
        try inHome { () throws(HomeError) in
            for file in try Home.archiveFiles(in: home) {
                try Home.link(file, to: folder.path + file.dropFirst(home.path.count))
            }
        }
        let report = try AuditLog.open(folder).verify(
            logPublicKey: trust.logPublicKey, lastKnownCheckpoint: trust.lastCheckpoint)
        guard let problem = report.problem, problem != .lostCheckpoint else { return }
        throw .corruptLog(
            "the snapshot at batch \(start.sequence) of the shared log does not match the record "
                + "(\(problem.text)): the hub that made it was broken into")
    }

    static func inHome<R>(
        _ body: () throws(HomeError) -> R
    ) throws(LedgerError) -> R {
        do throws(HomeError) { return try body() } catch { throw LedgerError(error) }
    }
}
