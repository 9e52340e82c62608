// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
internal import SigningVault

/// Verifies a record in one pass over its chain: first the archived segments, then the ledger's
/// entries.
///
/// Each entry is checked against `EntryRules` and applied to temporary tables. At the end the
/// ledger's tables are compared with these.
struct AuditVerifier {
    /// The key that signs the owner's entries; nil if only the chain is checked, without signatures
    /// and rules.
    private let logPublicKey: [UInt8]?
    private let vouchedSequence: Int64
    /// The checkpoints of later entries, in reverse order: the next one is the last element.
    private var checkpoints: [AuditCheckpoint]
    /// The state after the entries so far, without the rows of tables; of the intents without a
    /// result only the archived ones.
    private(set) var state: RecordState
    private(set) var ends = ArchiveEnds()
    /// The segment whose state stands for the entries up to its end; nil if there is none.
    private var start: ArchivedSegment?
    /// The last archived entry that put a policy in force and that the ledger does not contain.
    private var droppedPolicy: Int64?
    /// The number of entries found so far that are archived and also still in the ledger.
    private var keptCount = 0

    /// True if an earlier record was lost and the owner started this one in its place.
    var isBegunAnew: Bool { state.rules.isBegunAnew }
    /// The number of archived intents without a result.
    var openCount: Int { state.openIntents.count }
    /// The last entry that was verified.
    var head: AuditHead { state.head }
    /// The number of the last entry that a valid checkpoint covers; 0 if there is none yet.
    private(set) var coveredSequence: Int64 = 0
    /// The segments whose files are missing or altered.
    private(set) var unverified: [UnverifiedSegment] = []

    /// Creates a verifier; `vouchedSequence` is the last entry that the vault's checkpoint covers.
    init(
        logPublicKey: [UInt8]?, checkpoints: [AuditCheckpoint] = [], vouchedSequence: Int64 = 0
    ) {
        self.logPublicKey = logPublicKey
        self.vouchedSequence = vouchedSequence
        state = RecordState(
            EntryRules(logPublicKey: logPublicKey, vouchedSequence: vouchedSequence))
        self.checkpoints = checkpoints.sorted { $0.sequence > $1.sequence }
    }

    /// Verifies the whole record and returns the first problem; nil if everything present is valid.
    ///
    /// `ledgerPath` is the path of the ledger; the segment files are in the same folder. The
    /// tables of the replay stay on the connection.
    mutating func firstProblem(
        in access: borrowing Access<LedgerError>, at ledgerPath: String
    ) throws(LedgerError) -> AuditProblem? {
        let segments = try access.segments()
        if let problem = begin(with: segments, besides: ledgerPath) { return problem }
        let tables = try ReplayedTables(beside: access, ends)
        let isWhole = ends.unknown == 0
        var otherState: AuditProblem?
        let problem = try replay(segments, into: tables, in: access, at: ledgerPath) {
            (segment, state) throws(LedgerError) in
            guard isWhole, segment == segments.last, let digest = segment.stateDigest,
                try state.write(tables, { _ in }) != digest
            else { return }
            otherState = .otherState(sequence: segment.last)
        }
        if let problem { return problem }
        if let difference = try tables.difference() { return .differs(difference) }
        return try access.blobDifference().map { .differs($0) } ?? otherState
    }

    /// Adds the segments in the order of their numbers, before anything else.
    ///
    /// Returns a problem if the log key did not sign them. `ledgerPath` is the path of the ledger;
    /// the segment files are in the same folder. The newest state stands for entries whose files
    /// are missing or altered; if `prefersState` is true, for all entries before it.
    mutating func begin(
        with segments: [ArchivedSegment], besides ledgerPath: String, prefersState: Bool = false
    ) -> AuditProblem? {
        let problem = find(segments, besides: ledgerPath)
        if ends.unknown > 0 || prefersState {
            start = segments.last {
                $0.last >= ends.unknown && $0.hasState(besides: ledgerPath)
            }
        }
        if start != nil { ends.unknown = 0 }
        state.rules = EntryRules(
            logPublicKey: logPublicKey, vouchedSequence: vouchedSequence, unknown: ends.unknown)
        return problem
    }

