// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// Notes, drawn numbers, and questions to several people.
extension Index {
    func keep(_ note: NoteEntry, _ bytes: NamedBytes) throws(LedgerError) {
        try access.run(
            "INSERT OR REPLACE INTO notes (subject, name, value, detail) VALUES (?, ?, ?, ?)",
            .text(note.subject), .text(note.name), .integer(note.value), bytes.bytes(note.digest))
    }

    func apply(_ draw: DrawEntry) throws(LedgerError) {
        try access.run(
            "INSERT OR REPLACE INTO serials (series, last) VALUES (?, ?)", .text(draw.series),
            .integer(draw.last))
    }

    /// Stores a question, and deletes those whose time ended long ago.
    func apply(
        _ ask: AskEntry, at head: AuditHead, _ bytes: NamedBytes
    ) throws(LedgerError) {
        let ended = SQLiteValue.integer(head.time.seconds - SQLiteLedger.endedQuestionSeconds)
        let old = "SELECT digest FROM joint_questions WHERE intent_id IS NULL AND expires < ?"
        try access.run("DELETE FROM joint_answers WHERE digest IN (\(old))", ended)
        try access.run("DELETE FROM joint_questions WHERE digest IN (\(old))", ended)
        try access.run(
            "INSERT INTO joint_questions (digest, body, expires) VALUES (?, ?, ?)",
            .bytes(ask.question), bytes.text(ask.question), .integer(ask.expires.seconds))
    }

    func apply(_ stated: AnswerEntry) throws(LedgerError) {
        let answer = stated.answer
        try access.run(
            """
            INSERT INTO joint_answers (digest, public_key, yes, signature) VALUES (?, ?, ?, ?)
            """, .bytes(stated.question), .bytes(answer.publicKey),
            .integer(answer.isYes ? 1 : 0), .bytes(answer.signature))
    }

    /// Deletes a question that nothing has used, and its answers.
    func withdraw(_ digest: [UInt8]) throws(LedgerError) {
        try access.run("DELETE FROM joint_answers WHERE digest = ?", .bytes(digest))
        try access.run("DELETE FROM joint_questions WHERE digest = ?", .bytes(digest))
    }

    /// Marks the question of an approval as used; the column for the intent's id, as older versions
    /// stored it, gets the hash of the entry.
    func use(_ approval: ApprovalEntry?, at head: AuditHead) throws(LedgerError) {
        guard let approval else { return }
        try access.run(
            "UPDATE joint_questions SET intent_id = ? WHERE digest = ?", .bytes(head.hash),
            .bytes(approval.question))
    }
}
