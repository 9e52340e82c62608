// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
internal import SigningVault

/// Holds the tables of a ledger against what its audit chain says.
struct AuditTally {
    private let logPublicKey: [UInt8]
    /// Up to this entry the owner's entries may be from before they were signed.
    private let vouchedSequence: Int64
    /// The latest time that counts after the entries so far.
    private(set) var timeFloor = AuditHead.empty.time
    /// The policy that the owner put in force last, with the entry that did.
    private var policy: (sequence: Int64, hash: [UInt8])?
    /// The hash of that entry.
    private var policyEntry: [UInt8] = []
    /// The same from before such entries were signed.
    private var oldPolicy: (sequence: Int64, hash: [UInt8])?
    private var repairedFloor: TimeFloor?
    private let ends: ArchiveEnds
    private var uses: UseTally
    private var intentCount: Int64 = 0
    private var resultCount: Int64 = 0
    private var tokenCount: Int64 = 0
    private var serialCount: Int64 = 0
    private var acceptedCount: Int64 = 0
    private var sessionCount: Int64 = 0
    private var segmentCount: Int64 = 0
    /// What was signed for a network, and nothing certain is on record of it.
    private var pendingItems: Set<String> = []
    /// Archived intents whose result was not reached yet: it says whether they used anything.
    private var openIntents: [[UInt8]: (entry: AuditHead, intent: IntentEntry)] = [:]
    private var grantCount: Int64 = 0
    private var revokedCount: Int64 = 0
    private var freezeReason: String?
    private var newestFreeze: AuditHead?
    /// Whom the policy in force wants asked where the owner acts.
    private var governance = Governance.none
    private var hubs = HubTally()
    /// The approver keys that lie, or lay, in hubs that sign.
    private var ownApprovers: Set<[UInt8]> = []
    /// Whether nothing says yet whether signing was stopped.
    private var knowsNoFreeze: Bool
    /// Whether an earlier record was given up.
    private(set) var isBegunAnew = false

    /// How many archived intents have no result.
    var openCount: Int { openIntents.count }

    init(logPublicKey: [UInt8], vouchedSequence: Int64, _ ends: ArchiveEnds) {
        self.logPublicKey = logPublicKey
        self.vouchedSequence = vouchedSequence
        self.ends = ends
        uses = UseTally(ends)
        knowsNoFreeze = ends.unknown > 0
    }

    /// Looks ahead for what later entries changed of earlier ones' rows.
    mutating func prepare(in access: borrowing Access<LedgerError>) throws(LedgerError) {
        try uses.prepare(in: access)
    }

    /// Checks the rows that follow from one entry.
    mutating func problem(
        with entry: AuditEntry, _ content: EntryBody, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        switch content.entry {
        case .intent(let intent): return try problem(with: intent, of: entry, in: access)
        case .result(let result): return try problem(with: result, of: entry, in: access)
        case .refusal(let refusal):
            return try problem(with: refusal.remembers, of: entry, in: access)
        case .revoke(let revoke): return try problem(with: revoke, of: entry, in: access)
        case .attest(let attest): return try problem(with: attest, of: entry, content, in: access)
        case .repair(let repair): return problem(with: repair, of: entry)
        case .export: return try problem(withApprovalsOf: entry, content, in: access)
        case .broadcast(let broadcast):
            if broadcast.outcome.isFinal { pendingItems.remove(broadcast.item) }
            return nil
        case .accept(let mark):
            acceptedCount += 1
            return try access.exists("SELECT 1 FROM accepted WHERE mark = ?", .bytes(mark))
                ? nil : .recordDiffers(sequence: entry.sequence, table: "accepted")
        case .freeze(let reason):
            newestFreeze = entry.head
            // What came of one that was kept, of entries that are missing, is not known.
            guard entry.sequence > ends.unknown else { return nil }
            freezeReason = reason
            knowsNoFreeze = false
            return nil
        case .thaw:
            freezeReason = nil
            knowsNoFreeze = false
            return try problem(withApprovalsOf: entry, content, in: access)
        case .archive(let archive):
            return try problem(with: archive.segment, of: entry, in: access)
        case .hub(let hub):
            return hubs.take(hub, of: entry) ? nil : .changed(sequence: entry.sequence)
        case .approver(let change):
            if case .holds(let keys) = change { ownApprovers.formUnion(keys) }
            return try access.problem(with: change, of: entry)
        case .key: return nil
        }
    }

