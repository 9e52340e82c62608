// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
internal import SigningVault

/// The rules that every entry of a record must keep.
///
/// An entry is checked against the entries before it: call `problem` for it before `Index.apply`.
/// The constraints of the tables are rules too: an id, a number or a mark counts once.
struct EntryRules {
    /// The key that signs the owner's entries; nil if signatures are not checked.
    private let logPublicKey: [UInt8]?
    /// Up to this entry the owner's entries may be from before they were signed.
    private let vouchedSequence: Int64
    /// The entries up to this one are unknown, except those that the ledger keeps.
    private let unknown: Int64
    /// True if every entry is checked; false if the tables stand for the entries so far.
    private let isReplay: Bool
    /// The latest time that counts after the entries so far.
    var timeFloor = AuditHead.empty.time
    /// The policy that the owner put in force last, with the entry that did.
    var policy: (entry: AuditHead, hash: [UInt8])?
    /// The approvers that the policy in force demands for the owner's acts.
    var governance = Governance.none
    /// The entries that put a policy in force and do not name its text.
    var textless: Set<Int64> = []
    var newestFreeze: AuditHead?
    /// Whether a freeze ends only by a signed entry, as those do since format 17.
    var signsThaws = false
    /// Whether signing is frozen; nil if no known entry decides it.
    var isFrozen: Bool?
    /// The approver keys that signing hubs hold, or have held.
    var ownApprovers: Set<[UInt8]> = []
    var retiredApprovers: Set<[UInt8]> = []
    var lastHub: Int32 = 0
    /// Whether an intent stated used amounts, as every one does since format 14.
    var statesUsed = false
    /// Whether entries state all rows, as they do since format 17.
    var statesRows = false
    /// Whether a repair gave up carried rows, so that others are carried.
    var mayCarryAgain = false
    /// Whether an earlier record was given up.
    var isBegunAnew = false

    /// True if known entries decide whether signing is frozen.
    var knowsFreeze: Bool { isFrozen != nil || unknown == 0 }

    /// Creates the rules; `vouchedSequence` is the last entry that the vault's checkpoint covers.
    init(logPublicKey: [UInt8]?, vouchedSequence: Int64, unknown: Int64 = 0) {
        self.logPublicKey = logPublicKey
        self.vouchedSequence = vouchedSequence
        self.unknown = unknown
        isReplay = true
    }

    /// Creates the rules for further entries, by the tables of a shared ledger.
    ///
    /// `isCarrying` is true if one of the entries is to carry rows of an older version.
    init(
        continuing access: borrowing Access<LedgerError>, isCarrying: Bool
    ) throws(LedgerError) {
        logPublicKey = try access.local(.logKey)
        vouchedSequence = 0
        unknown = 0
        isReplay = false
        timeFloor = try access.timeFloor()
        if let mark = try access.policyMark() {
            let entry = try access.entries(after: mark.sequence - 1, countMax: 1).first
            guard let entry, case .attest(let attest)? = entry.change else {
                throw .corrupt("the entry of the policy in force is missing")
            }
            policy = (entry.head, attest.policyHash)
            governance = attest.governance
            if attest.textDigest == nil { textless = [entry.sequence] }
        }
        let isFrozenNow = try access.exists("SELECT 1 FROM meta WHERE name = 'frozen'")
        isFrozen = isFrozenNow
        if isFrozenNow { newestFreeze = try access.newestEntry(of: .freeze)?.head }
        signsThaws = true
        ownApprovers = try access.ownApprovers()
        retiredApprovers = try access.retiredApprovers()
        lastHub = try access.hubs().map(\.number).max() ?? 0
        statesUsed = true
        statesRows = true
        mayCarryAgain = isCarrying
    }

