// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The ledger in one SQLite file, which several threads and processes may share.
package final class SQLiteLedger: Ledger, AcceptedMessages {
    /// The database for changes; readers do not wait for its commits.
    let database: Database<LedgerError>
    let queue: CommitQueue
    let journal: LedgerJournal
    private let reader: SpareReader<LedgerError>
    private let glancing: Glancing
    /// The places of waiting requests; nil if the ledger has no home.
    let waiting: WaitingPlaces?

    /// The stamp of the file, which every commit of any process changes; nil if it has none now.
    package var stamp: FileStamp? { (try? reader.stamp()) ?? nil }

    /// Makes the file for a new home; throws if a file with entries exists.
    package static func create(in home: Home) throws(LedgerError) {
        do throws(HomeError) {
            try home.makeFile(home.ledgerPath)
        } catch {
            throw LedgerError(error)
        }
        let database = try Database<LedgerError>(path: home.ledgerPath, schema: .ledger, .new)
        guard try database.read({ access throws(LedgerError) in try access.auditHead() }) == .empty
        else { throw .unavailable("\(Schema.ledger.file) exists already") }
    }

    /// Opens the file; throws if it is missing or empty.
    package static func open(_ home: Home) throws(LedgerError) -> SQLiteLedger {
        try home.checkHasLedger()
        let journal = LedgerJournal()
        return SQLiteLedger(
            try Database(path: home.ledgerPath, schema: .ledger, .existing, journal: journal),
            journal, waiting: WaitingPlaces(path: home.waitingPath))
    }

    /// Opens the file for a freeze, which must succeed even if another process is busy.
    ///
    /// Waits longer than other callers, and does not upgrade an older format.
    package static func openPatiently(_ home: Home) throws(LedgerError) -> SQLiteLedger {
        try home.checkHasLedger()
        let journal = LedgerJournal()
        return SQLiteLedger(
            try Database(
                path: home.ledgerPath, schema: .ledger, .asFound,
                busyTimeoutMilliseconds: patienceMilliseconds, journal: journal), journal)
    }

    /// Longer than the sum of all waits of one request.
    private static let patienceMilliseconds: Int32 = 30_000

    /// Creates a ledger; `journal` is the journal of the database.
    init(
        _ database: Database<LedgerError>, _ journal: LedgerJournal = LedgerJournal(),
        waiting: WaitingPlaces? = nil
    ) {
        self.database = database
        self.journal = journal
        queue = CommitQueue(database)
        reader = SpareReader(of: database)
        glancing = Glancing(by: reader)
        self.waiting = waiting
    }

    deinit { queue.close() }

    /// Runs a body on a consistent view, without waiting for writers.
    func read<R: Sendable>(
        _ body: (borrowing Access<LedgerError>) throws(LedgerError) -> R
    ) throws(LedgerError) -> R {
        try reader.read(body)
    }

    /// Runs a body with a single query, without waiting for writers.
    func query<R: Sendable>(
        _ body: (borrowing Access<LedgerError>) throws(LedgerError) -> R
    ) throws(LedgerError) -> R {
        try reader.query(body)
    }

    /// The reason that this version cannot use the file any more: a newer version has changed its
    /// format since it was opened.
    ///
    /// Nil if it can.
    package var formatProblem: String? { database.formatProblem?.text }

    /// The current values that every request needs.
    func glance() throws(LedgerError) -> LedgerGlance { try glancing.look() }

    /// The amount used of the claim's counter within its window before `now`.
    ///
    /// A `now` before the newest intent counts as the time of that intent.
    package func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        try read { access throws(LedgerError) in
            try access.used(claim, at: max(now, access.timeFloor()))
        }
    }

    /// Whether an intent with this token is on record and has not been released.
    package func wasSeen(_ token: ReplayToken) throws(LedgerError) -> Bool {
        try query { access throws(LedgerError) in try access.wasSeen(token) }
    }

    /// The time of the newest intent; nil if there is no intent.
    package func latestTime() throws(LedgerError) -> Timestamp? {
        let floor = try glance().floor
        return floor == AuditHead.empty.time ? nil : floor
    }

    /// The current length of the record.
    package func length() throws(LedgerError) -> RecordLength {
        RecordLength(entries: try glance().entries)
    }

    /// Records the intent durably, in one transaction with its limits and replay token; the
    /// transaction may contain other intents too.
    package func reserve(
        _ intent: Intent, currentPolicyHash: [UInt8]
    ) async throws(LedgerError) {
        let record = AuditRecord(intent)
        try await queue.write { access throws(LedgerError) in
            try access.reserve(intent, as: record, currentPolicyHash)
        }
    }

    /// Records the result of an intent, once.
    ///
    /// An intent that did not use a key releases its limits and its replay token. A result without
    /// grants, items to send or connections is written with the next commit.
    package func settle(
        _ intentID: [UInt8], _ settlement: Settlement, at time: Timestamp
    ) async throws(LedgerError) {
        let result = IntentResult(intentID: intentID, settlement: settlement, time: time)
        if result.canBeDeferred, queue.postpone(result) { return }
        try await queue.write { access throws(LedgerError) in try access.settle(result) }
    }

    /// Records that a request was refused.
    package func record(_ refusal: Refusal) async throws(LedgerError) {
        try await queue.write { access throws(LedgerError) in try access.record(refusal) }
    }

    /// Writes the deferred results.
    ///
    /// Call it before the process ends, or before another process must see them; readers of the
    /// chain in this process do so automatically.
    package func flush() throws(LedgerError) { try queue.flush() }

    /// The number of intents without a result: those in progress, and those that a crash
    /// interrupted.
    package func unsettledIntents() throws(LedgerError) -> Int {
        try flush()
        return try read { access throws(LedgerError) in try access.unsettledIntents() }
    }
}
