// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// The result of an intent, before it is recorded.
struct IntentResult: Sendable {
    let intentID: [UInt8]
    let settlement: Settlement
    let time: Timestamp

    /// True if the result may be written later, so that a crash could lose it.
    ///
    /// The loss does no harm: an intent without a result is treated like one whose signature was
    /// released.
    var canBeDeferred: Bool {
        switch settlement {
        case .done(_, let remembers, let notes, let connections, let broadcast, _):
            remembers.isEmpty && connections.isEmpty && broadcast == nil
                && notes.reduce(0) { $0 + $1.detail.count } <= Self.deferredBytesMax
        case .failed: true
        case .notUsed: false
        }
    }

    /// The maximum number of bytes in the notes of a result that is written later.
    private static let deferredBytesMax = 16 << 10

    /// The result's note with this subject and name; nil if there is none.
    func noted(_ name: String, about subject: Note.Subject) -> Note? {
        guard case .done(_, _, let notes, _, _, _) = settlement else { return nil }
        return notes.last { $0.name == name && $0.subject == subject }
    }
}

extension Intent {
    /// The text of the intent's entry.
    var draft: EntryDraft { EntryDraft(.intent(IntentEntry(self)), at: time) }

    /// A copy of the intent with this approval in place of its own.
    fileprivate func approved(_ approval: JointApproval?) -> Intent {
        var copy = self
        copy.approval = approval
        return copy
    }
}

extension Access<LedgerError> {
    /// Records an intent, its replay token, serial numbers and uses of limits.
    ///
    /// Throws if the policy or a grant has changed since it was judged, or if a limit would be
    /// exceeded.
    func reserve(
        _ intent: Intent, as draft: EntryDraft, _ currentPolicyHash: [UInt8]
    ) throws(LedgerError) {
        try checkUndisturbed(since: intent.judgedAt)
        try checkConfirmed()
        let recorded = try policyMark()?.hash ?? currentPolicyHash
        guard intent.policyHash == currentPolicyHash, intent.policyHash == recorded
        else { throw .policyChanged }
        let time = try max(intent.time, timeFloor())
        let used = try intent.claims.map { (claim) throws(LedgerError) in
            try self.used(claim, at: time)
        }
        let approved = try use(intent.approval, for: intent, at: time)
        let isAsGathered = approved == intent.approval
        let stated = isAsGathered ? draft : intent.approved(approved).draft
        let entry = try append(stated, at: time, used: used)
        try run(
            "INSERT INTO intents (id, sequence) VALUES (?, ?)",
            .bytes(intent.id), .integer(entry.sequence))
        try check(connections: intent.requiredConnections, at: entry.time)
        try claim(intent)
        try use(intent.serials, for: intent.id)
        try checkGrants(of: intent, at: entry.time)
        try charge(intent.claims, beside: used, to: intent.id, of: entry)
    }

    /// Records the result of an intent; throws if the intent already has a result.
    func settle(_ result: IntentResult) throws(LedgerError) {
        let intentID = result.intentID
        let isSettled = try first(
            "SELECT EXISTS (SELECT 1 FROM results WHERE intent_id = id) FROM intents WHERE id = ?",
            .bytes(intentID)
        ) { row throws(LedgerError) in try row.integer(0) == 1 }
        guard let isSettled else { throw .corrupt("a result without its intent") }
        guard !isSettled else { throw .corrupt("a second result of one intent") }
        let settlement = result.settlement
        let stated = ResultEntry(settlement, of: intentID)
        let entry = try append(.result(stated), at: result.time)
        try run(
            "INSERT INTO results (intent_id, sequence, outcome) VALUES (?, ?, ?)",
            .bytes(intentID), .integer(entry.sequence), .text(stated.outcome.word))
        switch settlement {
        case .done(let digests, let remembers, let notes, let connections, let broadcast, _):
            try insert(remembers, of: entry)
            try keep(notes)
            try change(connections, of: entry)
            guard let broadcast else { return }
            try queue(broadcast, for: intentID, isSignedHere: !digests.isEmpty, of: entry)
        case .notUsed:
            try giveBackUses(of: intentID)
            try giveBackToken(of: intentID)
            try run("DELETE FROM serial_uses WHERE intent_id = ?", .bytes(intentID))
        case .failed: return
        }
    }

    /// Records that a request was refused.
    func record(_ refusal: Refusal) throws(LedgerError) {
        let entry = try append(.refusal(RefusalEntry(refusal)), at: refusal.time)
        try insert(refusal.remembers.map { SealedGrant($0, seal: []) }, of: entry)
    }

    /// Whether an intent with this token is on record; an intent that used no key does not count.
    func wasSeen(_ token: ReplayToken) throws(LedgerError) -> Bool {
        try exists("SELECT 1 FROM replay_tokens WHERE hash = ?", .bytes(token.hash))
    }

    /// Records the intent's replay token; throws if the token exists already and must be new.
    private func claim(_ intent: Intent) throws(LedgerError) {
        guard let token = intent.replayToken else { return }
        if try wasSeen(token) {
            // The rules judged the request with the token as a new one, which it no longer is.
            guard !token.isSingleUse, intent.tokenWasSeen != false else { throw .replayed }
        }
        try run(
            "INSERT INTO replay_tokens (hash, intent_id) VALUES (?, ?)",
            .bytes(token.hash), .bytes(intent.id))
    }

    /// Deletes the replay token of an intent that used no key; the intent's entry names the token.
    private func giveBackToken(of intentID: [UInt8]) throws(LedgerError) {
        guard let replay = try intentEntry(intentID)?.replay else { return }
        try run(
            "DELETE FROM replay_tokens WHERE hash = ? AND intent_id = ?", .bytes(replay.hash),
            .bytes(intentID))
    }

    /// The number of intents without a result.
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
