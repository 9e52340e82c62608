// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

/// One walk along the audit chain: the segments that were archived, then the ledger.
struct AuditVerifier {
    private let logPublicKey: [UInt8]
    private let vouchedSequence: Int64
    /// Those not yet reached, the next one last.
    private var checkpoints: [AuditCheckpoint]
    private var tally: AuditTally
    private var ends = ArchiveEnds()
    /// How many archived entries the ledger has kept as well.
    private var keptCount = 0

    /// Whether an earlier record was given up.
    var isBegunAnew: Bool { tally.isBegunAnew }
    /// How many archived intents have no result.
    var openCount: Int { tally.openCount }
    /// The last entry that was found to be right.
    private(set) var head = AuditHead.empty
    /// The last entry that a good checkpoint covers.
    private(set) var coveredSequence: Int64 = 0
    /// What was archived and is not there as it was written.
    private(set) var unverified: [UnverifiedSegment] = []

    /// `vouchedSequence` is the last entry that the vault's own checkpoint covers.
    init(logPublicKey: [UInt8], checkpoints: [AuditCheckpoint], vouchedSequence: Int64) {
        self.logPublicKey = logPublicKey
        self.vouchedSequence = vouchedSequence
        tally = AuditTally(
            logPublicKey: logPublicKey, vouchedSequence: vouchedSequence, ArchiveEnds())
        self.checkpoints = checkpoints.sorted { $0.sequence > $1.sequence }
    }

    /// Walks the whole chain; nil where everything holds that is there.
    ///
    /// `ledgerPath` is the file beside which the segments are.
    mutating func firstProblem(
        in access: borrowing Access<LedgerError>, at ledgerPath: String
    ) throws(LedgerError) -> AuditProblem? {
        let segments = try access.segments()
        if let problem = find(segments, besides: ledgerPath) { return problem }
        tally = AuditTally(logPublicKey: logPublicKey, vouchedSequence: vouchedSequence, ends)
        try tally.prepare(in: access)
        if let problem = try beginBehindUnknown(segments, in: access) { return problem }
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

    /// Holds what the ledger says of segments against their signatures and their files.
    private mutating func find(
        _ segments: [ArchivedSegment], besides ledgerPath: String
    ) -> AuditProblem? {
        for (place, segment) in segments.enumerated() {
            guard segment.number == Int64(place) + 1, segment.first == ends.last + 1,
                segment.last >= segment.first, segment.foldedSequence <= segment.last,
                LogStatement.archive(segment).isSigned(segment.signature, by: logPublicKey)
            else { return .unvouchedSegment(file: segment.fileName) }
            ends.last = segment.last
            ends.folded = segment.foldedSequence
            do throws(SegmentError) {
                try segment.check(besides: ledgerPath)
            } catch {
                ends.unknown = segment.last
                unverified.append(UnverifiedSegment(segment: segment, fault: error))
            }
        }
        return nil
    }

    /// Where a segment is not there, begins behind it, with what the ledger has kept of it.
    private mutating func beginBehindUnknown(
        _ segments: [ArchivedSegment], in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard let last = segments.last(where: { $0.last <= ends.unknown }) else { return nil }
        for entry in try access.keptEntries(upTo: last.last) {
            guard entry.isIntact, let body = entry.parsedBody() else {
                return .changed(sequence: entry.sequence)
            }
            keptCount += 1
            if let problem = try tally.problem(with: entry, body, in: access) { return problem }
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
            guard let body = try? JSON.parse(line.span),
                let entry = AuditEntry(archived: line, body, after: head)
            else { return .changed(sequence: head.sequence + 1) }
            if let problem = try keptProblem(with: entry, in: access) { return problem }
            if let problem = try problem(with: entry, body, in: access) { return problem }
            head = entry.head
        }
        return head.sequence == segment.last && head.hash == segment.headHash
            ? nil : .rewritten(sequence: segment.last)
    }

    /// What the ledger keeps of archived entries is what they are.
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
        guard let body = entry.parsedBody() else { return .changed(sequence: entry.sequence) }
        return try problem(with: entry, body, in: access)
    }

    /// What is wrong with an entry that follows the one before.
    private mutating func problem(
        with entry: AuditEntry, _ body: JSON, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard entry.time >= tally.timeFloor || body["kind"]?.text == AuditKind.repair.rawValue
        else { return .changed(sequence: entry.sequence) }
        if let problem = checkpointProblem(at: entry.head) { return problem }
        return try tally.problem(with: entry, body, in: access)
    }

    private func chainProblem(
        with entry: AuditEntry, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        guard entry.sequence == head.sequence + 1 else {
            return .removed(sequence: head.sequence + 1)
        }
        guard entry.isIntact else {
            // What the rows say of their places may be anything, how many they are may not.
            let places = try 0..<(head.sequence + access.entryCount())
            return places.contains { entry.fits(at: $0 + 1) }
                ? .reordered(sequence: entry.sequence) : .changed(sequence: entry.sequence)
        }
        // This entry names another predecessor, so the one found there is not the one written.
        return entry.previousHash == head.hash ? nil : .changed(sequence: max(1, head.sequence))
    }

    /// Checks the checkpoints that were made while the chain ended here.
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
    /// An archived entry, which stands behind another one.
    init?(archived line: [UInt8], _ body: JSON, after head: AuditHead) {
        guard let kind = body["kind"]?.text, let time = body["time"]?.integerValue else {
            return nil
        }
        sequence = head.sequence + 1
        self.time = Timestamp(seconds: time)
        self.kind = kind
        self.body = String(decoding: line, as: UTF8.self)
        previousHash = head.hash
        hash = AuditChain.hash(after: head.hash, sequence: sequence, body: line)
    }

    /// Whether the columns beside the text say what it says.
    var saysItsColumns: Bool { parsedBody() != nil }

    /// The body's members, if it is what was written beside it.
    fileprivate func parsedBody() -> JSON? {
        guard let body = try? JSON.parse(Array(body.utf8).span), body["kind"]?.text == kind,
            body["time"]?.integerValue == time.seconds
        else { return nil }
        return body
    }
}
