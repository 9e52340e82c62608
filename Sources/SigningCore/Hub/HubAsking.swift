// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Step 6: returns who says yes; asks a person only if the policy demands it.
    func consent(
        to decoded: Decoded<some SignRequest>, _ judgement: Judgement,
        _ rememberedAnswer: RememberedAnswer, _ offers: [WishOffer]
    ) async throws(Stop) -> Consent {
        switch rememberedAnswer {
        case .no(let grant):
            throw Self.remembered(no: grant)
        case .yes(let grants) where judgement.demands.isEmpty:
            return .grants(grants, for: judgement.undecided)
        case .connection where judgement.demands.isEmpty: return .connection
        case .yes, .connection, .nothing: break
        }
        if let reason = decoded.terms.unserved { throw stop(judgement.verdict, reason) }
        if case .ask = judgement.verdict { try checkNotFrozen() }
        switch judgement.verdict {
        case .allow: return .policy
        case .ask(let reasons) where judgement.delay > 0:
            return try await waitOut(judgement, of: decoded, reasons)
        case .ask(let reasons) where judgement.demands.isEmpty:
            return try await ask(about: decoded, judgement, reasons, offers)
        case .ask(let reasons): return try await askPeople(about: decoded, judgement, reasons)
        case .deny(let reasons):
            throw .denied(reasons.first ?? Reason(.policyDenied, "denied by the policy"))
        }
    }

    /// Throws while all signing is frozen, as nothing could come of a person's yes.
    ///
    /// Step 7 checks it again for every request.
    private func checkNotFrozen() throws(Stop) {
        do throws(LedgerError) { if try ledger.isFrozen() { throw .frozen } } catch {
            throw Stop(error)
        }
    }

    /// Returns the stop of a request that cannot be carried out for `reason`.
    ///
    /// If rules deny the request anyway, or no person can be asked, returns that denial, so that
    /// the client does not learn `reason`.
    private func stop(_ verdict: Verdict, _ reason: Reason) -> Stop {
        switch verdict {
        case .deny(let reasons):
            .denied(reasons.first ?? Reason(.policyDenied, "denied by the policy"))
        case .ask(let reasons) where !approval.canAsk: Self.unavailable(reasons)
        case .allow, .ask: .failed(reason)
        }
    }

    /// Asks a person, or returns a remembered answer that decides the request in the meantime.
    private func ask(
        about decoded: Decoded<some SignRequest>, _ judgement: Judgement, _ reasons: [Reason],
        _ offers: [WishOffer]
    ) async throws(Stop) -> Consent {
        guard approval.canAsk else { throw Self.unavailable(reasons) }
        let burst = burst(of: decoded, judgement)
        if let burst, let answer = try await turn(of: decoded, judgement, in: burst) {
            return try Self.consent(by: answer, judgement)
        }
        var (isSaidYes, isNo) = (false, false)
        defer { if !isSaidYes, let burst { notifier.leave(burst, hadTurn: true, isNo: isNo) } }
        if let answer = try await takeTurn(for: decoded, judgement) {
            return try Self.consent(by: answer, judgement)
        }
        let judged = decoded.judged
        let client = judged.peer.countedClient
        defer {
            pending.leavePlace(of: client)
            if !isSaidYes, let client = judged.client { notifier.close(client.subject) }
        }
        let seconds = try secondsLeft(of: approvalSeconds, for: decoded.terms)
        let question = question(about: decoded, judgement, reasons, offers, for: seconds)
        let binding = question.binding
        let (result, isAwaited) = await whileAwaited(decoded.pendingKey) {
            await answer(within: seconds, to: question) {
                () async throws(ApprovalError) in
                try await decideUnlessCovered(question, about: decoded, judgement)
            }
        }
        switch result {
        // A denial counts even if the client has left, as it may be remembered.
        case .success(.answered(.denied(let wish))):
            isNo = true
            throw .denied(.byPerson, remembering: wish)
        case _ where !isAwaited: throw .denied(.withdrawn)
        case .success(.answered(.another(let account)))
        where question.otherAccounts.contains { $0.id == account }:
            throw .chosen(account)
        case .success(.answered(.another)), .failure(.withdrawn): throw .denied(.withdrawn)
        case .success(.recalled(let answer)): return try Self.consent(by: answer, judgement)
        case .success(.answered(.approved(let approved, let wish, let granting, let isByProgram))):
            // The answer must be for this question, and must not be late.
            guard approved == binding else {
                throw .denied(Reason(.personDenied, "the approval was for another request"))
            }
            let (now, end) = (environment.now(), binding.expires)
            guard now <= end else { throw Self.timedOut(decoded.terms, at: end) }
            let remembered = question.canRememberYes ? yesGrants(wish, for: decoded) : []
            isSaidYes = true
            return .person(
                remembered + grants(granting, of: offers, for: decoded),
                until: Timestamp(seconds: now.seconds + approvalSeconds), isByProgram: isByProgram)
        case .failure(.unavailable): throw Self.unavailable(reasons)
        case .failure(.tooMany): throw Self.tooMany
        case .failure(.timedOut):
            throw isProved(judged.peer)
                ? Self.timedOut(decoded.terms, at: binding.expires) : .denied(.unproved)
        }
    }

    /// Returns `seconds`, or the time until the request expires if that is shorter.
    ///
    /// Throws if the request has expired.
    func secondsLeft(of seconds: Int64, for terms: RequestTerms) throws(Stop) -> Int64 {
        guard let expires = terms.expires else { return seconds }
        let left = expires.seconds - environment.now().seconds
        guard left > 0 else { throw Self.timedOut(terms, at: expires) }
        return min(seconds, left)
    }

    /// Returns the stop for an unanswered question; it says so if the request itself expired.
    static func timedOut(_ terms: RequestTerms, at end: Timestamp) -> Stop {
        guard let expires = terms.expires, expires <= end else { return .denied(.timedOut) }
        return .denied(
            Reason(
                .approvalTimedOut,
                "not approved before the request expired, \(expires.utcText)"))
    }

    /// Counts a question and takes a place for it; returns nil if the person can be asked now.
    ///
    /// If too many questions were asked, waits for an answer to another request of the client that
    /// also decides this one, and returns it; throws if there is none.
    private func takeTurn(
        for decoded: Decoded<some SignRequest>, _ judgement: Judgement
    ) async throws(Stop) -> RememberedAnswer? {
        do throws(Stop) {
            try await countQuestion(about: decoded)
            let client = decoded.judged.peer.countedClient
            guard pending.takePlace(for: client) else { throw Self.tooMany }
        } catch {
            // An answer to another request of the client may decide this request too.
            guard let answer = error.isOfTooManyQuestions ? await covered(decoded, judgement) : nil
            else { throw error }
            return answer
        }
        if let client = decoded.judged.client { notifier.open(client.subject) }
        return nil
    }

    /// Converts a remembered answer to the consent; throws the denial if the answer is a no.
    private static func consent(
        by answer: RememberedAnswer, _ judgement: Judgement
    ) throws(Stop) -> Consent {
        switch answer {
        case .yes(let grants): return .grants(grants, for: judgement.undecided)
        case .no(let grant): throw remembered(no: grant)
        case .connection, .nothing: throw tooMany
        }
    }

    private static func remembered(no grant: Grant) -> Stop {
        .denied(Reason(.personDenied, "a person denied this before", grant: grant))
    }

    /// Creates the question about a request; it can be answered for `seconds` seconds.
    func question(
        about decoded: Decoded<some SignRequest>, _ judgement: Judgement, _ reasons: [Reason],
        _ offers: [WishOffer], for seconds: Int64
    ) -> ApprovalQuestion {
        let judged = decoded.judged
        let usedUp = usedUp(decoded, judgement)
        let binding = ApprovalBinding(
            nonce: environment.randomBytes(16), requestDigest: decoded.digest,
            policyHash: judgement.policyHash, keys: judged.operations.map(\.account.id),
            expires: Timestamp(seconds: environment.now().seconds + seconds))
        return ApprovalQuestion(
            binding: binding, act: ApprovalQuestion.Act(of: judged, decoded.terms),
            summary: summary(
                of: decoded, judgement.budgets + usedUp.map(\.text),
                meeting: judgement.newCounterparties,
                allowedAt: judgement.delay > 0 ? binding.expires : nil),
            client: judged.client, peer: judged.peer,
            accounts: judged.operations.map(\.account), effects: judged.allEffects,
            dangers: judged.allDangers,
            reasons: reasons + usedUp, totals: judged.totals, scopes: decoded.scopes,
            bounds: judged.bounds(in: decoded.schema), refusalScopes: decoded.refusalScopes,
            onlyOnce: judgement.undecided.isEmpty
                ? "a rule asks each time" : decoded.onlyOnce,
            hasLogin: judged.peer.login != nil, wishes: offers,
            otherAccounts: decoded.terms.otherAccounts.filter { account in
                decoded.other(account.id).map { rank($0) < 2 } ?? false
            }, requestID: decoded.id, isAllowedUnanswered: judgement.delay > 0)
    }

    /// True unless the proof of the peer's identity was revoked or has expired.
    func isProved(_ peer: Peer?) -> Bool { peer.map(stillProves) ?? true }

    static func unavailable(_ reasons: [Reason]) -> Stop {
        .denied(
            Reason(
                .approvalUnavailable,
                "a person must approve this, and no person can be asked here"
                    + (reasons.first.map { " (\($0.text))" } ?? ""),
                rule: reasons.first?.rule))
    }

    static let tooMany = Stop.denied(
        Reason(.tooManyQuestions, "too many requests wait for an answer"))

    private static let proofPause = Duration.seconds(2)

    /// Returns the result of `decide`; fails if time or the client's proof ends before.
    func answer<Value: Sendable>(
        within seconds: Int64, to question: ApprovalQuestion,
        _ decide: @escaping @Sendable () async throws(ApprovalError) -> Value
    ) async -> Result<Value, ApprovalError> {
        await withTaskGroup(of: Result<Value, ApprovalError>?.self) { group in
            group.addTask {
                do throws(ApprovalError) { return .success(try await decide()) } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                // If this sleep is cancelled, after an answer or because no client waits any more,
                // the result of `decide` counts, not a timeout.
                do {
                    try await Task.sleep(for: .seconds(seconds))
                    return .failure(.timedOut)
                } catch {
                    return nil
                }
            }
            if question.peer?.credential != nil {
                group.addTask {
                    // The question ends if the client's proof is revoked.
                    while isProved(question.peer) {
                        do { try await Task.sleep(for: Self.proofPause) } catch { return nil }
                    }
                    return .failure(.timedOut)
                }
            }
            defer { group.cancelAll() }
            for await case let result? in group { return result }
            return .failure(.timedOut)
        }
    }
}

