// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// A question to several approvers, as stored in the ledger.
package struct WaitingJointQuestion: Hashable, Sendable {
    package let digest: [UInt8]
    package let question: JointQuestion
    package let answers: [JointAnswer]

    /// The state of the question that follows from the answers on record.
    ///
    /// A recorded denial counts even if the key of the approver was retired later.
    package func state(by check: JointCheck) -> JointState {
        let denialCheck = JointCheck(
            question, retired: [], acceptsOlder: true, at: question.binding.expires)
        let denials = question.state(of: answers.filter { !$0.isYes }, by: denialCheck)
        if case .refused = denials { return denials }
        return question.state(of: answers, by: check)
    }
}

extension SQLiteLedger {
    /// The maximum number of questions that wait for approvers at one time, of all hubs that share
    /// the ledger.
    package static let jointQuestionsMax = 64
    /// The time in seconds after its end for which an unused question is kept.
    static let endedQuestionSeconds: Int64 = 86_400
    /// The number of questions that each hub may always have waiting, however many hubs there are.
    package static let jointQuestionsOfHubMin = 4

    /// Stores a question for its approvers; false if too many questions wait, of all hubs or of
    /// this one.
    package func put(
        _ question: JointQuestion, at now: Timestamp
    ) async throws(LedgerError) -> Bool {
        try await queue.write { access throws(LedgerError) in
            try access.put(question, at: now)
        }
    }

    /// Deletes a question that no request or act has used, and its answers.
    package func withdraw(_ digest: [UInt8]) async throws(LedgerError) {
        try await queue.write { access throws(LedgerError) in
            let isOpen = try access.exists(
                "SELECT 1 FROM joint_questions WHERE digest = ? AND intent_id IS NULL",
                .bytes(digest))
            // The caller states no time, so that the entry has that of the one before.
            if isOpen { _ = try access.append(.withdraw([digest]), at: access.auditHead().time) }
        }
    }

    /// The waiting questions, the one that ends first before the others; skips rows that no hub can
    /// have written.
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

    /// A stored question, waiting or not; nil if it is absent or no hub can have written it.
    package func jointQuestion(_ digest: [UInt8]) throws(LedgerError) -> WaitingJointQuestion? {
        try read { access throws(LedgerError) in
            try access.keptJointQuestion(digest)
        }
    }

    /// The number of stored questions that no hub can have written; they are not shown to
    /// approvers.
    package func impossibleQuestions(at now: Timestamp) throws(LedgerError) -> Int {
        try read { access throws(LedgerError) in try access.impossibleQuestions(at: now).count }
    }

    /// Stores an approver's answer; returns the error, without storing it, if it does not count.
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

    /// Retires an approver's key, on record, for all hubs that share this ledger.
    ///
    /// Does nothing if the key is already retired.
    package func retireApprover(
        _ publicKey: [UInt8], at now: Timestamp
    ) async throws(LedgerError) {
        try await queue.write { access throws(LedgerError) in
            guard try !access.retiredApprovers().contains(publicKey) else { return }
            _ = try access.append(.approver(.retires(publicKey)), at: now)
        }
    }
}

extension JointCheck {
    /// Creates the check that decides which answers to a question count.
    ///
    /// `retired` are the retired approver keys, `own` those that signing hubs hold. `acceptsOlder`
    /// accepts statements in the form of older versions of this program, for existing records only.
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
    /// The question; nil if no hub can have written it, or if it does not match the row's digest.
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

    /// Whether a hub can have written the row; with a time, the question must not end too late.
    func isPossible(at now: Timestamp?) -> Bool {
        guard let question else { return false }
        return now.map { question.endsInTime(after: $0) } ?? true
    }
}

extension Access<LedgerError> {
    /// The SQL condition for questions that still wait: not used, not past their end, not denied.
    fileprivate static var waitingCondition: String {
        """
        intent_id IS NULL AND expires >= ?1 AND NOT EXISTS (
            SELECT 1 FROM joint_answers a WHERE a.digest = joint_questions.digest AND NOT a.yes)
        """
    }

    fileprivate func put(
        _ question: JointQuestion, at now: Timestamp
    ) throws(LedgerError) -> Bool {
        // No approver sees such questions, so they must not take up places.
        try withdrawImpossibleQuestions(at: now)
        let count = try first(
            "SELECT count(*) FROM joint_questions WHERE \(Self.waitingCondition)",
            .integer(now.seconds)
        ) { row throws(LedgerError) in try row.integer(0) }
        guard count ?? 0 < Int64(SQLiteLedger.jointQuestionsMax) else { return false }
        let digest = Digest.sha256(question.bytes.span)
        guard try takePlace(for: digest, at: now) else { return false }
        _ = try append(
            .ask(AskEntry(question: digest, expires: question.binding.expires)), at: now,
            NamedBytes(question: digest, JointRecord.body(question)))
        return true
    }

    /// Counts a question for this hub's share of the places; false if the share is used up.
    ///
    /// The share leaves places for the other hubs of the ledger.
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

