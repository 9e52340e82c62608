// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// Takes the entries of another hub: each one keeps the rules of the record, and leads here to the
/// same rows as there.
extension SharedCopy {
    /// Applies the content of a batch; returns the segment whose file is needed first, if any.
    ///
    /// `carried` are the texts with the rows of an older version that the batch has to name.
    borrowing func takeEntries(
        _ bytes: [UInt8], of batch: LogBatch, at sequence: Int64, carrying carried: [[UInt8]],
        _ file: SegmentFile?
    ) throws(LedgerError) -> NeededSegment? {
        guard let content = BatchContent(bytes) else { throw Self.mismatch(at: sequence) }
        let known = try access.auditHead()
        let answersOnly = try access.hub(batch.hub)?.answersOnly == true
        var rules = try EntryRules(continuing: access, isCarrying: !carried.isEmpty)
        let named = NamedBytes(named: content.named)
        var expected = carried
        var archives = false
        // A later time would end windows of limits too early.
        let latest = max(
            try access.timeFloor(), SystemEnvironment().now().adding(seconds: Self.aheadMax))
        try access.run("SAVEPOINT archive")
        let recorder = try recorder()
        for body in content.entries {
            guard let stated = try? EntryBody(body), stated.time.isPossible else {
                throw Self.mismatch(at: sequence)
            }
            let entry = AuditEntry(archived: body, stated, after: try access.auditHead())
            guard !answersOnly || stated.entry.isOfAnsweringHub else {
                throw Self.onlyAnswers(sequence)
            }
            if case .carry(let carry) = stated.entry, !carry.rows.isEmpty {
                guard carry.rows == expected else { throw Self.otherRows(sequence) }
                expected = []
            }
            if case .intent = stated.entry, entry.time > latest {
                throw .unavailable(
                    "batch \(sequence) of the shared log has a time in the future: the clock of "
                        + "hub \(batch.hub) is ahead, or that of this machine is behind")
            }
            guard try maySettle(stated.entry, batch.hub, after: known) else {
                throw Self.settlesOther(sequence)
            }
            // The rows of one archive are deleted when the batch is taken.
            guard !archives else { throw Self.mismatch(at: sequence) }
            if case .archive = stated.entry { archives = true }
            try take(entry, stated, named, &rules, at: sequence)
        }
        guard try access.hasNamedBytes(of: content.entries) else {
            throw .corruptLog(
                "batch \(sequence) of the shared log lacks bytes that its entries name")
        }
        guard expected.isEmpty else { throw Self.otherRows(sequence) }
        if try access.writer(of: access.auditHead().sequence) != batch.hub {
            try access.noteWriter(batch.hub, from: known.sequence + 1)
        }
        try access.dropCarriedText()
        let grown = batch.version < Schema.stateVersion ? "segments" : nil
        guard try Self.digest(of: recorder, grown: grown).digest == content.digest else {
            throw Self.leadsToOtherRows(batch, sequence)
        }
        if archives { return try takeArchive(at: sequence, file) }
        try access.run("RELEASE archive")
        return nil
    }

    /// Whether a hub may settle the request of a result: its own, one from before the log was
    /// founded, or one of a hub that is not in use; true for other entries.
    private borrowing func maySettle(
        _ entry: Entry, _ hubNumber: Int32, after known: AuditHead
    ) throws(LedgerError) -> Bool {
        // The batch itself has no writer yet.
        guard case .result(let result) = entry, let open = try access.openIntent(result.id),
            open.sequence <= known.sequence, let writer = try access.writer(of: open.sequence),
            writer != hubNumber, try access.hub(writer)?.isInUse == true
        else { return true }
        return try !access.exists(
            "SELECT 1 FROM writers WHERE hub = ? AND first_sequence <= ?",
            .integer(Int64(identity.founder.number)), .integer(open.sequence))
    }