extension Stop {
    /// True if a person was not asked because too many questions were asked already.
    var isOfTooManyQuestions: Bool {
        guard case .denied(let reason, _) = self else { return false }
        return [.limitExceeded, .tooManyQuestions].contains(reason.code)
    }
}

extension ApprovalQuestion.Act {
    /// The act of the gravest operation; for a request without operations, that of its effects.
    init(of request: JudgedRequest, _ terms: RequestTerms) {
        var act = Self(withoutKeys: request, terms)
        for operation in request.operations {
            switch operation.operation {
            case .sign, .makePasskey, .signByPasskey:
                self = .sign
                return
            case .decrypt: act = .decrypt
            case .encrypt where act != .decrypt: act = .encrypt
            case .encrypt, .publicKey: break
            }
        }
        self = act
    }

    private init(withoutKeys request: JudgedRequest, _ terms: RequestTerms) {
        if request.allEffects.contains(.spends) {
            self = .send
        } else if terms.endsConnection {
            self = .disconnect
        } else {
            let connects = terms.connectionChanges.contains {
                if case .opens = $0 { true } else { false }
            }
            let learns = connects || request.allEffects.contains(.revealsKey)
            self = learns || !request.operations.isEmpty ? .connect : .inform
        }
    }
}

extension Reason {
    /// Creates a reason that also names the grant of the remembered answer.
    init(_ code: ReasonCode, _ text: String, grant: Grant) {
        self.init(code, "\(text) (grant \(grant.idText))")
    }

    static let unproved = Reason(
        .policyChanged, "the access token of the client was revoked or expired meanwhile")

    static let timedOut = Reason(.approvalTimedOut, "not approved in time")
}