    /// Checks that there are no rows beyond those that were looked at.
    mutating func problemAtEnd(
        _ head: AuditHead, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        for (head, intent) in openIntents.values {
            if let problem = try problem(withUsesOf: intent, of: head, wasUsed: true, in: access) {
                return problem
            }
        }
        guard try uses.isWhole(in: access) else { return .unrecorded(table: "uses") }
        // What is not known of may have left rows that say of no entry.
        let known: [(table: String, condition: String, expected: Int64, isExact: Bool)] = [
            ("audit", "sequence > \(ends.last)", head.sequence - ends.last, true),
            ("intents", "true", intentCount, true), ("results", "true", resultCount, true),
            ("replay_tokens", "true", tokenCount, ends.unknown == 0),
            ("accepted", "true", acceptedCount, ends.unknown == 0),
            ("serial_uses", "true", serialCount, ends.unknown == 0),
            ("sessions", "sequence > \(ends.unknown)", sessionCount, true),
            ("segments", "true", segmentCount, ends.unknown == 0),
            ("grants", "sequence > \(ends.unknown)", grantCount, true),
            ("grants", "revoked IS NOT NULL", revokedCount, ends.unknown == 0),
        ]
        for (table, condition, expected, isExact) in known {
            let count = try access.count(table, where: condition)
            guard isExact ? count == expected : count >= expected else {
                return .unrecorded(table: table)
            }
        }
        return try problemOutsideTables(in: access)
    }

    private func problemOutsideTables(
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        let items = try access.all(
            "SELECT id FROM outbox WHERE sequence > ?", .integer(ends.unknown)
        ) { row throws(LedgerError) in try row.text(0) }
        guard ends.unknown == 0 ? pendingItems == Set(items) : pendingItems.isSuperset(of: items)
        else { return .unrecorded(table: "outbox") }
        if ends.unknown == 0, try access.hubs() != hubs.expected {
            return .unrecorded(table: "hubs")
        }
        if ends.unknown == 0, try access.ownApprovers() != ownApprovers {
            return .unrecorded(table: "meta")
        }
        let newest = try access.policyMark()
        // A mark of an entry from before these were signed may be there by now.
        let expected = policy ?? (newest == nil ? nil : oldPolicy)
        let reason = try access.recordedFreezeReason()
        guard knowsNoFreeze || reason == freezeReason,
            try access.repairedFloor() == repairedFloor,
            newest?.sequence == expected?.sequence, newest?.hash == expected?.hash
        else { return .unrecorded(table: "meta") }
        return nil
    }

    /// The ledger names an archived segment as its entry does.
    private mutating func problem(
        with segment: ArchivedSegment, of entry: AuditEntry,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        segmentCount += 1
        let named = try access.segments().first { $0.number == segment.number }
        return named == segment && (ends.unknown > 0 || segment.number == segmentCount)
            ? nil : .recordDiffers(sequence: entry.sequence, table: "segments")
    }

    /// An entry that only the owner may write is signed by the log key, for its place.
    private mutating func problem(
        with attest: AttestEntry, of entry: AuditEntry, _ content: EntryBody,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard attest.signature != nil else {
            // Before entries were signed, a checkpoint had to do.
            oldPolicy = (entry.sequence, attest.policyHash)
            return policy == nil && entry.sequence <= vouchedSequence
                ? nil : .unvouched(sequence: entry.sequence)
        }
        guard AttestingEntry(attest, of: entry).isSigned(by: logPublicKey) else {
            return .unvouched(sequence: entry.sequence)
        }
        let problem = try problem(withApprovalsOf: entry, content, in: access)
        policy = (entry.sequence, attest.policyHash)
        policyEntry = entry.hash
        governance = attest.governance
        return problem
    }

