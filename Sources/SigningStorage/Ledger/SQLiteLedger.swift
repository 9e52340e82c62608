// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningFiles

/// The ledger in one SQLite file, which several threads and processes may share.
package final class SQLiteLedger: Ledger, AcceptedMessages {
    /// The database through which changes are made; `read` and `query` do not wait for its commits.
    let database: Database<LedgerError>
    let queue: CommitQueue
    let journal: LedgerJournal
    private let reader: SpareReader<LedgerError>
    private let glancing: Glancing
    /// The locks of waiting requests; nil if the ledger was not opened by `open`.
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
        let database = try Database<LedgerError>(
            path: home.ledgerPath, schema: .ledger, .existing, journal: journal)
        try database.query { access throws(LedgerError) in try access.checkTables() }
        return SQLiteLedger(database, journal, waiting: WaitingPlaces(path: home.waitingPath))
    }

    /// Opens the file to record a freeze, which must succeed even if another process is writing.
    ///
    /// Waits longer for other processes than `open`, and leaves a file of an older format as it is.
    package static func openPatiently(_ home: Home) throws(LedgerError) -> SQLiteLedger {
        try home.checkHasLedger()
        let journal = LedgerJournal()
        return SQLiteLedger(
            try Database(
                path: home.ledgerPath, schema: .ledger, .asFound,
                busyTimeoutMilliseconds: patienceMilliseconds, journal: journal), journal)
    }

    /// The longest wait for other processes, in milliseconds; more than all waits of one request.
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

    /// Runs a body in a read transaction, without waiting for writers.
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

    /// A message if a newer version of this program has changed the file's format since the file
    /// was opened, so that this process cannot use it any more; otherwise nil.
    package var formatProblem: String? { database.formatProblem?.text }

    /// Throws if a newer version of this program has changed the file's format.
    func checkFormat() throws(LedgerError) { try database.read { (_) throws(LedgerError) in } }

    /// The current values that every request needs.
    func glance() throws(LedgerError) -> LedgerGlance { try glancing.look() }

    /// The used amount of the claim's counter in the window that ends at `now`.
    ///
    /// If `now` is before the time of the newest intent, that time is used instead.
    package func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        try read { access throws(LedgerError) in
            try access.used(claim, at: max(now, access.timeFloor()))
        }
    }

    /// The used amount of a counter with the name of a key, as earlier versions recorded it.
    package func usedByName(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        try used(claim, at: now)
    }

    /// Whether an intent with this token is on record, other than one that used no key.
    package func wasSeen(_ token: ReplayToken) throws(LedgerError) -> Bool {
        try query { access throws(LedgerError) in try access.wasSeen(token) }
    }

    /// The earliest time that a new entry can have; nil if there is no intent.
    package func latestTime() throws(LedgerError) -> Timestamp? {
        let floor = try glance().floor
        return floor == AuditHead.empty.time ? nil : floor
    }

    /// The current number of entries in the record.
    package func length() throws(LedgerError) -> RecordLength {
        RecordLength(entries: try glance().entries)
    }

    /// Records an intent durably, with its uses of limits and its replay token in one transaction.
    ///
    /// The transaction may contain other changes too.
    package func reserve(
        _ intent: Intent, currentPolicyHash: [UInt8]
    ) async throws(LedgerError) {
        let draft = intent.draft
        try await queue.write { access throws(LedgerError) in
            try access.reserve(intent, as: draft, currentPolicyHash)
        }
    }

    /// Records the result of an intent; throws if the intent already has a result.
    ///
    /// If no key was used, the uses of limits and the replay token of the intent are deleted. A
    /// result without grants, items to send and connections is written later, by the next commit.
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

    /// Writes the deferred results now.
    ///
    /// Call this method before the process ends, or before another process reads the results. In
    /// this process, methods that read the audit chain call it themselves.
    package func flush() throws(LedgerError) { try queue.flush() }

    /// The number of intents without a result: those in progress, and those that a crash
    /// interrupted.
    package func unsettledIntents() throws(LedgerError) -> Int {
        try flush()
        return try read { access throws(LedgerError) in try access.unsettledIntents() }
    }
}
