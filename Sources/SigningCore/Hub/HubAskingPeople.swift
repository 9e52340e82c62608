// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Asks several approvers; their answers count only for this request.
    ///
    /// The hub itself verifies the question and the signatures of the answers.
    func askPeople(
        about decoded: Decoded<some SignRequest>, _ judgement: Judgement, _ reasons: [Reason]
    ) async throws(Stop) -> Consent {
        guard people.canAsk else { throw Self.unavailable(reasons) }
        // Few questions to approvers may wait, and they stay after the client has left. So the home
        // is unlocked before one is stored.
        try await unlock(before: judgement, asksPeopleAbout: decoded)
        try await countQuestion(about: decoded)
        let demands = judgement.demands
        let seconds = try secondsLeft(
            of: demands.map(\.seconds).min() ?? approvalSeconds, for: decoded.terms)
        let question = question(about: decoded, judgement, reasons, [], for: seconds)
        let peer = decoded.judged.peer
        guard pending.takePlace(for: peer.countedClient) else { throw Self.tooMany }
        defer { pending.leavePlace(of: peer.countedClient) }
        let (result, isAwaited) = await whileAwaited(decoded.pendingKey) {
            await answer(within: seconds, to: question) { () async throws(ApprovalError) in
                try await people.decide(question, demands: demands)
            }
        }
        switch result {
        case .success(let gathered):
            do throws(Stop) {
                let approval = try approval(by: gathered, question.binding, demands, reasons)
                guard isAwaited else { throw .denied(.withdrawn) }
                let isInTime = environment.now() <= question.binding.expires
                guard isInTime else { throw .denied(.timedOut) }
                guard let approval else {
                    throw .denied(Reason(.personDenied, "too few of the approvals are valid"))
                }
                return .people(approval, demands)
            } catch {
                // Only this request's own question may be withdrawn.
                if gathered.question.binding == question.binding {
                    await people.withdraw(environment.sha256(gathered.question.bytes.span))
                }
                throw error
            }
        case .failure where !isAwaited: throw .denied(.withdrawn)
        case .failure(.withdrawn): throw .denied(.withdrawn)
        case .failure(.unavailable): throw Self.unavailable(reasons)
        case .failure(.tooMany): throw Self.tooMany
        case .failure(.timedOut):
            throw isProved(peer)
                ? Self.timedOut(decoded.terms, at: question.binding.expires) : .denied(.unproved)
        }
    }

    /// Returns the approval of this request; nil if more answers are needed, throws after a no.
    private func approval(
        by gathered: JointAnswers, _ binding: ApprovalBinding, _ demands: [ApproverDemand],
        _ reasons: [Reason]
    ) throws(Stop) -> JointApproval? {
        let question = gathered.question
        let check: JointCheck
        do throws(ApprovalError) {
            check = try people.check(question, at: environment.now())
        } catch {
            throw Self.unavailable(reasons)
        }
        let digest = environment.sha256(question.bytes.span)
        guard question.binding == binding, question.demands == demands, check.digest == digest
        else {
            throw .denied(Reason(.personDenied, "the approvals were for another request"))
        }
        switch question.state(of: gathered.answers, by: check) {
        case .approved(let yeses): return JointApproval(question, yeses, digest: digest)
        case .refused(let name): throw Stop(.personDenied(by: name))
        case .open: return nil
        }
    }
}
