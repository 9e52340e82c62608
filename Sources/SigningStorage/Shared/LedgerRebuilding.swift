// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// By what a record is known to be the one it was.
package struct RecordTrust: Sendable {
    /// Whose entries count as the owner's: Ed25519, 32 bytes.
    package let logPublicKey: [UInt8]
    /// The newest that the vault has; nil where no vault belongs to the record.
    package let lastCheckpoint: AuditCheckpoint?

    /// Puts both together.
    package init(logPublicKey: [UInt8], lastCheckpoint: AuditCheckpoint?) {
        self.logPublicKey = logPublicKey
        self.lastCheckpoint = lastCheckpoint
    }
}

extension Vault {
    /// What this vault knows the record by.
    package func recordTrust() throws(VaultError) -> RecordTrust {
        RecordTrust(logPublicKey: try logPublicKey(), lastCheckpoint: try lastCheckpoint())
    }
}

extension SQLiteLedger {
    /// Makes a damaged copy anew from the shared log, and gives it the old one's place; the name
    /// the old file has now, beside it.
    ///
    /// Who this hub is must still be readable in the old file: without it nothing in the log is,
    /// and a backup is the way back. No other process should use the home. What was killed on the
    /// way is finished, or begun anew, by the next call. Whose signatures stand in it is said by
    /// `trust`, which comes from the vault.
    package static func rebuild(
        in home: Home, by trust: RecordTrust
    ) throws(LedgerError) -> String? {
        let making = Home(path: home.path + "/.rebuilding")
        let whole = Home(path: home.path + "/.rebuilt")
        let isCutOff = try inHome { () throws(HomeError) in
            // With both there is no telling how old it is.
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
            // The same files that were there, or what took their place.
            for file in try Home.segmentFiles(in: whole) {
                try Home.move(file, to: home.path + file.dropFirst(whole.path.count))
            }
            // What SQLite keeps beside the file, if it does, must be there before it.
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

    /// From the newest snapshot that holds, or from the first batch on; all that follows is looked
    /// at like any other.
    static func makeCopy(
        of home: Home, in folder: Home, _ trust: RecordTrust
    ) throws(LedgerError) {
        let old = try Database<LedgerError>(path: home.ledgerPath, schema: .ledger, .existing)
        let (seen, address) = try old.query { access throws(LedgerError) in
            guard try access.local(.mark) != nil else {
                throw .unavailable("the ledger is not shared: there is no log to make it from")
            }
            guard let identity = try access.logIdentity() else {
                throw .corrupt("who this hub is cannot be read: restore a backup")
            }
            return (try access.logPlace(), identity.address)
        }
        let log = try SharedLogs.open(address)
        let places = try (log as? any SnapshotKeeper)?.snapshots() ?? []
        // What this hub has not seen the end of is on nobody's word but the keeper's.
        let starts = places.filter { 0 < $0.sequence && $0.sequence < seen.sequence } + [.origin]
        var failure: LedgerError?
        for start in starts {
            do throws(LedgerError) {
                try inHome { () throws(HomeError) in
                    try Home.removeFolder(folder.path)
                    try Home.makeDirectory(folder.path)
                }
                try makeCopy(of: home, in: folder, from: start, through: seen, log)
                // The log is looked at batch by batch. A snapshot is what one hub said.
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
            // What limits used may point to intents that were archived before it was shared.
            try access.run("PRAGMA foreign_keys = OFF")
            try access.run("ATTACH ? AS old", .text(home.ledgerPath))
            try access.run("INSERT INTO main.local SELECT name, value FROM old.local")
            // It is read anew, from batches that may be in older formats.
            try access.run(
                "DELETE FROM main.local WHERE name = ?", .text(LocalRow.format.rawValue))
            try access.run("INSERT INTO main.hub_statements SELECT * FROM old.hub_statements")
            // What is in front of a snapshot this hub compared with others by these.
            try access.run(
                "INSERT INTO main.log_places SELECT * FROM old.log_places WHERE sequence < ?",
                .integer(start.sequence))
            try access.run("DETACH old")
            try access.set(.origin)
            guard let identity = try access.logIdentity() else {
                throw .corrupt("who this hub is cannot be read: restore a backup")
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

    /// Refuses a copy whose rows are not what its entries say, archived ones as well.
    private static func check(
        _ folder: Home, madeFrom start: LogPlace, besides home: Home, _ trust: RecordTrust
    ) throws(LedgerError) {
        try inHome { () throws(HomeError) in
            for file in try Home.segmentFiles(in: home) {
                try Home.link(file, to: folder.path + file.dropFirst(home.path.count))
            }
        }
        let report = try AuditLog.open(folder).verify(
            logPublicKey: trust.logPublicKey, lastKnownCheckpoint: trust.lastCheckpoint)
        guard let problem = report.problem, problem != .lostCheckpoint else { return }
        throw .corruptLog(
            "the snapshot at batch \(start.sequence) of the shared log does not hold what is on"
                + " record (\(problem.text)): whoever made it was broken into")
    }

    static func inHome<R>(
        _ body: () throws(HomeError) -> R
    ) throws(LedgerError) -> R {
        do throws(HomeError) { return try body() } catch { throw LedgerError(error) }
    }
}
