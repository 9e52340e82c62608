// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Waits for the delay of the rules, while a person is asked, who can stop the request or allow
    /// it at once.
    func waitOut<Request: SignRequest>(
        _ judgement: Judgement, of decoded: Decoded<Request>, _ reasons: [Reason]
    ) async throws(Stop) -> Consent {
        let delayed: DelayedRequest
        if let kept = delays.take(
            at: environment.now(),
            where: { $0.isSame(decoded) && $0.counts(for: judgement, of: decoded.judged) })
        {
            delayed = kept
        } else {
            delayed = try await delay(decoded, judgement, reasons)
        }
        let (_, isAwaited) = await whileAwaited(decoded.pendingKey) { await delayed.wait() }
        guard isAwaited, let end = delayed.end else { throw leave(delayed) }
        return try consent(by: end, of: delayed, to: decoded)
    }

    /// Keeps a request whose client has left, and returns the stop.
    private func leave(_ delayed: DelayedRequest) -> Stop {
        delays.keep(delayed)
        // The code that drops it records the denial, once.
        if case .answered(.denied(let wish))? = delayed.end, delays.drop(delayed) {
            return .denied(.byPerson, remembering: wish)
        }
        return .denied(.leftBefore(delayed.question.binding.expires))
    }

    /// Asks a person, for the whole delay; the question does not end when the client leaves.
    private func delay<Request: SignRequest>(
        _ decoded: Decoded<Request>, _ judgement: Judgement, _ reasons: [Reason]
    ) async throws(Stop) -> DelayedRequest {
        guard approval.canAsk else { throw Self.unavailable(reasons) }
        guard try secondsLeft(of: judgement.delay, for: decoded.terms) == judgement.delay else {
            throw .denied(.expiresBeforeDelay)
        }
        try await countQuestion(about: decoded)
        let client = decoded.judged.peer.countedClient
        guard pending.takePlace(for: client) else { throw Self.tooMany }
        let question = question(about: decoded, judgement, reasons, [], for: judgement.delay)
        let delayed = DelayedRequest(of: client, question, for: judgement.delay) { other in
            (other as? Decoded<Request>).map { decoded.asksTheSame(as: $0) } ?? false
        }
        Task {
            let start = ContinuousClock.now
            let result = await answer(within: delayed.seconds, to: question) {
                () async throws(ApprovalError) in try await approval.decide(question)
            }
            pending.leavePlace(of: client)
            switch result {
            case .success(let answer):
                delayed.finish(.answered(answer))
                await recordDenial(of: delayed, decoded)
            // A place of asking may give up earlier, so that no person could stop the request for
            // the whole delay; a client may lose its access.
            case .failure(.timedOut) where start.duration(to: .now) >= .seconds(delayed.seconds):
                delayed.finish(isProved(question.peer) ? .passed : .failed(.timedOut))
            case .failure(let error): delayed.finish(.failed(error))
            }
        }
        return delayed
    }

    /// Records a denial while the client is away, as it may be remembered.
    private func recordDenial(
        of delayed: DelayedRequest, _ decoded: Decoded<some SignRequest>
    ) async {
        guard case .answered(.denied(let wish))? = delayed.end, delays.drop(delayed) else { return }
        let (_, kept) = await refuse(decoded, .denied(.byPerson, remembering: wish))
        if !kept.isEmpty, let client = decoded.judged.client { notifier.note(client.subject) }
    }

    private func consent(
        by end: DelayEnd, of delayed: DelayedRequest, to decoded: Decoded<some SignRequest>
    ) throws(Stop) -> Consent {
        let until = Timestamp(seconds: environment.now().seconds + approvalSeconds)
        switch end {
        case .passed: return .delay(delayed, until: until)
        case .answered(.approved(let approved, _, _, let isByProgram)):
            guard approved == delayed.question.binding else {
                throw .denied(Reason(.personDenied, "the approval was for another request"))
            }
            // `close` follows the yes.
            if let client = decoded.judged.client { notifier.open(client.subject) }
            return .person([], until: until, isByProgram: isByProgram)
        case .answered(.denied(let wish)):
            throw .denied(.byPerson, remembering: wish)
        case .answered(.another), .failed(.withdrawn): throw .denied(.withdrawn)
        case .failed(.unavailable): throw Self.unavailable(delayed.question.reasons)
        case .failed(.tooMany): throw Self.tooMany
        case .failed(.timedOut):
            throw isProved(decoded.judged.peer) ? .denied(.timedOut) : .denied(.unproved)
        }
    }
}

extension DelayedRequest {
    /// Whether the delay counts for a request that is judged now.
    fileprivate func counts(for judgement: Judgement, of request: JudgedRequest) -> Bool {
        question.binding.policyHash == judgement.policyHash && seconds >= judgement.delay
            && client == request.peer.countedClient
    }
}

extension Reason {
    static let byPerson = Reason(.personDenied, "denied by a person")

    fileprivate static let expiresBeforeDelay = Reason(
        .approvalTimedOut, "the request expires before the delay of the rule ends")

    fileprivate static func leftBefore(_ end: Timestamp) -> Reason {
        Reason(
            .withdrawn,
            "the client left during the delay; the rules allow the request at \(end.utcText) if it "
                + "asks again")
    }
}
