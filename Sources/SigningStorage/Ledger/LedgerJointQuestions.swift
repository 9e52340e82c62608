// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto

/// A question to several approvers, as stored in the ledger.
package struct WaitingJointQuestion: Hashable, Sendable {
    package let digest: [UInt8]
    package let question: JointQuestion
    package let answers: [JointAnswer]

    /// The state of the question by the answers on record.
    ///
    /// A recorded denial counts even if its approver's key was retired later.
    package func state(by check: JointCheck) -> JointState {
        let denialCheck = JointCheck(
            question, retired: [], acceptsOlder: true, at: question.binding.expires)
        let denials = question.state(of: answers.filter { !$0.isYes }, by: denialCheck)
        if case .refused = denials { return denials }
        return question.state(of: answers, by: check)
    }
}

extension SQLiteLedger {
    /// The most questions to several approvers that wait at one time, for all hubs of the ledger.
    package static let jointQuestionsMax = 64
    /// The fewest places for the questions of one hub, independent of the number of hubs.
    package static let jointQuestionsOfHubMin = 4

    /// Stores a question for its approvers; false if too many wait, in total or for this hub.
    package func put(
        _ question: JointQuestion, at now: Timestamp
    ) async throws(LedgerError) -> Bool {
        try await queue.write { access throws(LedgerError) in
            try access.put(question, at: now)
        }
    }

    /// Deletes an undecided question and its answers.
    package func withdraw(_ digest: [UInt8]) async throws(LedgerError) {
        try await queue.write { access throws(LedgerError) in
            let isOpen = try access.exists(
                "SELECT 1 FROM joint_questions WHERE digest = ? AND intent_id IS NULL",
                .bytes(digest))
            if isOpen { try access.forget(digest) }
        }
    }

    /// The waiting questions in the order in which they end; skips rows that no hub can have
    /// written.
    package func jointQuestions(at now: Timestamp) throws(LedgerError) -> [WaitingJointQuestion] {
        try read { access throws(LedgerError) in
            let rows = try access.jointRows(
                "WHERE \(Access.waitingCondition) ORDER BY expires, digest", .integer(now.seconds))
            var found: [WaitingJointQuestion] = []
            for row in rows where row.isPossible(at: now) {
                guard let question = row.question else { continue }
                found.append(
                    WaitingJointQuestion(
                        digest: row.digest, question: question,
                        answers: try access.jointAnswers(row.digest)))
            }
            return found
        }
    }

    /// A question, waiting or not; nil if no hub can have written it.
    package func jointQuestion(_ digest: [UInt8]) throws(LedgerError) -> WaitingJointQuestion? {
        try read { access throws(LedgerError) in
            try access.keptJointQuestion(digest)
        }
    }

    /// The number of unused questions that are skipped because no hub can have written them.
    package func impossibleQuestions(at now: Timestamp) throws(LedgerError) -> Int {
        try read { access throws(LedgerError) in try access.impossibleQuestions(at: now).count }
    }

    /// Stores an approver's answer; returns the reason if the answer does not count.
    package func answer(
        _ digest: [UInt8], _ answer: JointAnswer, at now: Timestamp
    ) async throws(LedgerError) -> JointAnswerError? {
        try await queue.write { access throws(LedgerError) in
            try access.answer(digest, answer, at: now)
        }
    }

    /// The retired approver keys.
    package func retiredApprovers() throws(LedgerError) -> Set<[UInt8]> {
        try query { access throws(LedgerError) in try access.retiredApprovers() }
    }

    /// Retires an approver's key for all readers of this ledger; does nothing if it is retired
    /// already.
    package func retireApprover(
        _ publicKey: [UInt8], at now: Timestamp
    ) async throws(LedgerError) {
        try await queue.write { access throws(LedgerError) in
            guard try !access.retiredApprovers().contains(publicKey) else { return }
            let entry = try access.append(AuditRecord(retiring: publicKey, at: now))
            try access.run(
                "INSERT INTO retired_approvers (public_key, time) VALUES (?, ?)",
                .bytes(publicKey), .integer(entry.time.seconds))
        }
    }
}

extension JointCheck {
    /// Creates a check of the answers to a question: signatures, retired keys, and keys held by
    /// signing hubs.
    ///
    /// Statements in the form of older programs only count in existing records.
    package init(
        _ question: JointQuestion, retired: Set<[UInt8]>, own: Set<[UInt8]> = [],
        acceptsOlder: Bool = false, at now: Timestamp
    ) {
        self.init(
            digest: Digest.sha256(question.bytes.span), retired: retired, own: own,
            acceptsOlder: acceptsOlder, now: now
        ) { signature, message, publicKey in
            Signatures.isValidEd25519(
                signature: signature.span, message: message.span, publicKey: publicKey.span)
        }
    }
}

