// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto

/// A copy of a shared ledger, open for changes: takes in what stands in the log, after a look at
/// every batch.
struct SharedCopy: ~Copyable {
    private let identity: LogIdentity
    private let connection: Connection
    private let access: Access<LedgerError>

    init(_ identity: LogIdentity, _ connection: Connection) {
        self.identity = identity
        self.connection = connection
        access = Access(connection)
    }

    /// Takes in what stands behind the place that is known; the place, or nil where there is more.
    borrowing func take(_ news: LogNews) throws(LedgerError) -> LogPlace? {
        let known = try access.logPlace()
        guard news.end >= known.sequence, news.batches.count <= LogNews.countMax else {
            throw Self.putBack
        }
        var place = known
        for batch in news.batches {
            place = try take(batch, after: place)
            try access.keep(place)
        }
        if place != known { try access.set(place) }
        guard place.sequence < news.end else { return place }
        guard place != known else { throw Self.putBack }
        return nil
    }

    /// Reads on to where the log ended, with a commit of its own for every answer; through a place
    /// that is known to stand in it, if one is.
    borrowing func readOn(
        in log: any SharedLog, through seen: LogPlace = .origin
    ) throws(LedgerError) {
        var isThere = false
        while !isThere {
            try access.run("COMMIT")
            try access.run("BEGIN IMMEDIATE")
            // Whoever was let in between may have left the team.
            guard try access.logIdentity(known: identity)?.mark == identity.mark else {
                throw .unavailable("the ledger was moved meanwhile: try again")
            }
            let news = try log.news(after: access.logPlace())
            isThere = try take(news) != nil
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

    /// Refuses a hub that may not go on.
    borrowing func checkMayWrite() throws(LedgerError) {
        if let hub = try access.hubItMovedTo() {
            throw .unavailable(
                "the ledger was moved to hub \(hub) alone: this copy of it is out of use")
        }
        guard try access.hub(identity.hub)?.retired == nil else {
            throw .unavailable(
                "this hub was retired: restore a backup of another and make a new hub of it")
        }
    }

    /// Takes down what is changed from now on.
    borrowing func recorder() throws(LedgerError) -> ChangeRecorder {
        do throws(SQLiteError) {
            return try ChangeRecorder(connection, tables: Schema.sharedTables)
        } catch {
            throw LedgerError(error)
        }
    }

    private borrowing func take(
        _ batch: LogBatch, after place: LogPlace
    ) throws(LedgerError) -> LogPlace {
        guard batch.previous == place else { throw Self.putBack }
        let end = batch.place
        guard batch.version <= Schema.sharedVersion else {
            throw .unavailable(
                "this hub is older than hub \(batch.hub), which wrote the record: upgrade it")
        }
        guard batch.version >= Schema.sharedVersionMin,
            batch.body.count <= LogBatch.bodyBytesMax
        else { throw .corruptLog("batch \(end.sequence) of the shared log is none of ours") }
        try checkSigned(batch, at: end)
        let changes = try identity.open(batch)
        try apply(changes, of: batch, at: end.sequence)
        return end
    }

    private borrowing func checkSigned(
        _ batch: LogBatch, at end: LogPlace
    ) throws(LedgerError) {
        let hub = try access.hub(batch.hub)
        // The first batch brings the hub that wrote it.
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
        _ changes: [UInt8], of batch: LogBatch, at sequence: Int64
    ) throws(LedgerError) {
        let head = try access.auditHead()
        let before = try access.governedRows()
        // The entries from before it was shared are held against checkpoints.
        let isWhole = try access.exists("SELECT 1 FROM writers")
        do throws(SQLiteError) {
            guard try Schema.mayShare(changes) else {
                throw .unexpectedValue(statement: "changeset")
            }
            try connection.apply(changes)
        } catch {
            guard error.isMisfit || error.isCorruption else { throw LedgerError(error) }
            throw .corruptLog(
                "batch \(sequence) of the shared log does not fit this copy of the ledger: "
                    + "they have come apart")
        }
        guard isWhole else { return }
        try checkEntries(after: head, by: batch.hub, at: sequence, before)
    }

    /// What is new on record continues it, and says who wrote it.
    private borrowing func checkEntries(
        after known: AuditHead, by hub: Int32, at sequence: Int64, _ before: GovernedRows
    ) throws(LedgerError) {
        var head = known
        var acts = GovernedEntries(before)
        while true {
            let entries = try access.entries(
                after: head.sequence, countMax: AuditEntry.batchCount)
            if entries.isEmpty { break }
            for entry in entries {
                guard entry.continues(head) else {
                    throw .corruptLog("batch \(sequence) of the shared log breaks the record")
                }
                head = entry.head
                if acts.take(entry), try !access.isApproved(entry, retired: before.retired) {
                    throw .corruptLog(
                        "batch \(sequence) of the shared log does what several people have to "
                            + "approve, and they did not: entry \(entry.sequence)")
                }
            }
        }
        guard try acts.explain(access.governedRows()) else {
            throw .corruptLog(
                "batch \(sequence) of the shared log changes the policy in force or a freeze "
                    + "without an entry that says so")
        }
        guard try access.isWritten(by: hub, after: known.sequence, upTo: head.sequence) else {
            throw .corruptLog("batch \(sequence) of the shared log names another writer")
        }
    }

    private static var putBack: LedgerError {
        .unavailable(
            "the shared ledger lacks what this hub has seen: it was put back to an earlier state, "
                + "or a replica was promoted that lagged; bring back the database that has it")
    }
}
