// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

/// Holds the tables of a ledger against what its audit chain says.
struct AuditTally {
    private let logPublicKey: [UInt8]
    /// Up to this entry the owner's entries may be from before they were signed.
    private let vouchedSequence: Int64
    /// The latest time that counts after the entries so far.
    private(set) var timeFloor = AuditHead.empty.time
    /// The policy that the owner put in force last, with the entry that did.
    private var policy: (sequence: Int64, hash: [UInt8])?
    /// The same from before such entries were signed.
    private var oldPolicy: (sequence: Int64, hash: [UInt8])?
    private var repairedFloor: TimeFloor?
    /// When the clock was repaired: later uses were moved there.
    private var repairTimes: Set<Int64> = []
    private var intentCount: Int64 = 0
    private var resultCount: Int64 = 0
    private var useCount: Int64 = 0
    private var tokenCount: Int64 = 0
    private var serialCount: Int64 = 0
    private var acceptedCount: Int64 = 0
    /// What was signed for a network, and nothing certain is on record of it.
    private var pendingItems: Set<String> = []
    /// The sessions that were ever opened.
    private var openedSessions: Set<[UInt8]> = []
    private var grantCount: Int64 = 0
    private var revokedCount: Int64 = 0
    private var freezeReason: String?
    /// Whether an earlier record was given up.
    private(set) var isBegunAnew = false

    init(logPublicKey: [UInt8], vouchedSequence: Int64) {
        self.logPublicKey = logPublicKey
        self.vouchedSequence = vouchedSequence
    }

    /// Looks ahead for what later entries changed of earlier ones' rows.
    mutating func prepare(in access: borrowing Access<LedgerError>) throws(LedgerError) {
        repairTimes = Set(
            try access.all("SELECT time FROM audit WHERE kind = 'repair'") {
                row throws(LedgerError) in try row.integer(0)
            })
    }

    /// Checks the rows that follow from one entry.
    mutating func problem(
        with entry: AuditEntry, _ body: JSON, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        switch AuditKind(rawValue: entry.kind) {
        case .intent: return try problem(withIntent: entry, body, in: access)
        case .result: return try problem(withResult: entry, body, in: access)
        case .refusal: return try problem(withGrantsOf: entry, body, in: access)
        case .revoke: return try problem(withRevoking: entry, body, in: access)
        case .attest: return problem(withAttesting: entry, body)
        case .repair: return problem(withRepair: entry, body)
        case .export: return nil
        case .broadcast:
            if ["accepted", "failed", "refused"].contains(body["outcome"]?.text) {
                pendingItems.remove(body["item"]?.text ?? "")
            }
            return nil
        case .accept:
            acceptedCount += 1
            guard let mark = body.bytes("mark"),
                try access.exists("SELECT 1 FROM accepted WHERE mark = ?", .bytes(mark))
            else { return .recordDiffers(sequence: entry.sequence, table: "accepted") }
            return nil
        case .freeze:
            freezeReason = body["reason"]?.text
            return nil
        case .thaw:
            freezeReason = nil
            return nil
        case nil: return .changed(sequence: entry.sequence)
        }
    }

    /// Checks that there are no rows beyond those that were looked at.
    func problemAtEnd(
        _ head: AuditHead, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        let counts = [
            ("audit", "SELECT count(*) FROM audit", head.sequence),
            ("intents", "SELECT count(*) FROM intents", intentCount),
            ("results", "SELECT count(*) FROM results", resultCount),
            ("uses", "SELECT count(*) FROM uses", useCount),
            ("replay_tokens", "SELECT count(*) FROM replay_tokens", tokenCount),
            ("accepted", "SELECT count(*) FROM accepted", acceptedCount),
            ("outbox", "SELECT count(*) FROM outbox", Int64(pendingItems.count)),
            ("serial_uses", "SELECT count(*) FROM serial_uses", serialCount),
            ("grants", "SELECT count(*) FROM grants", grantCount),
            ("grants", "SELECT count(*) FROM grants WHERE revoked IS NOT NULL", revokedCount),
        ]
        for (table, query, expected) in counts {
            let count = try access.first(query) { row throws(LedgerError) in try row.integer(0) }
            guard count == expected else { return .unrecorded(table: table) }
        }
        let items = try access.all("SELECT id FROM outbox") { row throws(LedgerError) in
            try row.text(0)
        }
        guard pendingItems == Set(items) else { return .unrecorded(table: "outbox") }
        let sessions = try access.all("SELECT id FROM sessions") { row throws(LedgerError) in
            try row.bytes(0)
        }
        guard openedSessions.isSuperset(of: sessions) else {
            return .unrecorded(table: "sessions")
        }
        let newest = try access.policyMark()
        // A mark of an entry from before these were signed may be there by now.
        let expected = policy ?? (newest == nil ? nil : oldPolicy)
        guard try access.freezeReason() == freezeReason,
            try access.repairedFloor() == repairedFloor,
            newest?.sequence == expected?.sequence, newest?.hash == expected?.hash
        else { return .unrecorded(table: "meta") }
        return nil
    }

