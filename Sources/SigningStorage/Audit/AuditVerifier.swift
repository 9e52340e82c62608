// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

/// One walk along the audit chain.
struct AuditVerifier {
    private let logPublicKey: [UInt8]
    /// Those not yet reached, the next one last.
    private var checkpoints: [AuditCheckpoint]
    private var tally: AuditTally

    /// Whether an earlier record was given up.
    var isBegunAnew: Bool { tally.isBegunAnew }
    /// The last entry that was found to be right.
    private(set) var head = AuditHead.empty
    /// The last entry that a good checkpoint covers.
    private(set) var coveredSequence: Int64 = 0

    /// `vouchedSequence` is the last entry that the vault's own checkpoint covers.
    init(logPublicKey: [UInt8], checkpoints: [AuditCheckpoint], vouchedSequence: Int64) {
        self.logPublicKey = logPublicKey
        tally = AuditTally(logPublicKey: logPublicKey, vouchedSequence: vouchedSequence)
        self.checkpoints = checkpoints.sorted { $0.sequence > $1.sequence }
    }

    /// Walks the whole chain; nil where everything holds.
    mutating func firstProblem(
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        if let problem = checkpointProblem(at: head) { return problem }
        try tally.prepare(in: access)
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

    private mutating func problem(
        with entry: AuditEntry, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        if let problem = try chainProblem(with: entry, in: access) { return problem }
        guard entry.time >= tally.timeFloor || entry.says(.repair),
            let body = entry.parsedBody()
        else {
            return .changed(sequence: entry.sequence)
        }
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
            let isFromElsewhere = try (0..<access.entryCount()).contains { entry.fits(at: $0 + 1) }
            return isFromElsewhere
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

    private func problemAtEnd(
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> AuditProblem? {
        if let next = checkpoints.last {
            return next.isSigned(by: logPublicKey)
                ? .cutShort(last: head.sequence, checkpoint: next.sequence)
                : .badCheckpoint(sequence: next.sequence)
        }
        return try tally.problemAtEnd(head, in: access)
    }
}

extension AuditEntry {
    /// The body's members, if it is what was written beside it.
    fileprivate func parsedBody() -> JSON? {
        guard let body = try? JSON.parse(Array(body.utf8).span), body["kind"]?.text == kind,
            body["time"]?.integerValue == time.seconds
        else { return nil }
        return body
    }
}
