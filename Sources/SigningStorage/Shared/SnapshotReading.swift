// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

extension SharedCopy {
    /// Makes an empty copy what a snapshot holds, reads on to what this hub has seen of the log
    /// itself, and refuses where the record up to there does not name just this snapshot.
    ///
    /// So whoever keeps it can leave it out, and nothing else: what this hub saw vouches for all.
    /// The copy is in a transaction before and after.
    borrowing func begin(
        with place: LogPlace, from keeper: any SnapshotKeeper, through seen: LogPlace,
        _ identity: LogIdentity
    ) throws(LedgerError) {
        var digest = SnapshotPart.origin
        var count: Int32 = 0
        var isWhole = false
        while !isWhole {
            guard count < Self.partsMax, let bytes = try keeper.part(count, of: place),
                let part = SnapshotPart(bytes)
            else { throw Self.unfit(place, "lacks part \(count + 1)") }
            guard part.version <= Schema.sharedVersion else {
                throw .unavailable("a newer program made the snapshot: upgrade this hub")
            }
            _ = try access.follows(part.version)
            try make(identity.open(part, at: count, of: place), in: part.version, place)
            digest = part.digest(after: digest)
            count += 1
            isWhole = part.isLast
        }
        try access.set(place)
        try readOn(in: LogPrefix(keeper, through: seen), through: seen)
        let named = try access.snapshots().first { $0.place == place }
        guard try access.logPlace() == seen, named?.digest == digest, named?.partCount == count
        else { throw Self.unfit(place, "is not the one on record") }
        // By these all that follows is known to be written by whom.
        guard try access.exists("SELECT 1 FROM writers") else {
            throw Self.unfit(place, "does not say who wrote what")
        }
    }

    private borrowing func make(
        _ changes: [UInt8], in version: Int32, _ place: LogPlace
    ) throws(LedgerError) {
        guard !changes.isEmpty else { return }
        try access.makeOlderTable(for: version)
        do throws(SQLiteError) {
            let tables = try ChangedTables(in: changes)
            guard Schema.mayShare(tables.rows, in: version),
                tables.rows.allSatisfy(\.isInsertion)
            else {
                throw .unexpectedValue(statement: "snapshot")
            }
            try connection.apply(changes, of: tables, in: version, after: nil)
        } catch {
            guard error.isMismatch || error.isCorruption else { throw LedgerError(error) }
            throw Self.unfit(place, "does not fit together")
        }
    }

    private static func unfit(_ place: LogPlace, _ what: String) -> LedgerError {
        .corruptLog(
            "the snapshot at batch \(place.sequence) of the shared log \(what): join again from a"
                + " backup of a hub that is in use")
    }

    private static var partsMax: Int32 { 1 << 20 }
}

/// The beginning of a log, which nobody writes to.
private struct LogPrefix: SharedLog {
    private let log: any SharedLog
    private let last: LogPlace

    init(_ log: any SharedLog, through last: LogPlace) {
        self.log = log
        self.last = last
    }

    func news(after known: LogPlace) throws(LedgerError) -> LogNews {
        let news = try log.news(after: known)
        let left = Int(clamping: max(0, last.sequence - known.sequence))
        return LogNews(
            batches: Array(news.batches.prefix(left)), end: min(news.end, last.sequence))
    }

    func takeTurn(after known: LogPlace) throws(LedgerError) -> LogNews {
        throw .unavailable("a part of a log is only read")
    }

    func append(_ batch: LogBatch) throws(LedgerError) { _ = try takeTurn(after: .origin) }

    func settle() throws(LedgerError) { _ = try takeTurn(after: .origin) }

    func checkMayAppend() throws(LedgerError) { _ = try takeTurn(after: .origin) }

    func giveBack() {}
}