    /// Returns a problem if the policy in force demands approvers for the entry's act and the entry
    /// does not contain their valid approvals; nil for entries of other acts.
    private func problem(
        withApprovalsOf entry: AuditEntry, _ content: EntryBody,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard let policy, let act = GovernedAct(content.entry, after: policyEntry) else {
            return nil
        }
        let approval = content.entry.approval
        let used = try access.problem(with: approval, of: entry, usedFor: act.digest)
        if let used { return used }
        guard let demand = governance.demands[act.kind] else { return nil }
        var isThis = true
        if case .thaw(let thaw) = content.entry {
            isThis =
                thaw.freeze == newestFreeze?.hash || (newestFreeze == nil && ends.unknown > 0)
        }
        let isMet = approval?.meets(
            demand, for: act, policy.hash, at: content.clock, own: ownApprovers)
        return isThis && isMet == true ? nil : .unapproved(sequence: entry.sequence)
    }

    private mutating func problem(
        with repair: RepairEntry, of entry: AuditEntry
    ) -> AuditProblem? {
        let statement = LogStatement.repair(
            what: repair.part, time: entry.time, after: entry.predecessor)
        guard statement.isSigned(repair.signature, by: logPublicKey) else {
            return .unvouched(sequence: entry.sequence)
        }
        isBegunAnew = isBegunAnew || repair.part == RepairEntry.ledger
        guard repair.part == RepairEntry.clock else { return nil }
        timeFloor = entry.time
        repairedFloor = TimeFloor(sequence: entry.sequence, time: entry.time)
        return nil
    }

    private mutating func problem(
        with intent: IntentEntry, of entry: AuditEntry, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        timeFloor = entry.time
        guard policy == nil || intent.request.policyHash == policy?.hash else {
            return .foreignPolicy(sequence: entry.sequence)
        }
        if let problem = try access.problem(
            with: intent.approval, of: entry, usedFor: intent.id)
        {
            return problem
        }
        guard entry.sequence > ends.last else {
            openIntents[intent.id] = (entry.head, intent)
            return nil
        }
        intentCount += 1
        guard
            try access.exists(
                "SELECT 1 FROM intents WHERE id = ? AND sequence = ?",
                .bytes(intent.id), .integer(entry.sequence))
        else { return .recordDiffers(sequence: entry.sequence, table: "intents") }
        let wasUsed = try !access.exists(
            "SELECT 1 FROM results WHERE intent_id = ? AND outcome = 'not_used'",
            .bytes(intent.id))
        return try problem(withUsesOf: intent, of: entry.head, wasUsed: wasUsed, in: access)
    }

    /// The tables contain all that an intent used up, and nothing that was given back.
    private mutating func problem(
        withUsesOf intent: IntentEntry, of entry: AuditHead, wasUsed: Bool,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard try uses.holds(intent, of: entry, wasUsed: wasUsed, in: access) else {
            return .recordDiffers(sequence: entry.sequence, table: "uses")
        }
        for serial in wasUsed ? intent.serials : [] {
            serialCount += 1
            guard
                try access.exists(
                    """
                    SELECT 1 FROM serial_uses WHERE series = ? AND number = ? AND intent_id = ?
                    """, .text(serial.series), .integer(Int64(bitPattern: serial.number)),
                    .bytes(intent.id))
            else { return .recordDiffers(sequence: entry.sequence, table: "serial_uses") }
        }
        guard wasUsed, let token = intent.replay else { return nil }
        tokenCount += 1
        return try access.exists(
            "SELECT 1 FROM replay_tokens WHERE intent_id = ? AND hash = ?",
            .bytes(intent.id), .bytes(token.hash))
            ? nil : .recordDiffers(sequence: entry.sequence, table: "replay_tokens")
    }