    /// The rule that an entry breaks; nil if it keeps all of them.
    ///
    /// `access` reads the tables that the entries before it led to.
    mutating func problem(
        with entry: AuditEntry, _ content: EntryBody, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        let sequence = entry.sequence
        guard entry.time >= timeFloor || content.entry.kind == .repair
        else { return .changed(sequence: sequence) }
        switch content.entry {
        case .intent(let intent):
            return try problem(with: intent, of: entry, clock: content.clock, in: access)
        case .result(let result):
            if unknown == 0, try access.openIntent(result.id) == nil {
                return .unbegun(sequence: sequence)
            }
            guard case .done(let done) = result.outcome else { return nil }
            statesRows = statesRows || done.statesRows
            return done.remembers.isReadable ? nil : .changed(sequence: sequence)
        case .refusal(let refusal):
            return refusal.remembers.isReadable ? nil : .changed(sequence: sequence)
        case .freeze(let freeze):
            newestFreeze = entry.head
            signsThaws = signsThaws || freeze.needsSignature
            // A missing entry after this one may have thawed the home.
            if sequence > unknown { isFrozen = true }
        case .thaw(let thaw):
            isFrozen = false
            guard isVouched(thaw, for: entry) else { return .unvouched(sequence: sequence) }
            return try problem(withApprovalsOf: entry, content, in: access)
        case .attest(let attest): return try problem(with: attest, of: entry, content, in: access)
        case .export:
            guard isFrozen != true else { return .whileFrozen(sequence: sequence) }
            return try problem(withApprovalsOf: entry, content, in: access)
        case .repair(let repair): return problem(with: repair, of: entry)
        case .hub(let hub): return problem(with: hub, of: entry)
        case .carry(let carry): return try problem(with: carry, of: entry, in: access)
        case .approver(.holds(let keys)):
            ownApprovers.formUnion(keys)
            guard ownApprovers.count <= JointLimits.ownKeysMax,
                keys.allSatisfy({ $0.count == JointLimits.keyCount })
            else { return .changed(sequence: sequence) }
        case .draw(let draw): return try problem(with: draw, of: entry, in: access)
        case .ask(let ask):
            statesRows = true
            return try access.isStored(ask.question) ? .repeated(sequence: sequence) : nil
        case .answer(let answer):
            guard unknown == 0, try !access.isWaiting(answer.question) else { return nil }
            return .changed(sequence: sequence)
        case .withdraw(let questions):
            // A used question could be asked and used again with the same answers.
            let used = try isReplay ? nil : access.firstUsed(of: questions)
            return used == nil ? nil : .repeated(sequence: sequence)
        case .approver(.retires(let key)): retiredApprovers.insert(key)
        case .archive(let archive):
            let isForeign = !isReplay && logPublicKey != nil && archive.logPublicKey != logPublicKey
            return isForeign ? .unvouched(sequence: sequence) : nil
        case .key: return try problem(withApprovalsOf: entry, content, in: access)
        case .revoke, .broadcast, .accept: break
        }
        return nil
    }

    /// Hubs count on from the last one, which a replay may not know.
    private mutating func problem(with hub: HubEntry, of entry: AuditEntry) -> AuditProblem? {
        guard [.share, .join, .invite].contains(hub.change) else { return nil }
        guard hub.number > lastHub, isReplay || hub.number - 1 == lastHub else {
            return .changed(sequence: entry.sequence)
        }
        lastHub = hub.number
        return nil
    }

    /// A drawn number was not used before, and was not drawn last.
    ///
    /// Numbers below the last one can follow: it may be too high to be used, which the entry does
    /// not say.
    private mutating func problem(
        with draw: DrawEntry, of entry: AuditEntry, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        statesRows = true
        let used = try access.lastUsed(of: draw.series, from: draw.first, draw.count)
        let isDrawn = try access.lastSerial(of: draw.series).map {
            (draw.first...draw.last).contains($0)
        }
        return used == nil && isDrawn != true ? nil : .repeated(sequence: entry.sequence)
    }

    private mutating func problem(
        with intent: IntentEntry, of entry: AuditEntry, clock: Timestamp,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        // The time that an entry of this format has without a false floor.
        let isTimely =
            unknown > 0 || !statesRows || entry.time == max(clock, timeFloor)
        guard isTimely else { return .untimely(sequence: entry.sequence) }
        timeFloor = entry.time
        guard isFrozen != true else { return .whileFrozen(sequence: entry.sequence) }
        guard policy == nil || intent.request.policyHash == policy?.hash else {
            return .foreignPolicy(sequence: entry.sequence)
        }
        let unapproved = try problem(with: intent.approval, of: entry, access) { question in
            question.isAbout(intent.request)
                && (isReplay || entry.time <= question.binding.expires)
        }
        if let unapproved { return unapproved }
        if let token = intent.replay, token.isSingleUse || token.wasSeen == false,
            try access.exists("SELECT 1 FROM replay_tokens WHERE hash = ?", .bytes(token.hash))
        {
            return .repeated(sequence: entry.sequence)
        }
        return try problem(withClaimsOf: intent, at: entry.head, in: access)
    }

    /// The used amounts that an intent states are those that the tables say, and its claims exceed
    /// no limit.
    private mutating func problem(
        withClaimsOf intent: IntentEntry, at head: AuditHead,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        for claim in intent.claims where claim.amount < 0 {
            return .overspent(sequence: head.sequence, counter: claim.counter)
        }
        statesUsed = statesUsed || !intent.used.isEmpty
        // Uses of entries that are not known, and rules of older versions, are not known.
        guard unknown == 0, statesUsed, !intent.claims.isEmpty else { return nil }
        let used = try intent.claims.map { (claim) throws(LedgerError) in
            try access.used(claim, at: head.time)
        }
        for (place, claim) in intent.claims.enumerated()
        where !intent.used.indices.contains(place) || intent.used[place] != used[place] {
            return .miscounted(sequence: head.sequence, counter: claim.counter)
        }
        do throws(LedgerError) {
            try access.check(intent.claims, beside: used)
        } catch .limitExceeded(let counter) {
            return .overspent(sequence: head.sequence, counter: counter)
        }
        return nil
    }

