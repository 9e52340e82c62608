// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

extension SQLiteLedger {
    /// The newest note with this subject and name; nil if there is none.
    package func noted(_ name: String, about subject: Note.Subject) throws(LedgerError) -> Note? {
        if let note = queue.noted(name, about: subject) { return note }
        return try query { access throws(LedgerError) in
            try access.noted(name, about: subject)
        }
    }

    /// Counts a question to a person; false, without counting the question, if the limit of
    /// `question` is reached.
    ///
    /// If the clock was set back, the time of the newest intent is used instead of `now`.
    package func count(
        _ question: QuestionTally, at now: Timestamp
    ) async throws(LedgerError) -> Bool {
        try await queue.write { access throws(LedgerError) in
            try access.count(question, at: now)
        }
    }

    /// The age in seconds at which counted questions are deleted; the longest period of any
    /// `QuestionTally` is shorter.
    fileprivate static let keptSeconds: Int64 = 86_400
}

extension Access<LedgerError> {
    /// The stored note with this subject and name; nil if there is none.
    func noted(
        _ name: String, about subject: Note.Subject
    ) throws(LedgerError) -> Note? {
        try first(
            "SELECT value, detail FROM notes WHERE subject = ? AND name = ?",
            .text(subject.text), .text(name)
        ) { row throws(LedgerError) in
            Note(subject, name, try row.integer(0), detail: try row.bytes(1))
        }
    }

    /// Counts a question to a person; false, without counting the question, if the limit of
    /// `question` is reached.
    func count(_ question: QuestionTally, at now: Timestamp) throws(LedgerError) -> Bool {
        let time = max(now, try timeFloor())
        try run(
            "DELETE FROM questions WHERE time <= ? OR time > ?",
            .integer(time.earlier(by: SQLiteLedger.keptSeconds)), .integer(time.seconds))
        let count = try first(
            "SELECT count(*) FROM questions WHERE about = ? AND time > ?",
            .bytes(question.about), .integer(time.earlier(by: question.seconds))
        ) { row throws(LedgerError) in try row.integer(0) }
        guard count ?? 0 < Int64(question.maximum) else { return false }
        try run(
            "INSERT INTO questions (about, time) VALUES (?, ?)", .bytes(question.about),
            .integer(time.seconds))
        return true
    }

    /// The notes of a settlement that differ from the stored ones; of several with the same subject
    /// and name the last.
    func changedNotes(of settlement: Settlement) throws(LedgerError) -> [Note] {
        guard case .done(_, _, let notes, _, _, _) = settlement else { return [] }
        var changed: [Note] = []
        for (place, note) in notes.enumerated() {
            let isReplaced = notes[(place + 1)...].contains {
                $0.subject == note.subject && $0.name == note.name
            }
            if !isReplaced, try noted(note.name, about: note.subject) != note {
                changed.append(note)
            }
        }
        return changed
    }
}

extension Timestamp {
    /// The second that lies this number of seconds earlier, or the earliest possible second.
    fileprivate func earlier(by seconds: Int64) -> Int64 {
        let (earlier, hasOverflown) = self.seconds.subtractingReportingOverflow(seconds)
        return hasOverflown ? .min : earlier
    }
}

extension Note.Subject {
    /// The subject as stored in its column.
    var text: String {
        switch self {
        case .client(let id, let proof): "client \(proof.rawValue) \(id)"
        case .key(let id): "key \(id.text)"
        }
    }
}
