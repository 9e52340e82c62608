// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Waits for the delay of the rules, while a person is asked, who can stop the request or allow
    /// it at once.
    func waitOut<Request: SignRequest>(
        _ judgement: Judgement, of decoded: Decoded<Request>, _ reasons: [Reason]
    ) async throws(Stop) -> Consent {
        let delayed: DelayedRequest
        let kept = delays.take(at: environment.now()) {
            $0.isSame(decoded) && $0.client == decoded.judged.peer.countedClient
                && $0.question.binding.policyHash == judgement.policyHash
                && $0.seconds >= judgement.delay
        }
        if let kept {
            delayed = kept
        } else {
            delayed = try await delay(decoded, judgement, reasons)
        }
        let (end, isAwaited) = await whileAwaited(decoded.pendingKey) { await delayed.wait() }
        // A denial counts even if the client has left, as it may be remembered.
        if case .answered(.denied(let wish))? = end {
            throw .denied(.byPerson, remembering: wish)
        }
        guard isAwaited, let end else { throw leave(delayed) }
        return try consent(by: end, of: delayed, to: decoded)
    }

    /// Keeps a request whose client has left, and returns the stop.
    ///
    /// A process without an access token never comes back as the same client, so its question ends.
    private func leave(_ delayed: DelayedRequest) -> Stop {
        guard delayed.isOpen, delayed.client.isProved, delays.keep(delayed) else {
            if delayed.end == nil { delayed.finish(.failed(.withdrawn)) }
            return .denied(.withdrawn)
        }
        return .denied(.leftDuringDelay)
    }

    /// Asks a person, for the whole delay.
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
            let end = await end(of: delayed)
            pending.leavePlace(of: client)
            guard !delayed.finish(end), case .answered(.denied(let wish)) = end else { return }
            // The client gets the denial if it comes back; what is remembered counts now.
            delayed.finish(.answered(.denied()))
            let (_, kept) = await refuse(decoded, .denied(.byPerson, remembering: wish))
            if !kept.isEmpty, let client = decoded.judged.client { notifier.note(client.subject) }
        }
        return delayed
    }

    /// Asks about a delayed request until a person answers, or until the delay has passed and a
    /// client waits for the result.
    private func end(of delayed: DelayedRequest) async -> DelayEnd {
        let asking = Task { () -> Result<ApprovalAnswer, ApprovalError> in
            do throws(ApprovalError) {
                return .success(try await approval.decide(delayed.question))
            } catch {
                return .failure(error)
            }
        }
        let clock = Task {
            let hasPassed = await passes(delayed)
            asking.cancel()
            return hasPassed
        }
        // An answer that was accepted before the question ended counts, also after the delay.
        let result = await asking.value
        clock.cancel()
        let hasPassed = await clock.value
        return switch result {
        case .success(let answer): .answered(answer)
        case .failure(let error): hasPassed ? .passed : .failed(error)
        }
    }

    /// Returns true once the delay has passed and a client waits; false if the question must end.
    ///
    /// Only time counts in which this process runs and a person could stop the request.
    private func passes(_ delayed: DelayedRequest) async -> Bool {
        let delay = Duration.seconds(delayed.seconds)
        var (counted, kept) = (Duration.zero, Duration.zero)
        while !Task.isCancelled, isProved(delayed.question.peer), delayed.isOpen {
            let start = ContinuousClock.now
            let step = counted < delay ? min(delay - counted, Self.delayStep) : Self.delayStep
            let canBeStopped = approval.canBeAnswered
            do { try await Task.sleep(for: step) } catch { return false }
            guard canBeStopped, approval.canBeAnswered else { continue }
            // A longer step is one in which the process was stopped or the machine slept.
            counted += min(start.duration(to: .now), step)
            guard counted >= delay else { continue }
            if delayed.isAwaited { return true }
            kept += step
            guard kept < .seconds(DelayedRequests.keptSeconds) else { return false }
        }
        return false
    }

    private static let delayStep = Duration.seconds(1)

    private func consent(
        by end: DelayEnd, of delayed: DelayedRequest, to decoded: Decoded<some SignRequest>
    ) throws(Stop) -> Consent {
        let until = Timestamp(seconds: environment.now().seconds + approvalSeconds)
        switch end {
        case .passed: return .delay(delayed.seconds, until: until)
        case .answered(.approved(let approved, _, _, let isByProgram)):
            guard approved == delayed.question.binding else {
                throw .denied(Reason(.personDenied, "the approval was for another request"))
            }
            // `close` follows the yes.
            if let client = decoded.judged.client { notifier.open(client.subject) }
            return .person([], until: until, isByProgram: isByProgram)
        case .answered(.denied(let wish)): throw .denied(.byPerson, remembering: wish)
        case .answered(.another), .failed(.withdrawn): throw .denied(.withdrawn)
        case .failed(.unavailable): throw Self.unavailable(delayed.question.reasons)
        case .failed(.tooMany): throw Self.tooMany
        case .failed(.timedOut):
            throw isProved(decoded.judged.peer) ? .denied(.timedOut) : .denied(.unproved)
        }
    }
}

extension Reason {
    static let byPerson = Reason(.personDenied, "denied by a person")

    fileprivate static let expiresBeforeDelay = Reason(
        .approvalTimedOut, "the request expires before the delay of the rule ends")

    fileprivate static let leftDuringDelay = Reason(
        .withdrawn,
        "the client left during the delay of the rule; it may send the same request again")
}
