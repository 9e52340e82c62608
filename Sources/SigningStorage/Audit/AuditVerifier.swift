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
    private var rules: EntryRules
    private(set) var ends = ArchiveEnds()
    /// Archived intents without a result so far; the ledger does not contain their entries.
    private var openIntents: [[UInt8]: IntentEntry] = [:]
    /// The last archived entry that put a policy in force and that the ledger does not contain.
    private var droppedPolicy: Int64?
    /// The number of entries found so far that are archived and also still in the ledger.
    private var keptCount = 0

    /// True if an earlier record was lost and the owner started this one in its place.
    var isBegunAnew: Bool { rules.isBegunAnew }
    /// The number of archived intents without a result.
    var openCount: Int { openIntents.count }
    /// The last entry that was verified.
    private(set) var head = AuditHead.empty
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
        rules = EntryRules(logPublicKey: logPublicKey, vouchedSequence: vouchedSequence)
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
        let problem = try replay(segments, into: tables, in: access, at: ledgerPath)
        if let problem { return problem }
        if let difference = try tables.difference() { return .differs(difference) }
        return try access.blobDifference().map { .differs($0) }
    }

    /// Adds the segments in the order of their numbers, before anything else.
    ///
    /// Returns a problem if the log key did not sign them. `ledgerPath` is the path of the ledger;
    /// the segment files are in the same folder.
    mutating func begin(
        with segments: [ArchivedSegment], besides ledgerPath: String
    ) -> AuditProblem? {
        let problem = find(segments, besides: ledgerPath)
        rules = EntryRules(
            logPublicKey: logPublicKey, vouchedSequence: vouchedSequence, unknown: ends.unknown)
        return problem
    }

    /// Verifies all entries and makes the tables that they lead to.
    ///
    /// Returns the first problem of the entries; nil if everything present is valid.
    mutating func replay(
        _ segments: [ArchivedSegment], into tables: borrowing ReplayedTables,
        in access: borrowing Access<LedgerError>, at ledgerPath: String
    ) throws(LedgerError) -> AuditProblem? {
        let index = Index(of: access)
        if let problem = try startAfterMissing(segments, index, in: access) { return problem }
        if let problem = checkpointProblem(at: head) { return problem }
        for segment in segments where segment.first > ends.unknown {
            if let problem = try problem(with: segment, besides: ledgerPath, index, in: access) {
                return problem
            }
        }
        while true {
            let batch = try access.entries(
                after: head.sequence, countMax: AuditEntry.batchCount)
            if batch.isEmpty { break }
            for entry in batch {
                if let problem = try problem(with: entry, index, in: access) { return problem }
                head = entry.head
            }
        }
        try tables.complete(
            hasSignedPolicy: rules.policy != nil, knowsFreeze: rules.knowsFreeze)
        return try problemAtEnd(in: access)
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
        head = AuditHead(
            sequence: last.last, time: AuditHead.empty.time, hash: last.headHash)
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
            head = entry.head
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
            openIntents[intent.id] = intent
            if entry.sequence <= ends.charged { intent.claims = [] }
            change = .intent(intent)
        case .result(let result): bytes.intent = openIntents.removeValue(forKey: result.id)
        case .ask(let ask): bytes = try access.keptText(of: ask)
        default: break
        }
        do throws(LedgerError) {
            try index.apply(change, at: entry.head, bytes)
            switch content.entry {
            case .result(let result): try access.noteSettled(result.id, at: entry.sequence)
            case .archive(let archive):
                try index.dropRows(of: archive.segment)
                try access.dropSettled(upTo: archive.segment.last)
            default: break
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
        let problem = try rules.problem(with: entry, content, in: access)
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
        if let droppedPolicy, droppedPolicy == rules.policy?.entry.sequence {
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