    /// Verifies all entries and makes the tables that they lead to.
    ///
    /// Returns the first problem of the entries; nil if everything present is valid. `atEnd` gets
    /// what the entries up to the end of a segment lead to.
    mutating func replay(
        _ segments: [ArchivedSegment], into tables: borrowing ReplayedTables,
        in access: borrowing Access<LedgerError>, at ledgerPath: String,
        atEnd: (ArchivedSegment, RecordState) throws(LedgerError) -> Void = { _, _ in }
    ) throws(LedgerError) -> AuditProblem? {
        let index = Index(of: access)
        if let problem = try startAfterMissing(segments, index, in: access) { return problem }
        let early = try startWithState(besides: ledgerPath, tables, in: access)
        if let early { return early }
        if let problem = checkpointProblem(at: head) { return problem }
        for segment in segments where segment.first > max(ends.unknown, head.sequence) {
            if let problem = try problem(with: segment, besides: ledgerPath, index, in: access) {
                return problem
            }
            try atEnd(segment, state)
        }
        if let problem = try replay(upTo: .max, index, in: access) { return problem }
        try tables.complete(
            hasSignedPolicy: state.rules.policy != nil, knowsFreeze: state.rules.knowsFreeze)
        return try problemAtEnd(in: access)
    }

    /// Verifies and applies the ledger's entries up to one.
    private mutating func replay(
        upTo last: Int64, _ index: borrowing Index, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        while head.sequence < last {
            let countMax = Int(min(last - head.sequence, Int64(AuditEntry.batchCount)))
            let batch = try access.entries(after: head.sequence, countMax: countMax)
            if batch.isEmpty { break }
            for entry in batch {
                if let problem = try problem(with: entry, index, in: access) { return problem }
                pass(entry)
            }
        }
        return nil
    }