    /// What is the owner's alone to write is signed by the log key, for its place.
    private mutating func problem(
        withAttesting entry: AuditEntry, _ body: JSON
    ) -> AuditProblem? {
        guard let hash = body.bytes("policy") else { return .changed(sequence: entry.sequence) }
        guard let signature = body.bytes("signature") else {
            // Before entries were signed, a checkpoint had to do.
            oldPolicy = (entry.sequence, hash)
            return policy == nil && entry.sequence <= vouchedSequence
                ? nil : .unvouched(sequence: entry.sequence)
        }
        let statement = LogStatement.attest(policyHash: hash, after: entry.predecessor)
        guard statement.isSigned(signature, by: logPublicKey) else {
            return .unvouched(sequence: entry.sequence)
        }
        policy = (entry.sequence, hash)
        return nil
    }

    private mutating func problem(
        withRepair entry: AuditEntry, _ body: JSON
    ) -> AuditProblem? {
        guard let what = body["what"]?.text, let signature = body.bytes("signature") else {
            return .changed(sequence: entry.sequence)
        }
        let statement = LogStatement.repair(
            what: what, time: entry.time, after: entry.predecessor)
        guard statement.isSigned(signature, by: logPublicKey) else {
            return .unvouched(sequence: entry.sequence)
        }
        isBegunAnew = isBegunAnew || what == AuditRecord.ledgerRepair
        guard what == "clock" else { return nil }
        timeFloor = entry.time
        repairedFloor = TimeFloor(sequence: entry.sequence, time: entry.time)
        return nil
    }

    private mutating func problem(
        withIntent entry: AuditEntry, _ body: JSON, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        intentCount += 1
        timeFloor = entry.time
        guard policy == nil || body.bytes("policy") == policy?.hash else {
            return .foreignPolicy(sequence: entry.sequence)
        }
        guard let id = body.bytes("id"),
            try access.exists(
                "SELECT 1 FROM intents WHERE id = ? AND sequence = ?",
                .bytes(id), .integer(entry.sequence))
        else { return .recordDiffers(sequence: entry.sequence, table: "intents") }
        let wasUsed = try !access.exists(
            "SELECT 1 FROM results WHERE intent_id = ? AND outcome = 'not_used'", .bytes(id))
        let claimed = wasUsed ? Self.charges(in: body) : []
        let found = try access.charges(
            of: id, at: entry.time.seconds, entry.sequence, repairedAt: repairTimes)
        guard claimed == found else {
            return .recordDiffers(sequence: entry.sequence, table: "uses")
        }
        useCount += Int64(found.count)
        for serial in wasUsed ? body["serials"]?.list ?? [] : [] {
            serialCount += 1
            guard let series = serial["series"]?.text,
                let number = serial["number"]?.text.flatMap({ UInt64($0) }),
                try access.exists(
                    """
                    SELECT 1 FROM serial_uses WHERE series = ? AND number = ? AND intent_id = ?
                    """, .text(series), .integer(Int64(bitPattern: number)),
                    .bytes(id))
            else { return .recordDiffers(sequence: entry.sequence, table: "serial_uses") }
        }
        guard wasUsed, let token = body["replay"], !token.isNull else { return nil }
        tokenCount += 1
        guard let hash = token.bytes("hash"),
            try access.exists(
                "SELECT 1 FROM replay_tokens WHERE intent_id = ? AND hash = ?",
                .bytes(id), .bytes(hash))
        else { return .recordDiffers(sequence: entry.sequence, table: "replay_tokens") }
        return nil
    }

