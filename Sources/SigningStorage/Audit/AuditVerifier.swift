// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
internal import SigningVault

/// Verifies the audit chain in one pass: first the archived segments, then the ledger's entries.
struct AuditVerifier {
    private let logPublicKey: [UInt8]
    private let vouchedSequence: Int64
    /// The checkpoints of later entries, in reverse order: the next one is the last element.
    private var checkpoints: [AuditCheckpoint]
    private var tally: AuditTally
    private var ends = ArchiveEnds()
    /// The number of entries found so far that are archived and also still in the ledger.
    private var keptCount = 0

    /// True if an earlier record was lost and the owner started this one in its place.
    var isBegunAnew: Bool { tally.isBegunAnew }
    /// The number of archived intents without a result.
    var openCount: Int { tally.openCount }
    /// The last entry that was verified.
    private(set) var head = AuditHead.empty
    /// The number of the last entry that a valid checkpoint covers; 0 if there is none yet.
    private(set) var coveredSequence: Int64 = 0
    /// The segments whose files are missing or altered.
    private(set) var unverified: [UnverifiedSegment] = []

    /// Creates a verifier; `vouchedSequence` is the last entry that the vault's checkpoint covers.
    init(logPublicKey: [UInt8], checkpoints: [AuditCheckpoint], vouchedSequence: Int64) {
        self.logPublicKey = logPublicKey
        self.vouchedSequence = vouchedSequence
        tally = AuditTally(
            logPublicKey: logPublicKey, vouchedSequence: vouchedSequence, ArchiveEnds())
        self.checkpoints = checkpoints.sorted { $0.sequence > $1.sequence }
    }

    /// The first problem of a ledger by what the vault knows; nil if everything present is valid.
    static func problem(
        by trust: RecordTrust, in access: borrowing Access<LedgerError>, at ledgerPath: String
    ) throws(LedgerError) -> AuditProblem? {
        guard let last = trust.lastCheckpoint else { return .lostCheckpoint }
        var verifier = AuditVerifier(
            logPublicKey: trust.logPublicKey, checkpoints: try access.checkpoints() + [last],
            vouchedSequence: last.sequence)
        let problem = try verifier.firstProblem(in: access, at: ledgerPath)
        // Entries whose file is missing were not applied.
        return problem ?? verifier.unverified.first.map { .removed(sequence: $0.segment.first) }
    }

    /// Verifies the whole chain and returns the first problem; nil if everything present is valid.
    ///
    /// `ledgerPath` is the path of the ledger; the segment files are in the same folder.
    mutating func firstProblem(
        in access: borrowing Access<LedgerError>, at ledgerPath: String
    ) throws(LedgerError) -> AuditProblem? {
        let segments = try access.segments()
        if let problem = find(segments, besides: ledgerPath) { return problem }
        tally = AuditTally(logPublicKey: logPublicKey, vouchedSequence: vouchedSequence, ends)
        try tally.prepare(in: access)
        if let problem = try startAfterMissing(segments, in: access) { return problem }
        if let problem = checkpointProblem(at: head) { return problem }
        for segment in segments where segment.first > ends.unknown {
            if let problem = try problem(with: segment, besides: ledgerPath, in: access) {
                return problem
            }
        }
        while true {
            let batch = try access.entries(
                after: head.sequence, countMax: AuditEntry.batchCount)
            if batch.isEmpty { return try problemAtEnd(in: access) }
            for entry in batch {
                if let problem = try problem(with: entry, in: access) { return problem }
                head = entry.head
            }
        }
    }

    /// Checks that the log key signed the ledger's list of segments and that each file matches its
    /// description; adds missing and altered files to `unverified`.
    private mutating func find(
        _ segments: [ArchivedSegment], besides ledgerPath: String
    ) -> AuditProblem? {
        for (place, segment) in segments.enumerated() {
            guard segment.number == Int64(place) + 1, segment.first == ends.last + 1,
                segment.last >= segment.first, segment.foldedSequence <= segment.last,
                LogStatement.archive(segment: segment.message).isSigned(
                    segment.signature, by: logPublicKey)
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
        _ segments: [ArchivedSegment], in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard let last = segments.last(where: { $0.last <= ends.unknown }) else { return nil }
        for entry in try access.keptEntries(upTo: last.last) {
            guard entry.isIntact, let content = entry.statedContent else {
                return .changed(sequence: entry.sequence)
            }
            keptCount += 1
            if let problem = try tally.problem(with: entry, content, in: access) { return problem }
        }
        head = AuditHead(
            sequence: last.last, time: AuditHead.empty.time, hash: last.headHash)
        checkpoints.removeAll { $0.sequence < last.last }
        return nil
    }

    private mutating func problem(
        with segment: ArchivedSegment, besides ledgerPath: String,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        let lines = try SegmentLines(segment, besides: ledgerPath)
        while let line = try lines.next() {
            guard let content = try? EntryBody(line) else {
                return .changed(sequence: head.sequence + 1)
            }
            let entry = AuditEntry(archived: line, content, after: head)
            if let problem = try keptProblem(with: entry, in: access) { return problem }
            if let problem = try problem(with: entry, content, in: access) { return problem }
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
            let mark = try access.policyMark()?.sequence
            return mark == entry.sequence || entry.kind == AuditKind.repair.rawValue
                ? .removed(sequence: entry.sequence) : nil
        }
        keptCount += 1
        return row == entry ? nil : .changed(sequence: entry.sequence)
    }

    private mutating func problem(
        with entry: AuditEntry, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        if let problem = try chainProblem(with: entry, in: access) { return problem }
        guard let content = entry.statedContent else { return .changed(sequence: entry.sequence) }
        return try problem(with: entry, content, in: access)
    }

    /// The problem with an entry whose place in the chain is right: with its time, its checkpoint
    /// or its effects on other tables.
    private mutating func problem(
        with entry: AuditEntry, _ content: EntryBody, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard entry.time >= tally.timeFloor || content.entry.kind == .repair
        else { return .changed(sequence: entry.sequence) }
        if let problem = checkpointProblem(at: entry.head) { return problem }
        return try tally.problem(with: entry, content, in: access)
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
            guard next.sequence == head.sequence, next.isSigned(by: logPublicKey) else {
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
            return next.isSigned(by: logPublicKey)
                ? .cutShort(last: head.sequence, checkpoint: next.sequence)
                : .badCheckpoint(sequence: next.sequence)
        }
        guard try access.keptEntries(upTo: ends.last).count == keptCount else {
            return .unrecorded(table: "audit")
        }
        return try tally.problemAtEnd(head, in: access)
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
