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
        try access.run("SAVEPOINT archive")
        let recorder = try recorder()
        for body in content.entries {
            guard let stated = try? EntryBody(body), stated.time.isPossible else {
                throw Self.mismatch(at: sequence)
            }
            let entry = AuditEntry(archived: body, stated, after: try access.auditHead())
            guard !answersOnly || [.answer, .carry].contains(stated.entry.kind) else {
                throw Self.onlyAnswers(sequence)
            }
            if case .carry(let carry) = stated.entry, !carry.rows.isEmpty {
                guard carry.rows == expected else { throw Self.otherRows(sequence) }
                expected = []
            }
            if case .archive = stated.entry { archives = true }
            try take(entry, stated, named, &rules, at: sequence)
        }
        guard expected.isEmpty else { throw Self.otherRows(sequence) }
        if try access.writer(of: access.auditHead().sequence) != batch.hub {
            try access.noteWriter(batch.hub, from: known.sequence + 1)
        }
        try access.dropCarriedText()
        guard try Self.digest(of: recorder) == content.digest else {
            throw .corruptLog(
                "batch \(sequence) of the shared log leads to other rows here than at hub "
                    + "\(batch.hub): one of the two runs an older version, or its copy was changed "
                    + "(`countersign audit verify` shows which)")
        }
        if archives { return try takeArchive(at: sequence, file) }
        try access.run("RELEASE archive")
        return nil
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

    static func digest(of recorder: ChangeRecorder) throws(LedgerError) -> [UInt8] {
        do throws(SQLiteError) { return try recorder.digest() } catch { throw LedgerError(error) }
    }
}

extension Entry {
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
    /// Whether an answer is to an open question and valid; the hub that asks checks whether it came
    /// in time.
    fileprivate func counts(_ stated: AnswerEntry) throws(LedgerError) -> Bool {
        guard let question = try openJointQuestion(stated.question)?.question else { return false }
        let check = try jointCheck(question, at: question.binding.expires)
        return question.refusal(of: stated.answer, by: check) == nil
    }
}
