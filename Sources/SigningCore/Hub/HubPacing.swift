// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Counts the question that is about to be asked; throws if the client has caused too many.
    func countQuestion(about decoded: Decoded<some SignRequest>) async throws(Stop) {
        guard let pace = decoded.terms.pace, let client = decoded.judged.client else { return }
        do throws(LedgerError) {
            let isNew = try ledger.noted(Note.seen, about: client.subject) == nil
            // New clients of one domain share a count, so that inventing names gives no advantage.
            let party = isNew ? client.party : client.id
            let everything = "\(decoded.judged.adapter) \(client.proof.rawValue) \(party)"
            let maximum = isNew ? pace.questionsOfNewMax : pace.questionsOfClientMax
            try await count(everything, maximum, pace)
            let kind = decoded.broadScopes.flatMap(\.facts).map { "\($0)" }.joined(separator: " ")
            try await count(
                "\(everything) \(decoded.judged.method) \(kind)", pace.questionsMax, pace)
        } catch {
            guard case .limitExceeded = error else { throw Stop(error) }
            throw .denied(
                Reason(
                    .limitExceeded,
                    "this client asked people too often; it may ask again "
                        + "\(pace.questionSeconds) seconds after its first question"))
        }
    }

    private func count(
        _ about: String, _ maximum: Int, _ pace: Pace
    ) async throws(LedgerError) {
        let tally = QuestionTally(
            about: environment.sha256(about.utf8.span), maximum: maximum,
            seconds: pace.questionSeconds)
        guard try await ledger.count(tally, at: environment.now()) else {
            throw .limitExceeded(counter: "questions")
        }
    }
}
