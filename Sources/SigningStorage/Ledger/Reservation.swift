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
    /// Records an intent with all that it uses up.
    ///
    /// Throws if the policy, a grant or a connection has changed since it was judged, if its token
    /// or a number of it was used before, or if a limit would be exceeded.
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
        try check(connections: intent.requiredConnections, at: time)
        try checkToken(of: intent)
        try check(intent.serials)
        try checkGrants(of: intent, at: time)
        try check(intent.claims, beside: used)
        let isAsGathered = approved == intent.approval
        let stated = isAsGathered ? draft : intent.approved(approved).draft
        _ = try append(stated, at: time, used: used)
    }

    /// Records the result of an intent; throws if the intent already has a result.
    func settle(_ result: IntentResult) throws(LedgerError) {
        let intentID = result.intentID
        guard try openIntent(intentID) != nil else {
            let isBegun = try exists(
                "SELECT 1 FROM audit WHERE kind = 'intent' AND instr(body, ?)",
                .text("\"\(intentID.hexText)\""))
            throw .corrupt(
                isBegun ? "a second result of one intent" : "a result without its intent")
        }
        let settlement = result.settlement
        let notes = try changedNotes(of: settlement)
        let stated = ResultEntry(settlement, of: intentID, changing: notes)
        let entry = try append(.result(stated), at: result.time, NamedBytes(of: settlement))
        guard case .done(_, let remembers, _, let connections, _, _) = settlement else { return }
        try revoke(replacedBy: remembers.map(\.grant), at: entry.time)
        for case .forgets(let client, let protocolID) in connections {
            try forget(client, in: protocolID, at: entry.time)
        }
    }

    /// Records that a request was refused.
    func record(_ refusal: Refusal) throws(LedgerError) {
        _ = try append(.refusal(RefusalEntry(refusal)), at: refusal.time)
    }

    /// Whether an intent with this token is on record; an intent that used no key does not count.
    func wasSeen(_ token: ReplayToken) throws(LedgerError) -> Bool {
        try exists("SELECT 1 FROM replay_tokens WHERE hash = ?", .bytes(token.hash))
    }

    /// Throws if the intent's replay token exists already and must be new.
    private func checkToken(of intent: Intent) throws(LedgerError) {
        guard let token = intent.replayToken, try wasSeen(token) else { return }
        // The rules judged the request with the token as a new one, which it no longer is.
        guard !token.isSingleUse, intent.tokenWasSeen != false else { throw .replayed }
    }

    /// The number of intents without a result.
    func unsettledIntents() throws(LedgerError) -> Int {
        let count = try first("SELECT count(*) FROM open_intents") { row throws(LedgerError) in
            try row.integer(0)
        }
        return Int(count ?? 0)
    }
}
