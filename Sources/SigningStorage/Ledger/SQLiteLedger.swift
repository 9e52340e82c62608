// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// The ledger in one SQLite file; several threads and processes may share it.
public final class SQLiteLedger: Ledger, AcceptedMessages {
    let database: Database<LedgerError>
    /// Nil where the ledger has no home.
    let waiting: WaitingPlaces?

    /// Makes the file for a new home; refuses to touch one that has entries.
    public static func create(in home: Home) throws(LedgerError) {
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
    public static func open(_ home: Home) throws(LedgerError) -> SQLiteLedger {
        try home.checkHasLedger()
        return SQLiteLedger(
            try Database(path: home.ledgerPath, schema: .ledger, .existing),
            waiting: WaitingPlaces(path: home.waitingPath))
    }

    /// Opens the file for somebody who will not be turned away by a busy process: waits for it
    /// longer than any other caller does.
    public static func openPatiently(_ home: Home) throws(LedgerError) -> SQLiteLedger {
        try home.checkHasLedger()
        return SQLiteLedger(
            try Database(
                path: home.ledgerPath, schema: .ledger, .existing,
                busyTimeoutMilliseconds: patienceMilliseconds))
    }

    /// Longer than all the waits of one request together.
    private static let patienceMilliseconds: Int32 = 30_000

    init(_ database: Database<LedgerError>, waiting: WaitingPlaces? = nil) {
        self.database = database
        self.waiting = waiting
    }

    /// What is used of the claim's counter within its window before `now`.
    ///
    /// A `now` before the newest intent counts as the time of that intent.
    public func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        try database.read { access throws(LedgerError) in
            try access.used(claim, at: max(now, access.timeFloor()))
        }
    }

    /// Whether an intent with this token is on record and was not given back.
    public func wasSeen(_ token: ReplayToken) throws(LedgerError) -> Bool {
        try database.read { access throws(LedgerError) in try access.wasSeen(token) }
    }

    /// The time of the newest intent; nil while there is none.
    public func latestTime() throws(LedgerError) -> Timestamp? {
        let floor = try database.query { access throws(LedgerError) in try access.timeFloor() }
        return floor == AuditHead.empty.time ? nil : floor
    }

    /// How much is on record now.
    public func length() throws(LedgerError) -> RecordLength {
        try database.query { access throws(LedgerError) in
            RecordLength(entries: try access.auditHead().sequence)
        }
    }

    /// Writes the intent durably, in one transaction with its limits and replay token.
    public func reserve(
        _ intent: Intent, currentPolicyHash: [UInt8]
    ) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            try access.checkFreeze(since: intent.judgedAt)
            guard intent.policyHash == currentPolicyHash else { throw .policyChanged }
            try access.checkPolicy(of: intent)
            let entry = try access.append(AuditRecord(intent))
            try access.run(
                "INSERT INTO intents (id, sequence) VALUES (?, ?)",
                .bytes(intent.id), .integer(entry.sequence))
            try access.check(sessions: intent.requiredSessions)
            try access.claim(intent)
            try access.use(intent.serials, for: intent.id)
            try access.checkGrants(of: intent, at: entry.time)
            try access.charge(intent.claims, to: intent.id, at: entry.time)
        }
    }

    /// Writes what became of an intent, once.
    ///
    /// One that did not use a key gives back its limits and its replay token.
    public func settle(
        _ intentID: [UInt8], _ settlement: Settlement, at time: Timestamp
    ) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            guard try access.exists("SELECT 1 FROM intents WHERE id = ?", .bytes(intentID)) else {
                throw .corrupt("a result without its intent")
            }
            guard
                try !access.exists("SELECT 1 FROM results WHERE intent_id = ?", .bytes(intentID))
            else { throw .corrupt("a second result of one intent") }
            let entry = try access.append(AuditRecord(settlement, of: intentID, at: time))
            try access.run(
                "INSERT INTO results (intent_id, sequence, outcome) VALUES (?, ?, ?)",
                .bytes(intentID), .integer(entry.sequence), .text(settlement.outcome))
            if case .done(let digests, let remembers, let notes, let sessions, let broadcast) =
                settlement
            {
                try access.insert(remembers, of: entry)
                try access.keep(notes)
                try access.change(sessions, of: entry)
                if let broadcast {
                    try access.queue(
                        broadcast, for: intentID, isSignedHere: !digests.isEmpty, of: entry)
                }
            }
            if case .notUsed = settlement {
                try access.run("DELETE FROM uses WHERE intent_id = ?", .bytes(intentID))
                try access.run("DELETE FROM replay_tokens WHERE intent_id = ?", .bytes(intentID))
                try access.run("DELETE FROM serial_uses WHERE intent_id = ?", .bytes(intentID))
            }
        }
    }

    /// Writes that a request was not carried out.
    public func record(_ refusal: Refusal) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            let entry = try access.append(AuditRecord(refusal))
            try access.insert(refusal.remembers.map { SealedGrant($0, seal: []) }, of: entry)
        }
    }

    /// How many intents have no result: those in flight, and those that a crash cut off.
    public func unsettledIntents() throws(LedgerError) -> Int {
        try database.read { access throws(LedgerError) in try access.unsettledIntents() }
    }
}

extension Access<LedgerError> {
    /// Whether an intent with this token is on record and was not given back.
    fileprivate func wasSeen(_ token: ReplayToken) throws(LedgerError) -> Bool {
        try exists("SELECT 1 FROM replay_tokens WHERE hash = ?", .bytes(token.hash))
    }

    /// Puts the token on record; refuses one that is there and should not be.
    fileprivate func claim(_ intent: Intent) throws(LedgerError) {
        guard let token = intent.replayToken else { return }
        if try wasSeen(token) {
            // What was judged as new and is not any more was judged wrongly.
            guard !token.isSingleUse, intent.tokenWasSeen != false else { throw .replayed }
        }
        try run(
            "INSERT INTO replay_tokens (hash, intent_id) VALUES (?, ?)",
            .bytes(token.hash), .bytes(intent.id))
    }

    /// How many intents have no result.
    func unsettledIntents() throws(LedgerError) -> Int {
        let count = try first(
            """
            SELECT count(*) FROM intents
            WHERE NOT EXISTS (SELECT 1 FROM results WHERE intent_id = intents.id)
            """
        ) { row throws(LedgerError) in try row.integer(0) }
        return Int(count ?? 0)
    }
}