    /// An entry that only the owner may write is signed by the log key, for its place.
    private mutating func problem(
        with attest: AttestEntry, of entry: AuditEntry, _ content: EntryBody,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        if attest.textDigest == nil { textless.insert(entry.sequence) }
        guard attest.signature != nil else {
            // Before entries were signed, a checkpoint had to do.
            return policy == nil && entry.sequence <= vouchedSequence
                ? nil : .unvouched(sequence: entry.sequence)
        }
        if let logPublicKey, !AttestingEntry(attest, of: entry).isSigned(by: logPublicKey) {
            return .unvouched(sequence: entry.sequence)
        }
        guard attest.policyHash.count == AuditChain.origin.count else {
            return .changed(sequence: entry.sequence)
        }
        let problem = try problem(withApprovalsOf: entry, content, in: access)
        policy = (entry.head, attest.policyHash)
        governance = attest.governance
        return problem
    }

    private func isVouched(_ thaw: ThawEntry, for entry: AuditEntry) -> Bool {
        guard let signature = thaw.signature else { return !signsThaws && !statesRows }
        return logPublicKey.map {
            LogStatement.thaw(after: entry.predecessor).isSigned(signature, by: $0)
        } ?? true
    }

    /// Texts are carried for known entries that put a policy in force and name no text, once.
    private mutating func problem(
        with carry: CarryEntry, of entry: AuditEntry, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        if !carry.rows.isEmpty {
            // Rows that entries state are not carried: these would be other ones.
            guard !statesRows || mayCarryAgain || unknown > 0 else {
                return .changed(sequence: entry.sequence)
            }
            statesRows = true
            mayCarryAgain = false
        }
        for text in carry.policies where text.sequence > unknown {
            guard textless.contains(text.sequence), text.digest.count == AuditChain.origin.count,
                try !access.exists(
                    "SELECT 1 FROM policies WHERE sequence = ?", .integer(text.sequence))
            else { return .changed(sequence: entry.sequence) }
        }
        return nil
    }

    private mutating func problem(
        with repair: RepairEntry, of entry: AuditEntry
    ) -> AuditProblem? {
        let statement = LogStatement.repair(
            what: repair.part, time: entry.time, after: entry.predecessor)
        if let logPublicKey, !statement.isSigned(repair.signature, by: logPublicKey) {
            return .unvouched(sequence: entry.sequence)
        }
        mayCarryAgain = mayCarryAgain || !repair.lostTexts.isEmpty
        isBegunAnew = isBegunAnew || repair.part == RepairEntry.ledger
        if repair.part == RepairEntry.clock { timeFloor = entry.time }
        return nil
    }
}

/// The approvals of several people.
extension EntryRules {
    /// Returns a problem if the policy in force demands approvers for the entry's act and the entry
    /// does not contain their valid approvals; nil for entries of other acts.
    private func problem(
        withApprovalsOf entry: AuditEntry, _ content: EntryBody,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard let policy, let act = GovernedAct(content.entry, after: policy.entry.hash) else {
            return nil
        }
        let approval = content.entry.approval
        let unapproved = try problem(with: approval, of: entry, access) { question in
            question.isAbout(act) && question.binding.policyHash == policy.hash
        }
        if let unapproved { return unapproved }
        guard let demand = governance.demands[act.kind] else { return nil }
        var isThis = true
        if case .thaw(let thaw) = content.entry {
            isThis =
                thaw.freeze == newestFreeze?.hash || (newestFreeze == nil && unknown > 0)
        }
        let isMet = approval?.meets(
            demand, for: act, policy.hash, at: content.clock, own: ownApprovers,
            acceptsOlder: isReplay)
        return isThis && isMet == true ? nil : .unapproved(sequence: entry.sequence)
    }

    /// The question that several people approved is about this request or act, and used by this
    /// entry alone.
    private func problem(
        with approval: ApprovalEntry?, of entry: AuditEntry,
        _ access: borrowing Access<LedgerError>, isAbout: (JointQuestion) -> Bool
    ) throws(LedgerError) -> AuditProblem? {
        guard let approval else { return nil }
        let digest = approval.question
        guard retiredApprovers.isDisjoint(with: approval.yeses.map(\.publicKey)) else {
            return .unapproved(sequence: entry.sequence)
        }
        guard try access.isStored(digest) else {
            return statesRows && unknown == 0 ? .unapproved(sequence: entry.sequence) : nil
        }
        guard try !access.isUsed(digest) else {
            return .repeated(sequence: entry.sequence)
        }
        // A lost text is found when the tables are compared.
        guard try access.hasText(digest), let waiting = try access.openJointQuestion(digest)
        else { return nil }
        guard isAbout(waiting.question) else { return .unapproved(sequence: entry.sequence) }
        // Whether it was in time, the entry's own checks look at.
        let check = JointCheck(
            waiting.question, retired: [], acceptsOlder: true,
            at: waiting.question.binding.expires)
        switch waiting.state(by: check) {
        case .approved: return nil
        case .refused: return .deniedByApprover(sequence: entry.sequence)
        case .open: return .unapproved(sequence: entry.sequence)
        }
    }
}

extension [GrantEntry] {
    /// True if every grant has the form of a remembered answer.
    fileprivate var isReadable: Bool { allSatisfy { GrantRecord.grant($0.body) != nil } }
}