    private borrowing func take(
        _ entry: AuditEntry, _ stated: EntryBody, _ named: NamedBytes, _ rules: inout EntryRules,
        at sequence: Int64
    ) throws(LedgerError) {
        if case .answer(let answer) = stated.entry, try !access.counts(answer) {
            throw .corruptLog(
                "batch \(sequence) of the shared log contains an answer that is not valid")
        }
        if let problem = try rules.problem(with: entry, stated, in: access) {
            throw .corruptLog("batch \(sequence) of the shared log: \(problem.text)")
        }
        try access.insert(entry)
        for digest in stated.entry.textDigests {
            if let text = named.value(digest) { _ = try access.keep(blob: text) }
        }
        do throws(LedgerError) {
            try Index(of: access).apply(stated.entry, at: entry.head, named)
        } catch {
            guard access.failedByConstraint else { throw error }
            let problem = AuditProblem.repeated(sequence: entry.sequence)
            throw .corruptLog("batch \(sequence) of the shared log: \(problem.text)")
        }
    }

    /// The number of seconds that the clock of another hub may be ahead of this machine's.
    private static var aheadMax: Int64 { 60 }

    private static func leadsToOtherRows(_ batch: LogBatch, _ sequence: Int64) -> LedgerError {
        .corruptLog(
            "batch \(sequence) of the shared log leads to other rows here than at hub "
                + "\(batch.hub): one of the two runs an older version, or its copy was changed "
                + "(`countersign audit verify` shows which)")
    }

    private static func settlesOther(_ sequence: Int64) -> LedgerError {
        .corruptLog("batch \(sequence) of the shared log settles a request of another hub")
    }

    /// The digest of changes; `grown` is a table with a column that the format of the batch lacks.
    static func digest(
        of recorder: ChangeRecorder, grown: String? = nil
    ) throws(LedgerError) -> RowChanges {
        do throws(SQLiteError) { return try recorder.rowChanges(grown: grown) } catch {
            throw LedgerError(error)
        }
    }
}

extension Entry {
    /// Whether a hub that only answers questions may write the entry.
    var isOfAnsweringHub: Bool {
        switch self {
        case .answer: true
        case .carry(let carry): carry.policies.isEmpty
        default: false
        }
    }

    /// The SHA-256 of texts of policies that the entry names.
    fileprivate var textDigests: [[UInt8]] {
        switch self {
        case .attest(let attest): attest.textDigest.map { [$0] } ?? []
        case .carry(let carry): carry.policies.map(\.digest)
        default: []
        }
    }
}

extension Access<LedgerError> {
    /// Whether the tables have bytes for the notes and items whose bytes entries name last.
    fileprivate func hasNamedBytes(of bodies: [[UInt8]]) throws(LedgerError) -> Bool {
        var notes: [[String]: [UInt8]] = [:]
        var items: [String: [UInt8]] = [:]
        for body in bodies {
            guard case .result(let result)? = (try? EntryBody(body))?.entry,
                case .done(let done) = result.outcome
            else { continue }
            for note in done.notes { notes[[note.subject, note.name]] = note.digest }
            guard let broadcast = done.broadcast else { continue }
            for (id, item) in zip(broadcast.items, broadcast.signed) { items[id] = item.digest }
        }
        let empty = Digest.sha256([UInt8]().span)
        for (note, digest) in notes where digest != empty {
            let isLost = try exists(
                "SELECT 1 FROM notes WHERE subject = ? AND name = ? AND detail = x''",
                .text(note[0]), .text(note[1]))
            guard !isLost else { return false }
        }
        for (id, digest) in items where digest != empty {
            let isLost = try exists("SELECT 1 FROM outbox WHERE id = ? AND bytes = x''", .text(id))
            guard !isLost else { return false }
        }
        return true
    }

    /// Whether an answer is to an open question and valid; the hub that asks checks whether it came
    /// in time.
    fileprivate func counts(_ stated: AnswerEntry) throws(LedgerError) -> Bool {
        guard let question = try openJointQuestion(stated.question)?.question else { return false }
        let check = try jointCheck(question, at: question.binding.expires)
        return question.refusal(of: stated.answer, by: check) == nil
    }
}
