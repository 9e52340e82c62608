// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension SQLiteLedger {
    /// Makes a damaged copy anew from the shared log, and gives it the old one's place; the name
    /// the old file has now, beside it.
    ///
    /// Who this hub is must still be readable in the old file: without it nothing in the log is,
    /// and a backup is the way back. No other process should use the home. What was killed on the
    /// way is finished, or begun anew, by the next call.
    package static func rebuild(in home: Home) throws(LedgerError) -> String? {
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
            try makeCopy(of: home, in: making)
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
    private static func makeCopy(of home: Home, in folder: Home) throws(LedgerError) {
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
                return try makeCopy(of: home, in: folder, from: start, through: seen, log)
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

    private static func inHome<R>(
        _ body: () throws(HomeError) -> R
    ) throws(LedgerError) -> R {
        do throws(HomeError) { return try body() } catch { throw LedgerError(error) }
    }
}