/// The row of a question, which another hub may have written.
private struct JointRow {
    let digest: [UInt8]
    /// The question; nil if no hub can have written it, or the row does not match its digest.
    let question: JointQuestion?

    init(digest: [UInt8], body: String, expires: Int64) {
        self.digest = digest
        let read = JointRecord.question(Array(body.utf8))
        let isThis =
            read.map { question in
                question.binding.expires.seconds == expires
                    && Digest.sha256(question.bytes.span) == digest
            } ?? false
        question = isThis ? read : nil
    }

    /// Whether a hub can have written it; with a time, also checks the question's end.
    func isPossible(at now: Timestamp?) -> Bool {
        guard let question else { return false }
        return now.map { question.endsInTime(after: $0) } ?? true
    }
}

extension Access<LedgerError> {
    /// The time for which an undecided question is kept, in seconds.
    private static var keptSeconds: Int64 { 86_400 }
    /// The condition for questions that are neither used nor over.
    ///
    /// A denial ends a question, even if its client has disconnected.
    fileprivate static var waitingCondition: String {
        """
        intent_id IS NULL AND expires >= ?1 AND NOT EXISTS (
            SELECT 1 FROM joint_answers a WHERE a.digest = joint_questions.digest AND NOT a.yes)
        """
    }

    fileprivate func put(
        _ question: JointQuestion, at now: Timestamp
    ) throws(LedgerError) -> Bool {
        let old = try all(
            "SELECT digest FROM joint_questions WHERE intent_id IS NULL AND expires < ?",
            .integer(now.seconds - Self.keptSeconds)
        ) { row throws(LedgerError) in try row.bytes(0) }
        for digest in old { try forget(digest) }
        // Questions that cannot be answered must not take the places of others.
        try forgetImpossibleQuestions(at: now)
        let count = try first(
            "SELECT count(*) FROM joint_questions WHERE \(Self.waitingCondition)",
            .integer(now.seconds)
        ) { row throws(LedgerError) in try row.integer(0) }
        guard count ?? 0 < Int64(SQLiteLedger.jointQuestionsMax) else { return false }
        let digest = Digest.sha256(question.bytes.span)
        guard try takePlace(for: digest, at: now) else { return false }
        try run(
            "INSERT INTO joint_questions (digest, body, expires) VALUES (?, ?, ?)",
            .bytes(digest), .text(JointRecord.body(question)),
            .integer(question.binding.expires.seconds))
        return true
    }

    /// Takes one of this hub's places for a question; false if its share is used up, which leaves
    /// places for other hubs.
    private func takePlace(for digest: [UInt8], at now: Timestamp) throws(LedgerError) -> Bool {
        let hubs = try hubs().count(where: \.isInUse)
        let share = max(
            SQLiteLedger.jointQuestionsOfHubMin, SQLiteLedger.jointQuestionsMax / max(1, hubs))
        let known = try local(.asked) ?? []
        var open: [UInt8] = []
        for start in stride(from: 0, to: known.count - digest.count + 1, by: digest.count) {
            let one = Array(known[start..<start + digest.count])
            let waits = try exists(
                "SELECT 1 FROM joint_questions WHERE digest = ?2 AND \(Self.waitingCondition)",
                .integer(now.seconds), .bytes(one))
            if waits { open += one }
        }
        guard open.count < share * digest.count else { return false }
        try set(.asked, to: open + digest)
        return true
    }

    /// Deletes the unused questions that no hub can have written.
    func forgetImpossibleQuestions(at now: Timestamp) throws(LedgerError) {
        for digest in try impossibleQuestions(at: now) { try forget(digest) }
    }

    /// The digests of unused questions that no hub can have written; without a time, of those that
    /// are impossible at any time.
    func impossibleQuestions(at now: Timestamp? = nil) throws(LedgerError) -> [[UInt8]] {
        try jointRows("WHERE intent_id IS NULL").filter { !$0.isPossible(at: now) }.map(\.digest)
    }

    fileprivate func forget(_ digest: [UInt8]) throws(LedgerError) {
        try run("DELETE FROM joint_answers WHERE digest = ?", .bytes(digest))
        try run("DELETE FROM joint_questions WHERE digest = ?", .bytes(digest))
    }

    /// The rows of questions, not yet validated.
    fileprivate func jointRows(
        _ condition: String, _ values: SQLiteValue...
    ) throws(LedgerError) -> [JointRow] {
        try rows(
            "SELECT digest, body, expires FROM joint_questions \(condition)", values,
            countMax: .max
        ) { row throws(LedgerError) in
            JointRow(
                digest: try row.bytes(0), body: try row.text(1), expires: try row.integer(2))
        }
    }

