// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Counts the question that is about to be asked; a client that asks too often is refused.
    func countQuestion(about decoded: Decoded<some SignRequest>) throws(Stop) {
        guard let pace = decoded.pace, let client = decoded.judged.client else { return }
        do throws(LedgerError) {
            let isNew = try ledger.noted(Note.seen, about: client.subject) == nil
            let tally = QuestionTally(
                about: about(decoded, by: client, alone: isNew),
                maximum: isNew ? pace.questionsOfNewMax : pace.questionsMax,
                seconds: pace.questionSeconds)
            guard try ledger.count(tally, at: environment.now()) else {
                throw LedgerError.limitExceeded(counter: "")
            }
        } catch {
            guard case .limitExceeded = error else { throw Stop(error) }
            throw .denied(
                Reason(
                    .limitExceeded,
                    "this client has people asked too often; \(pace.questionSeconds) seconds "
                        + "after its first question it may ask again"))
        }
    }

    /// What a question counts with: those of the client about requests of one kind, or all.
    private func about(
        _ decoded: Decoded<some SignRequest>, by client: Client, alone isNew: Bool
    ) -> [UInt8] {
        let judged = decoded.judged
        var text = "\(judged.adapter) \(client.proof.rawValue) \(client.id)"
        if !isNew {
            text += " \(judged.method)"
            for fact in decoded.broadScopes.flatMap(\.facts) { text += " \(fact)" }
        }
        return environment.sha256(text.utf8.span)
    }
}