    private mutating func problem(
        withResult entry: AuditEntry, _ body: JSON, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        resultCount += 1
        guard let id = body.bytes("id"), let outcome = body["outcome"]?.text,
            try access.exists(
                "SELECT 1 FROM results WHERE intent_id = ? AND sequence = ? AND outcome = ?",
                .bytes(id), .integer(entry.sequence), .text(outcome))
        else { return .recordDiffers(sequence: entry.sequence, table: "results") }
        for item in body["broadcast"]?.list ?? [] { pendingItems.insert(item.text ?? "") }
        if let problem = try problem(withSessionsOf: entry, body, in: access) { return problem }
        return try problem(withGrantsOf: entry, body, in: access)
    }

    /// A session may have ended since; while it stands it is what was opened.
    private mutating func problem(
        withSessionsOf entry: AuditEntry, _ body: JSON, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        for change in body["sessions"]?.list ?? [] {
            guard let id = change.bytes("opens") else { continue }
            openedSessions.insert(id)
            let isAnother = try access.exists(
                """
                SELECT 1 FROM sessions WHERE id = ? AND NOT (sequence = ? AND client = ?
                AND proof = ? AND network = ? AND key_id = ?)
                """, .bytes(id), .integer(entry.sequence),
                .text(change["client"]?["id"]?.text ?? ""),
                .text(change["client"]?["proof"]?.text ?? ""),
                .text(change["network"]?.text ?? ""), .text(change["key"]?.text ?? ""))
            guard !isAnother else {
                return .recordDiffers(sequence: entry.sequence, table: "sessions")
            }
        }
        return nil
    }

    private mutating func problem(
        withGrantsOf entry: AuditEntry, _ body: JSON, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        for item in body["remembers"]?.list ?? [] {
            grantCount += 1
            guard let text = item["body"]?.text, let seal = item.bytes("seal"),
                let grant = GrantRecord.grant(text),
                try access.exists(
                    """
                    SELECT 1 FROM grants
                    WHERE id = ? AND sequence = ? AND scope_hash = ? AND body = ? AND seal = ?
                    """,
                    .bytes(grant.id), .integer(entry.sequence),
                    .bytes(GrantRecord.hash(of: grant.scope)), .text(text), .bytes(seal))
            else { return .recordDiffers(sequence: entry.sequence, table: "grants") }
        }
        return nil
    }

    private mutating func problem(
        withRevoking entry: AuditEntry, _ body: JSON, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        for item in body["grants"]?.list ?? [] {
            revokedCount += 1
            guard let id = item.text.flatMap({ try? Hex.decode($0) }),
                try access.exists(
                    "SELECT 1 FROM grants WHERE id = ? AND revoked = ?",
                    .bytes(id), .integer(entry.time.seconds))
            else { return .recordDiffers(sequence: entry.sequence, table: "grants") }
        }
        return nil
    }

    /// The charges an intent's body speaks of; nil where it is none of ours.
    private static func charges(in body: JSON) -> [LimitCharge]? {
        guard let claims = body["claims"]?.list else { return nil }
        var uses: [LimitUse] = []
        for claim in claims {
            guard let counter = claim["counter"]?.text,
                let amount = claim["amount"]?.text.flatMap({ Int128($0) })
            else { return nil }
            let window = [claim["window"], claim["since"]].map { $0?.integerValue }
            uses.append(LimitUse(counter: counter, window: "\(window)", amount: amount))
        }
        return LimitUse.charges(of: uses)
    }
}

extension Access<LedgerError> {
    /// What is on record for an intent; a use at another time than the entry's, or than that of
    /// a repair of the clock that it was moved to, or with another total than its predecessor
    /// leads to, is none of it.
    fileprivate func charges(
        of intentID: [UInt8], at time: Int64, _ sequence: Int64,
        repairedAt repairs: Set<Int64>
    ) throws(LedgerError) -> [LimitCharge] {
        let uses = try all(
            """
            SELECT counter, time, sequence, position, amount, total FROM uses
            WHERE intent_id = ? ORDER BY position
            """, .bytes(intentID)
        ) { row throws(LedgerError) in
            (place: try row.usePlace(), amount: try row.amount(4), total: try row.total(5))
        }
        return try uses.map { (use) throws(LedgerError) in
            let found = use.place.time
            let isInTime = found == time || (found < time && repairs.contains(found))
            let before = try total(before: use.place)
            let fits =
                isInTime && use.place.sequence == sequence
                && before.adding(use.amount) == use.total
            return LimitCharge(counter: fits ? use.place.counter : "", amount: use.amount)
        }
    }
}

extension JSON {
    /// The bytes of a member in hexadecimal.
    fileprivate func bytes(_ name: String) -> [UInt8]? {
        self[name]?.text.flatMap { try? Hex.decode($0) }
    }
}