    /// The first question that a condition selects, with its answers.
    fileprivate func jointQuestion(
        _ condition: String, _ value: SQLiteValue
    ) throws(LedgerError) -> WaitingJointQuestion? {
        guard let row = try jointRows(condition, value).first, let question = row.question else {
            return nil
        }
        return WaitingJointQuestion(
            digest: row.digest, question: question, answers: try jointAnswers(row.digest))
    }

    fileprivate func jointAnswers(_ digest: [UInt8]) throws(LedgerError) -> [JointAnswer] {
        try all(
            """
            SELECT public_key, yes, signature FROM joint_answers WHERE digest = ?
            AND length(public_key) = ? AND length(signature) = ?
            """, .bytes(digest), .integer(Int64(JointLimits.keyCount)),
            .integer(Int64(JointLimits.signatureCount))
        ) { row throws(LedgerError) in
            JointAnswer(
                publicKey: try row.bytes(0), isYes: try row.integer(1) != 0,
                signature: try row.bytes(2))
        }
    }

    fileprivate func answer(
        _ digest: [UInt8], _ answer: JointAnswer, at now: Timestamp
    ) throws(LedgerError) -> JointAnswerError? {
        guard let waiting = try openJointQuestion(digest), waiting.question.endsInTime(after: now)
        else { return .unknown }
        guard !waiting.answers.contains(where: { $0.publicKey == answer.publicKey }) else {
            return .repeated
        }
        guard waiting.answers.allSatisfy(\.isYes) else { return .unknown }
        let check = try jointCheck(waiting.question, at: now)
        if let refusal = waiting.question.refusal(of: answer, by: check) { return refusal }
        try run(
            """
            INSERT INTO joint_answers (digest, public_key, yes, signature) VALUES (?, ?, ?, ?)
            """, .bytes(digest), .bytes(answer.publicKey), .integer(answer.isYes ? 1 : 0),
            .bytes(answer.signature))
        return nil
    }

    /// The check of a question's answers by the current record.
    func jointCheck(
        _ question: JointQuestion, at now: Timestamp
    ) throws(LedgerError) -> JointCheck {
        JointCheck(
            question, retired: try retiredApprovers(), own: try ownApprovers(), at: now)
    }

    func retiredApprovers() throws(LedgerError) -> Set<[UInt8]> {
        Set(
            try all("SELECT public_key FROM retired_approvers") { row throws(LedgerError) in
                try row.bytes(0)
            })
    }

    /// A question with its answers, in any state; nil if it is not stored.
    func keptJointQuestion(_ digest: [UInt8]) throws(LedgerError) -> WaitingJointQuestion? {
        try jointQuestion("WHERE digest = ?", .bytes(digest))
    }

    /// An unused question with its answers; nil if it is not stored.
    func openJointQuestion(_ digest: [UInt8]) throws(LedgerError) -> WaitingJointQuestion? {
        try jointQuestion("WHERE digest = ? AND intent_id IS NULL", .bytes(digest))
    }

    /// Marks a question as used by an act, whose digest takes the place of an intent's id.
    func markUsed(_ digest: [UInt8], by act: GovernedAct) throws(LedgerError) {
        try run(
            "UPDATE joint_questions SET intent_id = ? WHERE digest = ?", .bytes(act.digest),
            .bytes(digest))
    }

    /// Marks a question as used, once, and returns the answers that count on the current record,
    /// instead of those collected before.
    func use(
        _ approval: JointApproval?, for intent: Intent, at now: Timestamp
    ) throws(LedgerError) -> JointApproval? {
        guard let approval else { return nil }
        guard let waiting = try openJointQuestion(approval.digest) else { throw .replayed }
        guard waiting.question.isAbout(intent) else { throw .policyChanged }
        switch waiting.state(by: try jointCheck(waiting.question, at: now)) {
        case .refused(let name): throw .personDenied(by: name)
        case .open: throw .policyChanged
        case .approved(let yeses):
            try run(
                "UPDATE joint_questions SET intent_id = ? WHERE digest = ?", .bytes(intent.id),
                .bytes(approval.digest))
            return JointApproval(waiting.question, yeses, digest: approval.digest)
        }
    }
}

extension JointQuestion {
    /// Whether the question is about exactly this request, under the policy that judged it.
    fileprivate func isAbout(_ intent: Intent) -> Bool {
        binding.requestDigest == intent.requestDigest && binding.policyHash == intent.policyHash
            && binding.keys == intent.keys && !isGovernance
    }
}
