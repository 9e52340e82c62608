// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

extension SharedCopy {
    /// Fills an empty copy from a snapshot and reads on to the position that this hub has seen;
    /// throws if the record up to there does not name exactly this snapshot.
    ///
    /// So a server can leave out a snapshot and change nothing: the position that this hub saw
    /// vouches for all. The copy is in a transaction before and after.
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
            guard part.version >= Schema.stateVersion else { throw SharedCopy.older }
            _ = try access.follows(part.version)
            let text = try identity.open(part, at: count, of: place)
            guard try WholeContent.add(text, to: access) else {
                throw Self.unfit(place, "does not fit together")
            }
            digest = part.digest(after: digest)
            count += 1
            isWhole = part.isLast
        }
        try StatePart.finish(in: access)
        try access.set(place)
        try readOn(in: LogPrefix(keeper, through: seen), through: seen)
        let named = try access.snapshots().first { $0.place == place }
        guard try access.logPlace() == seen, named?.digest == digest, named?.partCount == count
        else { throw Self.unfit(place, "is not the one on record") }
        // These say which hub wrote the entries that follow.
        guard try access.exists("SELECT 1 FROM writers") else {
            throw Self.unfit(place, "does not say who wrote what")
        }
    }

    private static func unfit(_ place: LogPlace, _ what: String) -> LedgerError {
        .corruptLog(
            "the snapshot at batch \(place.sequence) of the shared log \(what): join again from a"
                + " backup of a hub that is in use")
    }

    private static var partsMax: Int32 { 1 << 20 }
}

/// The beginning of a log, to which no hub writes.
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
