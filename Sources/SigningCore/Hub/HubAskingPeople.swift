// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Asks several people; their answers count for this request alone.
    ///
    /// Whoever gathered them is not believed: the hub checks question and signatures itself.
    func askPeople(
        about decoded: Decoded<some SignRequest>, _ judgement: Judgement, _ reasons: [Reason]
    ) async throws(Stop) -> Consent {
        guard people.canAsk else { throw Self.unavailable(reasons) }
        // Their places are few and outlast whoever asks: who takes one could sign.
        try await unlock(before: judgement, asksPeopleAbout: decoded)
        try await countQuestion(about: decoded)
        let demands = judgement.demands
        let seconds = demands.map(\.seconds).min() ?? approvalSeconds
        let question = question(about: decoded, judgement, reasons, [], for: seconds)
        let peer = decoded.judged.peer
        let proof = decoded.judged.client?.proof ?? .claimed
        guard pending.takePlace(for: peer.caller, by: proof) else {
            throw Self.tooMany
        }
        defer { pending.leavePlace(of: peer.caller, by: proof) }
        let (heard, isAwaited) = await whileAwaited(decoded.pendingKey) {
            await answer(within: seconds, to: question) { () async throws(ApprovalError) in
                try await people.decide(question, demands: demands)
            }
        }
        switch heard {
        case .success(let gathered):
            let standing = try standing(of: gathered, question.binding, demands, reasons)
            if case .refused(let name) = standing.0 {
                throw .denied(Reason(.personDenied, "denied by the approver \(name)"))
            }
            guard isAwaited else { throw .denied(.withdrawn) }
            guard environment.now() <= question.binding.expires else { throw .denied(.timedOut) }
            guard case .approved(let yeses) = standing.0 else {
                throw .denied(Reason(.personDenied, "not enough of the approvals count"))
            }
            return .people(
                JointApproval(gathered.question, yeses, digest: standing.digest), demands)
        case .failure where !isAwaited: throw .denied(.withdrawn)
        case .failure(.unavailable): throw Self.unavailable(reasons)
        case .failure(.tooMany): throw Self.tooMany
        case .failure(.timedOut): throw .denied(isProved(peer) ? .timedOut : .unproved)
        }
    }

    /// How the answers stand that were gathered for this request and these demands.
    private func standing(
        of gathered: JointAnswers, _ binding: ApprovalBinding, _ demands: [ApproverDemand],
        _ reasons: [Reason]
    ) throws(Stop) -> (JointStanding, digest: [UInt8]) {
        let question = gathered.question
        guard question.binding == binding, question.demands == demands else {
            throw .denied(Reason(.personDenied, "the approvals were for another request"))
        }
        let check: JointCheck
        do throws(ApprovalError) {
            check = try people.check(question, at: environment.now())
        } catch {
            throw Self.unavailable(reasons)
        }
        let digest = environment.sha256(question.bytes.span)
        guard check.digest == digest else {
            throw .denied(Reason(.personDenied, "the approvals were for another request"))
        }
        return (question.standing(of: gathered.answers, by: check), digest)
    }
}