    /// Withdraws the unused questions that no hub can have written.
    func withdrawImpossibleQuestions(at now: Timestamp) throws(LedgerError) {
        let questions = try impossibleQuestions(at: now)
        if !questions.isEmpty { _ = try append(.withdraw(questions), at: now) }
    }

    /// The digests of unused questions that no hub can have written; with a time, also of questions
    /// that end too late.
    func impossibleQuestions(at now: Timestamp? = nil) throws(LedgerError) -> [[UInt8]] {
        try jointRows("WHERE intent_id IS NULL").filter { !$0.isPossible(at: now) }.map(\.digest)
    }

    /// The rows that an SQL condition selects, not yet validated.
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

    /// The first question that an SQL condition selects, with its answers; nil if there is none or
    /// it is not valid.
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
        _ = try append(.answer(AnswerEntry(question: digest, answer: answer)), at: now)
        return nil
    }

    /// The check of a question's answers with the keys that the record now names as retired or as
    /// held by hubs.
    func jointCheck(
        _ question: JointQuestion, at now: Timestamp
    ) throws(LedgerError) -> JointCheck {
        JointCheck(
            question, retired: try retiredApprovers(), own: try ownApprovers(), at: now)
    }

    /// Whether a question is stored, used or not.
    func isStored(_ digest: [UInt8]) throws(LedgerError) -> Bool {
        try exists("SELECT 1 FROM joint_questions WHERE digest = ?", .bytes(digest))
    }

    /// Whether an intent or an act has used a stored question.
    func isUsed(_ digest: [UInt8]) throws(LedgerError) -> Bool {
        try exists(
            "SELECT 1 FROM joint_questions WHERE digest = ? AND intent_id IS NOT NULL",
            .bytes(digest))
    }

    /// The first of these questions that an intent or an act has used; nil for none.
    func firstUsed(of questions: [[UInt8]]) throws(LedgerError) -> [UInt8]? {
        for question in questions where try isUsed(question) { return question }
        return nil
    }

    /// Whether a question is stored with a text; a replay may lack it.
    func hasText(_ digest: [UInt8]) throws(LedgerError) -> Bool {
        try exists(
            "SELECT 1 FROM joint_questions WHERE digest = ? AND typeof(body) = 'text'",
            .bytes(digest))
    }

    /// Whether an unused question is stored that no approver has denied.
    func isWaiting(_ digest: [UInt8]) throws(LedgerError) -> Bool {
        try exists(
            "SELECT 1 FROM joint_questions WHERE digest = ?2 AND \(Self.waitingCondition)",
            .integer(.min), .bytes(digest))
    }

    /// The text of a question in the ledger that is to have this digest; none if it differs.
    func keptText(of digest: [UInt8], expires: Int64) throws(LedgerError) -> NamedBytes {
        let body = try first(
            "SELECT body FROM main.joint_questions WHERE digest = ?", .bytes(digest)
        ) { row throws(LedgerError) in try row.text(0) }
        guard let body, JointRow(digest: digest, body: body, expires: expires).question != nil
        else { return .none }
        return NamedBytes(question: digest, body)
    }

    func retiredApprovers() throws(LedgerError) -> Set<[UInt8]> {
        Set(
            try all("SELECT public_key FROM retired_approvers") { row throws(LedgerError) in
                try row.bytes(0)
            })
    }

    /// A question with its answers, used or not; nil if it is not stored.
    func keptJointQuestion(_ digest: [UInt8]) throws(LedgerError) -> WaitingJointQuestion? {
        try jointQuestion("WHERE digest = ?", .bytes(digest))
    }

    /// An unused question with its answers; nil if it is not stored.
    func openJointQuestion(_ digest: [UInt8]) throws(LedgerError) -> WaitingJointQuestion? {
        try jointQuestion("WHERE digest = ? AND intent_id IS NULL", .bytes(digest))
    }

    /// Checks that the question of an approval is about this intent; throws if it was used before.
    ///
    /// Returns the approval with the answers that count now, which may differ from those that
    /// counted when the approval was made. Throws if they are not enough any more.
    func use(
        _ approval: JointApproval?, for intent: Intent, at now: Timestamp
    ) throws(LedgerError) -> JointApproval? {
        guard let approval else { return nil }
        guard let waiting = try openJointQuestion(approval.digest) else { throw .replayed }
        guard waiting.question.isAbout(RequestEntry(intent)) else { throw .policyChanged }
        switch waiting.state(by: try jointCheck(waiting.question, at: now)) {
        case .refused(let name): throw .personDenied(by: name)
        case .open: throw .policyChanged
        case .approved(let yeses):
            return JointApproval(waiting.question, yeses, digest: approval.digest)
        }
    }
}

extension JointQuestion {
    /// Whether the question is about exactly this request, under the policy that judged it.
    func isAbout(_ request: RequestEntry) -> Bool {
        binding.requestDigest == request.requestDigest && binding.policyHash == request.policyHash
            && binding.keys == request.keys && !isGovernance
    }
}
