// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// A copy of a shared ledger, open for changes.
///
/// It applies the batches of the log after verifying each.
struct SharedCopy: ~Copyable {
    let identity: LogIdentity
    let connection: SQLiteConnection
    let access: Access<LedgerError>

    /// The progress of copying a log.
    enum Progress {
        /// The copy has reached the end of the log, at this position.
        case whole(LogPlace)
        /// The answer was full; more batches follow.
        case more
        /// The next batch archives a segment, whose file must be made first, outside of any
        /// transaction.
        case archive(NeededSegment)
    }

    init(_ identity: LogIdentity, _ connection: SQLiteConnection) {
        self.identity = identity
        self.connection = connection
        access = Access(connection)
    }

    /// Applies batches after the known position; `file` is the file of the segment that the next
    /// batch archives, once it is made.
    borrowing func take(
        _ news: LogNews, _ file: SegmentFile? = nil
    ) throws(LedgerError) -> Progress {
        let known = try access.logPlace()
        guard news.end >= known.sequence, news.batches.count <= LogNews.countMax else {
            throw Self.putBack
        }
        if let first = news.batches.first, first.previous.sequence > known.sequence {
            throw SharedLogs.cut(behind: known)
        }
        var place = known
        for batch in news.batches {
            let needed = try take(batch, after: place, file)
            if let needed {
                if place != known { try access.set(place) }
                return .archive(needed)
            }
            place = batch.place
            try access.keep(place)
        }
        if place != known { try access.set(place) }
        guard place.sequence < news.end else { return .whole(place) }
        guard place != known else { throw Self.putBack }
        return .more
    }

    /// Reads to the end of the log and commits after every answer; checks that the log contains the
    /// position `seen`.
    borrowing func readOn(
        in log: any SharedLog, through seen: LogPlace = .origin
    ) throws(LedgerError) {
        var isThere = false
        var file: SegmentFile?
        while !isThere {
            try access.run("COMMIT")
            try access.run("BEGIN IMMEDIATE")
            // Another process may have left the team between the transactions.
            guard try access.logIdentity(known: identity)?.mark == identity.mark else {
                throw .unavailable("the ledger was moved meanwhile: try again")
            }
            let news = try log.news(after: access.logPlace())
            switch try take(news, file) {
            case .whole: isThere = true
            case .more: break
            case .archive(let needed):
                // Other processes do not wait for the file to be written.
                try access.run("COMMIT")
                file = try make(needed)
                try access.run("BEGIN IMMEDIATE")
                continue
            }
            let hasOther = news.batches.contains { batch in
                batch.previous.sequence + 1 == seen.sequence && batch.place != seen
            }
            guard !hasOther, !isThere || news.end >= seen.sequence else {
                throw Self.putBack
            }
        }
        try access.run("COMMIT")
        try access.run("BEGIN IMMEDIATE")
    }

    /// Throws if this hub may not write any more.
    borrowing func checkMayWrite() throws(LedgerError) {
        if let hub = try access.movedToHub() {
            throw .unavailable(
                "the ledger was moved to hub \(hub) alone: this copy can no longer be used")
        }
        guard try access.hub(identity.hub)?.retired == nil else {
            throw .unavailable(
                "this hub was retired: join again from a backup of another hub, or ask for a new "
                    + "invitation")
        }
    }

    /// Starts recording changes.
    borrowing func recorder() throws(LedgerError) -> ChangeRecorder {
        do throws(SQLiteError) {
            return try ChangeRecorder(connection, tables: Schema.sharedTables)
        } catch {
            throw LedgerError(error)
        }
    }

    /// Applies one batch; returns the segment whose file is needed first, if any.
    private borrowing func take(
        _ batch: LogBatch, after place: LogPlace, _ file: SegmentFile?
    ) throws(LedgerError) -> NeededSegment? {
        guard batch.previous == place else { throw Self.putBack }
        let end = batch.place
        guard batch.version <= Schema.sharedVersion else {
            throw .unavailable(
                "hub \(batch.hub) wrote this record with a newer version of the program: upgrade "
                    + "this hub")
        }
        guard batch.body.count <= LogBatch.bodyBytesMax else {
            throw .corruptLog("batch \(end.sequence) of the shared log has an unknown form")
        }
        try checkSigned(batch, at: end)
        guard batch.version >= Schema.sharedVersionMin else { throw Self.older }
        let isAwaited = try access.awaitsCarriedRows()
        let format = try access.local(.format)
        guard try access.follows(batch.version) else {
            throw .corruptLog(
                "batch \(end.sequence) of the shared log is in an older format than one before it")
        }
        let changes = try identity.open(batch)
        let carried = isAwaited ? try access.keepCarriedRows() : []
        let needed = try apply(changes, of: batch, at: end.sequence, carrying: carried, file)
        // The batch is not applied yet, so it is taken with the rows to carry again.
        if needed != nil, let format { try access.set(.format, to: format) }
        return needed
    }

    private borrowing func checkSigned(
        _ batch: LogBatch, at end: LogPlace
    ) throws(LedgerError) {
        let hub = try access.hub(batch.hub)
        // The first batch adds the hub that wrote it.
        let founder = identity.founder
        let isFirst = batch.previous == .origin && batch.hub == founder.number
        guard let key = hub?.publicKey ?? (isFirst ? founder.publicKey : nil),
            Signatures.isValidEd25519(
                signature: batch.signature.span, message: end.hash.span, publicKey: key.span)
        else {
            throw .corruptLog(
                "batch \(end.sequence) of the shared log is not signed by hub \(batch.hub)")
        }
        guard hub?.retired == nil else {
            throw .corruptLog(
                "batch \(end.sequence) of the shared log is by a hub that was retired")
        }
    }

    private borrowing func apply(
        _ content: [UInt8], of batch: LogBatch, at sequence: Int64, carrying carried: [[UInt8]],
        _ file: SegmentFile?
    ) throws(LedgerError) -> NeededSegment? {
        if try isWhole() {
            return try takeEntries(content, of: batch, at: sequence, carrying: carried, file)
        }
        guard batch.version >= Schema.stateVersion else { throw Self.older }
        guard try WholeContent.add(content, to: access) else { throw Self.mismatch(at: sequence) }
        if try isWhole() { try StatePart.finish(in: access) }
        return nil
    }

    /// Whether the first batches are taken: they end with the founder's row.
    private borrowing func isWhole() throws(LedgerError) -> Bool {
        try access.exists(
            "SELECT 1 FROM writers WHERE hub = ?", .integer(Int64(identity.founder.number)))
    }

    /// The error of batches that an older version wrote.
    static var older: LedgerError {
        .unavailable(
            "an older version of the program wrote these batches of the shared log: let this hub"
                + " copy them with that version, or join again from a backup of a hub that has them"
        )
    }

    static func mismatch(at sequence: Int64) -> LedgerError {
        .corruptLog(
            "batch \(sequence) of the shared log does not match this copy of the ledger")
    }

    static func otherRows(_ sequence: Int64) -> LedgerError {
        .corruptLog(
            "batch \(sequence) of the shared log does not carry the rows that this hub has")
    }

    static func onlyAnswers(_ sequence: Int64) -> LedgerError {
        .corruptLog(
            "batch \(sequence) of the shared log is by a hub that may only answer questions")
    }

    private static var putBack: LedgerError {
        .unavailable(
            "the shared ledger lacks entries that this hub has seen: it was set back to an earlier "
                + "state, or a replica that lagged was promoted; bring back the database that has "
                + "them"
        )
    }
}
