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
        guard batch.version >= Schema.sharedVersionMin,
            batch.body.count <= LogBatch.bodyBytesMax
        else { throw .corruptLog("batch \(end.sequence) of the shared log has an unknown form") }
        try checkSigned(batch, at: end)
        let isAwaited = try access.awaitsCarriedRows()
        let format = try access.local(.format)
        guard try access.follows(batch.version) else {
            throw .corruptLog(
                "batch \(end.sequence) of the shared log is in an older format than one before it")
        }
        let changes = try identity.open(batch)
        let carried =
            isAwaited && batch.version >= Schema.entriesVersion
            ? try access.keepCarriedRows() : []
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
        _ changes: [UInt8], of batch: LogBatch, at sequence: Int64, carrying carried: [[UInt8]],
        _ file: SegmentFile?
    ) throws(LedgerError) -> NeededSegment? {
        let head = try access.auditHead()
        let before = try access.governedRows()
        // Entries from before the ledger was shared are compared with checkpoints. Entries archived
        // before have no rows here. The first batches end with the founder's row.
        let isWhole = try access.exists(
            "SELECT 1 FROM writers WHERE hub = ?", .integer(Int64(identity.founder.number)))
        if isWhole, batch.version >= Schema.exchangingVersion {
            return try takeEntries(changes, of: batch, at: sequence, carrying: carried, file)
        }
        let tables: ChangedTables
        do throws(SQLiteError) {
            tables = try ChangedTables(in: changes)
        } catch {
            throw Self.mismatch(error, at: sequence)
        }
        guard Schema.mayShare(tables.rows, in: batch.version) else {
            throw Self.mismatch(at: sequence)
        }
        try access.makeOlderTable(for: batch.version)
        let answersOnly = isWhole ? try access.hub(batch.hub)?.answersOnly == true : false
        guard !answersOnly || Schema.answersAlone(tables.rows, in: batch.version) else {
            throw Self.onlyAnswers(sequence)
        }
        let answers = answersOnly ? try access.answersOnRecord() : nil
        let archives = isWhole && Schema.archives(tables.rows)
        if archives {
            guard Schema.archivesAlone(tables.rows), batch.version >= Schema.archivingVersion else {
                throw Self.mismatch(at: sequence)
            }
            try access.run("SAVEPOINT archive")
        }
        do throws(SQLiteError) {
            try connection.apply(
                changes, of: tables, in: batch.version, after: isWhole ? head.sequence : nil,
                // Each hub counts its own questions since the batches contain entries.
                except: isWhole ? "questions" : nil)
        } catch {
            throw Self.mismatch(error, at: sequence)
        }
        if batch.version >= Schema.openVersion { try access.dropCarriedText() }
        guard isWhole else { return nil }
        if let answers, try access.answersOnRecord().valueCount != answers.valueCount {
            throw Self.onlyAnswers(sequence)
        }
        if let answers, try !access.count(answersSince: answers, version: batch.version) {
            throw .corruptLog(
                "batch \(sequence) of the shared log contains an answer that is not valid")
        }
        if answersOnly, try !access.hasAnswersAlone(after: head.sequence) {
            throw Self.onlyAnswers(sequence)
        }
        try checkEntries(after: head, of: batch, at: sequence, before, carrying: carried)
        return archives ? try takeArchive(at: sequence, file) : nil
    }

    private static func mismatch(_ error: SQLiteError, at sequence: Int64) -> LedgerError {
        error.isMismatch || error.isCorruption ? mismatch(at: sequence) : LedgerError(error)
    }

    static func mismatch(at sequence: Int64) -> LedgerError {
        .corruptLog(
            "batch \(sequence) of the shared log does not match this copy of the ledger")
    }

    /// Checks that new entries continue the record, and that they name their writer.
    private borrowing func checkEntries(
        after known: AuditHead, of batch: LogBatch, at sequence: Int64, _ before: GovernedRows,
        carrying carried: [[UInt8]]
    ) throws(LedgerError) {
        var head = known
        var carriedByHub: [[UInt8]] = []
        var acts = GovernedEntries(before)
        while true {
            let entries = try access.entries(
                after: head.sequence, countMax: AuditEntry.batchCount)
            if entries.isEmpty { break }
            for entry in entries {
                guard entry.continues(head) else {
                    throw .corruptLog(
                        "batch \(sequence) of the shared log does not continue the record")
                }
                guard let content = entry.statedContent, entry.time.isPossible else {
                    throw .corruptLog(
                        "batch \(sequence) of the shared log gives entry \(entry.sequence) another "
                            + "time or kind than its text says")
                }
                head = entry.head
                if case .carry(let carry) = content.entry, !carry.rows.isEmpty {
                    carriedByHub += carry.rows
                }
                let isApproved =
                    acts.take(content.entry, at: entry.sequence)
                    ? try access.isApproved(
                        entry, retired: before.retired, own: before.own,
                        acceptsOlder: batch.version < Schema.statingVersion) : true
                if !isApproved {
                    throw .corruptLog(
                        "batch \(sequence) of the shared log lacks the required approvals of "
                            + "several people: entry \(entry.sequence)")
                }
            }
        }
        guard carriedByHub == carried else { throw Self.otherRows(sequence) }
        guard try acts.explain(access.governedRows(), version: batch.version) else {
            throw .corruptLog(
                "batch \(sequence) of the shared log changes the policy in force, a freeze, "
                    + "retired approvers or own approver keys without an entry about it")
        }
        // Such a row would stop the hub that puts the next policy in force.
        let isAhead = try access.exists(
            "SELECT 1 FROM policies WHERE sequence > ?", .integer(head.sequence))
        guard !isAhead else { throw Self.mismatch(at: sequence) }
        guard try access.isWritten(by: batch.hub, after: known.sequence, upTo: head.sequence) else {
            throw .corruptLog("batch \(sequence) of the shared log names another writer")
        }
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