    private mutating func problem(
        with result: ResultEntry, of entry: AuditEntry, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        let isArchived = entry.sequence <= ends.last
        resultCount += isArchived ? 0 : 1
        guard
            try isArchived
                ? true
                : access.exists(
                    "SELECT 1 FROM results WHERE intent_id = ? AND sequence = ? AND outcome = ?",
                    .bytes(result.id), .integer(entry.sequence), .text(result.outcome.word))
        else { return .recordDiffers(sequence: entry.sequence, table: "results") }
        if let (head, intent) = openIntents.removeValue(forKey: result.id) {
            let wasUsed = if case .notUsed = result.outcome { false } else { true }
            let problem = try problem(withUsesOf: intent, of: head, wasUsed: wasUsed, in: access)
            if let problem { return problem }
        }
        guard case .done(let done) = result.outcome else { return nil }
        pendingItems.formUnion(done.broadcast?.items ?? [])
        if let problem = try problem(with: done.connections, of: entry, in: access) {
            return problem
        }
        return try problem(with: done.remembers, of: entry, in: access)
    }

    /// A connection may have ended since; as long as it exists, it is the one that was opened.
    private mutating func problem(
        with changes: [ConnectionEntry], of entry: AuditEntry,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        for case .opens(let id, let client, let key, let network, let expires) in changes {
            let isThis = try access.first(
                """
                SELECT sequence = ? AND client = ? AND proof = ? AND network = ? AND key_id = ?
                AND expires IS ?
                FROM sessions WHERE id = ?
                """, .integer(entry.sequence), .text(client.id), .text(client.proof.rawValue),
                .text(network), .text(key.text), expires.map { .integer($0.seconds) } ?? .null,
                .bytes(id)
            ) { row throws(LedgerError) in try row.integer(0) == 1 }
            guard isThis != false else {
                return .recordDiffers(sequence: entry.sequence, table: "sessions")
            }
            sessionCount += isThis == nil ? 0 : 1
        }
        return nil
    }

    private mutating func problem(
        with grants: [GrantEntry], of entry: AuditEntry, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        for remembered in grants {
            grantCount += 1
            guard let grant = GrantRecord.grant(remembered.body),
                try access.exists(
                    """
                    SELECT 1 FROM grants
                    WHERE id = ? AND sequence = ? AND scope_hash = ? AND body = ? AND seal = ?
                    """,
                    .bytes(grant.id), .integer(entry.sequence),
                    .bytes(GrantRecord.hash(of: grant.scope)), .text(remembered.body),
                    .bytes(remembered.seal))
            else { return .recordDiffers(sequence: entry.sequence, table: "grants") }
        }
        return nil
    }

    private mutating func problem(
        with revoke: RevokeEntry, of entry: AuditEntry, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        for id in revoke.grants {
            revokedCount += 1
            guard
                try access.exists(
                    "SELECT 1 FROM grants WHERE id = ? AND revoked = ?",
                    .bytes(id), .integer(entry.time.seconds))
            else { return .recordDiffers(sequence: entry.sequence, table: "grants") }
        }
        return nil
    }
}

/// How far entries stand in segments, as verification finds them.
struct ArchiveEnds {
    /// The last archived entry: up to it intents and results have no rows.
    var last: Int64 = 0
    /// Up to this entry the last use of each counter is kept alone.
    var folded: Int64 = 0
    /// The last entry of the last segment that is not there: nothing is known up to it.
    var unknown: Int64 = 0
}

extension Access<LedgerError> {
    fileprivate func count(
        _ table: String, where condition: String
    ) throws(LedgerError) -> Int64 {
        try first("SELECT count(*) FROM \(table) WHERE \(condition)") {
            row throws(LedgerError) in try row.integer(0)
        } ?? 0
    }
}