    /// Makes the tables that the entries up to one lead to, from the newest state before it.
    ///
    /// Checks the chain, but neither signatures nor rules. Nil if files are missing, or an entry is
    /// not the one that is named.
    mutating func state(
        after last: AuditHead, into tables: borrowing ReplayedTables,
        _ segments: [ArchivedSegment], in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> RecordState? {
        guard ends.unknown == 0 else { return nil }
        let ledgerPath = access.path
        let index = Index(of: access)
        var problem = try startWithState(besides: ledgerPath, tables, in: access)
        for segment in segments where problem == nil && segment.first > head.sequence {
            problem = try self.problem(with: segment, besides: ledgerPath, index, in: access)
        }
        if problem == nil { problem = try replay(upTo: last.sequence, index, in: access) }
        guard problem == nil, head.sequence == last.sequence, head.hash == last.hash else {
            return nil
        }
        return state
    }

    /// Takes over the state that stands for the first entries, if there is one.
    ///
    /// Of the entries before, the ledger must contain those that stay, and no others.
    private mutating func startWithState(
        besides ledgerPath: String, _ tables: borrowing ReplayedTables,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard let start else { return nil }
        state = try RecordState(
            after: start, besides: ledgerPath, into: tables, state.rules)
        checkpoints.removeAll { $0.sequence < start.last }
        for entry in state.kept {
            if let problem = try keptProblem(with: entry, in: access) { return problem }
        }
        return nil
    }

    /// Keeps the entries that stay in the ledger, and goes on behind one.
    private mutating func pass(_ entry: AuditEntry) {
        state.head = entry.head
        guard AuditKind.kept.contains(where: { $0.rawValue == entry.kind }) else { return }
        if entry.kind != AuditKind.repair.rawValue {
            state.kept.removeAll { $0.kind == entry.kind }
        }
        state.kept.append(entry)
    }

    /// Checks that the log key signed the ledger's list of segments and that each file matches its
    /// description; adds missing and altered files to `unverified`.
    private mutating func find(
        _ segments: [ArchivedSegment], besides ledgerPath: String
    ) -> AuditProblem? {
        for (place, segment) in segments.enumerated() {
            guard segment.number == Int64(place) + 1, segment.first == ends.last + 1,
                segment.last >= segment.first, segment.foldedSequence <= segment.last,
                isSigned(segment)
            else { return .unvouchedSegment(file: segment.fileName) }
            ends.last = segment.last
            ends.folded = segment.foldedSequence
            do throws(SegmentError) {
                try segment.check(besides: ledgerPath)
            } catch {
                ends.unknown = segment.last
                unverified.append(UnverifiedSegment(segment: segment, error: error))
            }
        }
        return nil
    }

    /// Sets the start of the verification behind the last segment whose file is missing or altered.
    ///
    /// Of the earlier entries, only those that the ledger still contains are verified.
    private mutating func startAfterMissing(
        _ segments: [ArchivedSegment], _ index: borrowing Index,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard let last = segments.last(where: { $0.last <= ends.unknown }) else { return nil }
        for entry in try access.keptEntries(upTo: last.last) {
            guard entry.isIntact, let content = entry.statedContent else {
                return .changed(sequence: entry.sequence)
            }
            keptCount += 1
            if let problem = try ruleProblem(with: entry, content, in: access) { return problem }
            switch content.entry {
            case .attest(let attest): try index.mark(attest.policyHash, at: entry.sequence)
            case .repair(let repair) where repair.part == RepairEntry.clock:
                try index.setFloor(to: entry.time)
            case .repair, .freeze: break
            default: return .unchained
            }
        }
        state.head = AuditHead(behind: last)
        checkpoints.removeAll { $0.sequence < last.last }
        return nil
    }

    private mutating func problem(
        with segment: ArchivedSegment, besides ledgerPath: String, _ index: borrowing Index,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        let lines = try SegmentLines(segment, besides: ledgerPath)
        while let line = try lines.next() {
            guard let content = try? EntryBody(line) else {
                return .changed(sequence: head.sequence + 1)
            }
            let entry = AuditEntry(archived: line, content, after: head)
            if let problem = try keptProblem(with: entry, in: access) { return problem }
            if let problem = try problem(with: entry, content, index, in: access) {
                return problem
            }
            pass(entry)
        }
        return head.sequence == segment.last && head.hash == segment.headHash
            ? nil : .rewritten(sequence: segment.last)
    }

    /// Compares an archived entry with the ledger's copy, if the entry is of a kind that stays in
    /// the ledger; returns a problem if the copy differs, or is missing although it is needed.
    private mutating func keptProblem(
        with entry: AuditEntry, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard AuditKind.kept.contains(where: { $0.rawValue == entry.kind }) else { return nil }
        let row = try access.entries(after: entry.sequence - 1, countMax: 1).first
        guard let row, row.sequence == entry.sequence else {
            if entry.kind == AuditKind.attest.rawValue { droppedPolicy = entry.sequence }
            return entry.kind == AuditKind.repair.rawValue
                ? .removed(sequence: entry.sequence) : nil
        }
        keptCount += 1
        return row == entry ? nil : .changed(sequence: entry.sequence)
    }

    private mutating func problem(
        with entry: AuditEntry, _ index: borrowing Index, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        if let problem = try chainProblem(with: entry, in: access) { return problem }
        guard let content = entry.statedContent else { return .changed(sequence: entry.sequence) }
        return try problem(with: entry, content, index, in: access)
    }

    /// Applies an entry whose place in the chain is right; returns a problem if it does not fit its
    /// checkpoint or breaks a rule.
    private mutating func problem(
        with entry: AuditEntry, _ content: EntryBody, _ index: borrowing Index,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        if let problem = checkpointProblem(at: entry.head) { return problem }
        if let problem = try ruleProblem(with: entry, content, in: access) { return problem }
        var change = content.entry
        var bytes = NamedBytes.none
        switch change {
        case .intent(var intent) where entry.sequence <= ends.last:
            state.openIntents[intent.id] = .init(intent: intent, body: entry.body)
            if entry.sequence <= ends.charged { intent.claims = [] }
            change = .intent(intent)
        case .result(let result):
            bytes.intent = state.openIntents.removeValue(forKey: result.id)?.intent
        case .ask(let ask):
            bytes = try access.keptText(of: ask.question, expires: ask.expires.seconds)
        default: break
        }
        do throws(LedgerError) {
            try index.apply(change, at: entry.head, bytes)
            if case .archive(let archive) = content.entry {
                try index.dropRows(of: archive.segment)
            }
        } catch {
            guard access.failedByConstraint else { throw error }
            return .repeated(sequence: entry.sequence)
        }
        return nil
    }

    private mutating func ruleProblem(
        with entry: AuditEntry, _ content: EntryBody, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        let problem = try state.rules.problem(with: entry, content, in: access)
        return logPublicKey == nil ? nil : problem
    }

    private func isSigned(_ segment: ArchivedSegment) -> Bool {
        guard let logPublicKey else { return true }
        return LogStatement.archive(segment: segment.message).isSigned(
            segment.signature, by: logPublicKey)
    }

    private func isSigned(_ checkpoint: AuditCheckpoint) -> Bool {
        logPublicKey.map { checkpoint.isSigned(by: $0) } ?? true
    }

    private func chainProblem(
        with entry: AuditEntry, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard entry.sequence == head.sequence + 1 else {
            return .removed(sequence: head.sequence + 1)
        }
        guard entry.isIntact else {
            // Tries all possible places. The number of rows limits them: the numbers in altered
            // rows do not.
            let places = try 0..<(head.sequence + access.entryCount())
            return places.contains { entry.fits(at: $0 + 1) }
                ? .reordered(sequence: entry.sequence) : .changed(sequence: entry.sequence)
        }
        // The entry itself is intact and names another predecessor: the previous entry was changed.
        return entry.previousHash == head.hash ? nil : .changed(sequence: max(1, head.sequence))
    }

    /// Checks all checkpoints for the entries up to `head`; returns the first problem.
    private mutating func checkpointProblem(at head: AuditHead) -> AuditProblem? {
        while let next = checkpoints.last, next.sequence <= head.sequence {
            guard next.sequence == head.sequence, isSigned(next) else {
                return .badCheckpoint(sequence: next.sequence)
            }
            guard next.headHash == head.hash else {
                return .rewritten(sequence: next.sequence)
            }
            coveredSequence = next.sequence
            checkpoints.removeLast()
        }
        return nil
    }

    private mutating func problemAtEnd(
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        if let next = checkpoints.last {
            return isSigned(next)
                ? .cutShort(last: head.sequence, checkpoint: next.sequence)
                : .badCheckpoint(sequence: next.sequence)
        }
        guard try access.keptEntries(upTo: ends.last).count == keptCount else {
            return .unchained
        }
        if let droppedPolicy, droppedPolicy == state.rules.policy?.entry.sequence {
            return .removed(sequence: droppedPolicy)
        }
        return nil
    }
}

extension AuditEntry {
    /// Makes the archived entry that follows `head`, from its line and the decoded line.
    init(archived line: [UInt8], _ content: EntryBody, after head: AuditHead) {
        sequence = head.sequence + 1
        time = content.time
        kind = content.entry.kind.rawValue
        body = String(decoding: line, as: UTF8.self)
        previousHash = head.hash
        hash = AuditChain.hash(after: head.hash, sequence: sequence, body: line)
    }
}
