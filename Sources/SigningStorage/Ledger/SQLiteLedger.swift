// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The ledger in one SQLite file; several threads and processes may share it.
package final class SQLiteLedger: Ledger, AcceptedMessages {
    /// What changes it; whoever only reads waits for no sync.
    let database: Database<LedgerError>
    let queue: CommitQueue
    let journal: LedgerJournal
    private let reader: SpareReader<LedgerError>
    private let glancing: Glancing
    /// Nil where the ledger has no home.
    let waiting: WaitingPlaces?

    /// Makes the file for a new home; refuses to touch one that has entries.
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

    /// Opens the file; a missing or empty one is an error, never a fresh start.
    package static func open(_ home: Home) throws(LedgerError) -> SQLiteLedger {
        try home.checkHasLedger()
        let journal = LedgerJournal()
        return SQLiteLedger(
            try Database(path: home.ledgerPath, schema: .ledger, .existing, journal: journal),
            journal, waiting: WaitingPlaces(path: home.waitingPath))
    }

    /// Opens the file for a freeze, which a busy process must not turn away: waits for it longer
    /// than any other caller does, and leaves a file of an older format as it is.
    package static func openPatiently(_ home: Home) throws(LedgerError) -> SQLiteLedger {
        try home.checkHasLedger()
        let journal = LedgerJournal()
        return SQLiteLedger(
            try Database(
                path: home.ledgerPath, schema: .ledger, .asFound,
                busyTimeoutMilliseconds: patienceMilliseconds, journal: journal), journal)
    }

    /// Longer than all the waits of one request together.
    private static let patienceMilliseconds: Int32 = 30_000

    /// `journal` is the database's own.
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

    /// Lends a consistent view, past whoever is writing.
    func read<R: Sendable>(
        _ body: (borrowing Access<LedgerError>) throws(LedgerError) -> R
    ) throws(LedgerError) -> R {
        try reader.read(body)
    }

    /// The same for one query, which is a consistent view by itself.
    func query<R: Sendable>(
        _ body: (borrowing Access<LedgerError>) throws(LedgerError) -> R
    ) throws(LedgerError) -> R {
        try reader.query(body)
    }

    /// Why this version can no longer work with the file: a newer version has changed its format
    /// since it was opened; nil if it can.
    package var formatProblem: String? { database.formatProblem?.text }

    /// What every request asks for, of this moment.
    func glance() throws(LedgerError) -> LedgerGlance { try glancing.look() }

    /// What is used of the claim's counter within its window before `now`.
    ///
    /// A `now` before the newest intent counts as the time of that intent.
    package func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        try read { access throws(LedgerError) in
            try access.used(claim, at: max(now, access.timeFloor()))
        }
    }

    /// Whether an intent with this token is on record and was not given back.
    package func wasSeen(_ token: ReplayToken) throws(LedgerError) -> Bool {
        try query { access throws(LedgerError) in try access.wasSeen(token) }
    }

    /// The time of the newest intent; nil while there is none.
    package func latestTime() throws(LedgerError) -> Timestamp? {
        let floor = try glance().floor
        return floor == AuditHead.empty.time ? nil : floor
    }

    /// How much is on record now.
    package func length() throws(LedgerError) -> RecordLength {
        RecordLength(entries: try glance().entries)
    }

    /// Writes the intent durably, in one transaction with its limits and replay token, which may
    /// be shared with other intents.
    package func reserve(
        _ intent: Intent, currentPolicyHash: [UInt8]
    ) async throws(LedgerError) {
        let record = AuditRecord(intent)
        try await queue.write { access throws(LedgerError) in
            try access.reserve(intent, as: record, currentPolicyHash)
        }
    }

    /// Writes what became of an intent, once.
    ///
    /// One that did not use a key gives back its limits and its replay token. A result that has
    /// nothing remembered, sent or connected is written with the next commit.
    package func settle(
        _ intentID: [UInt8], _ settlement: Settlement, at time: Timestamp
    ) async throws(LedgerError) {
        let result = IntentResult(intentID: intentID, settlement: settlement, time: time)
        if result.canRide, queue.ride(result) { return }
        try await queue.write { access throws(LedgerError) in try access.settle(result) }
    }

    /// Writes that a request was not carried out.
    package func record(_ refusal: Refusal) async throws(LedgerError) {
        try await queue.write { access throws(LedgerError) in try access.record(refusal) }
    }

    /// Writes the results that wait for a commit to ride with.
    ///
    /// Call it before the process ends or somebody else is to see them; what looks at the chain
    /// here does so by itself.
    package func flush() throws(LedgerError) { try queue.flush() }

    /// How many intents have no result: those in flight, and those that a crash cut off.
    package func unsettledIntents() throws(LedgerError) -> Int {
        try flush()
        return try read { access throws(LedgerError) in try access.unsettledIntents() }
    }
}
