// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
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
    private var openIntents: [[UInt8]: (entry: AuditHead, body: JSON)] = [:]
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
        with entry: AuditEntry, _ body: JSON, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        switch AuditKind(rawValue: entry.kind) {
        case .intent: return try problem(withIntent: entry, body, in: access)
        case .result: return try problem(withResult: entry, body, in: access)
        case .refusal: return try problem(withGrantsOf: entry, body, in: access)
        case .revoke: return try problem(withRevoking: entry, body, in: access)
        case .attest: return try problem(withAttesting: entry, body, in: access)
        case .repair: return problem(withRepair: entry, body)
        case .export: return try problem(withApprovalsOf: entry, body, in: access)
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
            newestFreeze = entry.head
            // What came of one that was kept, of entries that are missing, is not known.
            guard entry.sequence > ends.unknown else { return nil }
            freezeReason = body["reason"]?.text
            knowsNoFreeze = false
            return nil
        case .thaw:
            freezeReason = nil
            knowsNoFreeze = false
            return try problem(withApprovalsOf: entry, body, in: access)
        case .archive: return try problem(withArchive: entry, body, in: access)
        case .hub: return hubs.take(entry, body) ? nil : .changed(sequence: entry.sequence)
        case .approver:
            ownApprovers.formUnion(entry.heldApprovers ?? [])
            return try access.problem(withApprover: entry, body)
        case .key: return body["key"]?.text == nil ? .changed(sequence: entry.sequence) : nil
        case nil: return .changed(sequence: entry.sequence)
        }
    }

    /// Checks that there are no rows beyond those that were looked at.
    mutating func problemAtEnd(
        _ head: AuditHead, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        for (id, intent) in openIntents {
            if let problem = try problem(
                withUsesOf: intent.entry, id, intent.body, wasUsed: true, in: access)
            {
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
        let reason = try access.freezeReason()
        guard knowsNoFreeze || reason == freezeReason,
            try access.repairedFloor() == repairedFloor,
            newest?.sequence == expected?.sequence, newest?.hash == expected?.hash
        else { return .unrecorded(table: "meta") }
        return nil
    }

    /// What was archived is named by the ledger as the entry names it.
    private mutating func problem(
        withArchive entry: AuditEntry, _ body: JSON, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        segmentCount += 1
        let named = try access.segments().first { $0.number == body["number"]?.integerValue }
        let fields = named?.fields ?? [:]
        guard named != nil, ends.unknown > 0 || named?.number == segmentCount,
            fields.allSatisfy({ body[$0.key] == $0.value })
        else { return .recordDiffers(sequence: entry.sequence, table: "segments") }
        return nil
    }

    /// What is the owner's alone to write is signed by the log key, for its place.
    private mutating func problem(
        withAttesting entry: AuditEntry, _ body: JSON, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard let found = AttestingEntry(entry) else { return .changed(sequence: entry.sequence) }
        guard found.signature != nil else {
            // Before entries were signed, a checkpoint had to do.
            oldPolicy = (entry.sequence, found.policyHash)
            return policy == nil && entry.sequence <= vouchedSequence
                ? nil : .unvouched(sequence: entry.sequence)
        }
        guard found.isSigned(by: logPublicKey) else {
            return .unvouched(sequence: entry.sequence)
        }
        let problem = try problem(withApprovalsOf: entry, body, in: access)
        policy = (entry.sequence, found.policyHash)
        policyEntry = entry.hash
        governance = found.governance
        return problem
    }

    /// Returns a problem if the policy in force demands approvers for the entry's act and the entry
    /// does not contain their valid approvals; nil for entries of other acts.
    private func problem(
        withApprovalsOf entry: AuditEntry, _ body: JSON, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard let policy, let act = GovernedAct(entry, body, after: policyEntry) else {
            return nil
        }
        let used = try access.problem(withYesOf: entry, body, usedFor: act.digest)
        if let used { return used }
        guard let demand = governance.demands[act.kind] else { return nil }
        let isThis =
            act.kind != .thaw || body.bytes("freeze") == newestFreeze?.hash
            || (newestFreeze == nil && ends.unknown > 0)
        let approval = ActApproval(body)
        let isMet = approval?.meets(demand, for: act, policy.hash, body, own: ownApprovers)
        return isThis && isMet == true ? nil : .unapproved(sequence: entry.sequence)
    }

    private mutating func problem(
        withRepair entry: AuditEntry, _ body: JSON
    ) -> AuditProblem? {
        guard let what = body["what"]?.text, let signature = body.bytes("signature") else {
            return .changed(sequence: entry.sequence)
        }
        let statement = LogStatement.repair(what: what, time: entry.time, after: entry.predecessor)
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
        timeFloor = entry.time
        guard policy == nil || body.bytes("policy") == policy?.hash else {
            return .foreignPolicy(sequence: entry.sequence)
        }
        guard let id = body.bytes("id") else {
            return .recordDiffers(sequence: entry.sequence, table: "intents")
        }
        if let problem = try access.problem(withYesOf: entry, body, usedFor: id) {
            return problem
        }
        guard entry.sequence > ends.last else {
            openIntents[id] = (entry.head, body)
            return nil
        }
        intentCount += 1
        guard
            try access.exists(
                "SELECT 1 FROM intents WHERE id = ? AND sequence = ?",
                .bytes(id), .integer(entry.sequence))
        else { return .recordDiffers(sequence: entry.sequence, table: "intents") }
        let wasUsed = try !access.exists(
            "SELECT 1 FROM results WHERE intent_id = ? AND outcome = 'not_used'", .bytes(id))
        return try problem(withUsesOf: entry.head, id, body, wasUsed: wasUsed, in: access)
    }

    /// Whatever an intent used up is on record, and nothing that was given back.
    private mutating func problem(
        withUsesOf entry: AuditHead, _ id: [UInt8], _ body: JSON, wasUsed: Bool,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard try uses.holds(id, of: entry, body, wasUsed: wasUsed, in: access) else {
            return .recordDiffers(sequence: entry.sequence, table: "uses")
        }
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
        let isArchived = entry.sequence <= ends.last
        resultCount += isArchived ? 0 : 1
        guard let id = body.bytes("id"), let outcome = body["outcome"]?.text,
            try isArchived
                ? true
                : access.exists(
                    "SELECT 1 FROM results WHERE intent_id = ? AND sequence = ? AND outcome = ?",
                    .bytes(id), .integer(entry.sequence), .text(outcome))
        else { return .recordDiffers(sequence: entry.sequence, table: "results") }
        if let intent = openIntents.removeValue(forKey: id) {
            let problem = try problem(
                withUsesOf: intent.entry, id, intent.body, wasUsed: outcome != "not_used",
                in: access)
            if let problem { return problem }
        }
        for item in body["broadcast"]?.list ?? [] { pendingItems.insert(item.text ?? "") }
        if let problem = try problem(withConnectionsOf: entry, body, in: access) { return problem }
        return try problem(withGrantsOf: entry, body, in: access)
    }

    /// A connection may have ended since; while it stands it is what was opened.
    private mutating func problem(
        withConnectionsOf entry: AuditEntry, _ body: JSON, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        for change in body["sessions"]?.list ?? [] {
            guard let id = change.bytes("opens") else { continue }
            let isThis = try access.first(
                """
                SELECT sequence = ? AND client = ? AND proof = ? AND network = ? AND key_id = ?
                AND expires IS ?
                FROM sessions WHERE id = ?
                """, .integer(entry.sequence), .text(change["client"]?["id"]?.text ?? ""),
                .text(change["client"]?["proof"]?.text ?? ""),
                .text(change["network"]?.text ?? ""), .text(change["key"]?.text ?? ""),
                change["expires"]?.integerValue.map { .integer($0) } ?? .null, .bytes(id)
            ) { row throws(LedgerError) in try row.integer(0) == 1 }
            guard isThis != false else {
                return .recordDiffers(sequence: entry.sequence, table: "sessions")
            }
            sessionCount += isThis == nil ? 0 : 1
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

extension JSON {
    /// The bytes of a member in hexadecimal.
    fileprivate func bytes(_ name: String) -> [UInt8]? {
        self[name]?.text.flatMap { try? Hex.decode($0) }
    }
}
