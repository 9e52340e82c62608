// SPDX-License-Identifier: Apache-2.0

/// The end of a question to a person.
enum QuestionEnd: Sendable {
    case said(ApprovalAnswer)
    /// A yes that was given to another question meanwhile, or a no.
    case recalled(Recollection)
}

extension SigningHub {
    /// How long a request that nobody may be asked about now waits for a yes to another one of the
    /// same client.
    static var coverSeconds: Int64 { 30 }

    /// Asks a person, unless a yes to another question of the same client covers the request first.
    func decideUnlessCovered(
        _ question: ApprovalQuestion, about decoded: Decoded<some SignRequest>,
        _ judgement: Judgement
    ) async throws(ApprovalError) -> QuestionEnd {
        guard let subject = decoded.judged.client?.subject else {
            return .said(try await approval.decide(question))
        }
        let first = await withTaskGroup(of: Result<QuestionEnd, ApprovalError>?.self) { group in
            group.addTask {
                do throws(ApprovalError) {
                    return .success(.said(try await approval.decide(question)))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                await recalled(decoded, judgement, of: subject) { false }
                    .map { .success(.recalled($0)) }
            }
            defer { group.cancelAll() }
            for await case let first? in group { return first }
            return .failure(.withdrawn)
        }
        return try first.get()
    }

    /// Closes the question that a person said yes to, which lets others of its client look again.
    func close(_ consent: Consent, to decoded: Decoded<some SignRequest>, _ judgement: Judgement) {
        guard case .person = consent, let client = decoded.judged.client else { return }
        if let burst = burst(of: decoded, judgement) { fresh.leave(burst, hadTurn: true) }
        fresh.close(client.subject)
    }

    /// The requests among which one at a time is asked about; nil for one that a remembered yes
    /// could not answer.
    func burst(
        of decoded: Decoded<some SignRequest>, _ judgement: Judgement
    ) -> FreshGrants.Burst? {
        guard let name = decoded.terms.burst, let client = decoded.judged.client,
            !judgement.undecided.isEmpty, decoded.onlyOnce == nil
        else { return nil }
        return FreshGrants.Burst(subject: client.subject, name: name)
    }

    /// Waits until a request of a burst has its turn to be asked about; what people said meanwhile
    /// where that decides it.
    func turn(
        of decoded: Decoded<some SignRequest>, _ judgement: Judgement, in burst: FreshGrants.Burst
    ) async throws(Stop) -> Recollection? {
        let ticket = fresh.join(burst)
        let (said, isAwaited) = await whileAwaited(decoded.pendingKey) {
            await withTaskGroup(of: Recollection?.self) { group in
                group.addTask {
                    await recalled(decoded, judgement, of: burst.subject) {
                        fresh.isRefused(ticket, in: burst) || fresh.takeTurn(ticket, in: burst)
                    }
                }
                group.addTask {
                    try? await Task.sleep(for: .seconds(approvalSeconds))
                    return nil
                }
                defer { group.cancelAll() }
                return await group.next() ?? nil
            }
        }
        let isNo = fresh.isRefused(ticket, in: burst)
        let isTurn = !isNo && fresh.takeTurn(ticket, in: burst)
        if isAwaited, isTurn, said == nil { return nil }
        fresh.leave(burst, hadTurn: isTurn)
        if let said { return said }
        throw isNo
            ? .denied(Reason(.personDenied, "a person said no to others like it meanwhile"))
            : .denied(isAwaited ? .timedOut : .withdrawn)
    }

    /// What people said meanwhile about a request that nobody may be asked about now, while they
    /// are asked about others of the same client; nil if that decides nothing or takes too long.
    func covered(
        _ decoded: Decoded<some SignRequest>, _ judgement: Judgement
    ) async -> Recollection? {
        guard let subject = decoded.judged.client?.subject, fresh.hasOpen(subject),
            !judgement.undecided.isEmpty, decoded.onlyOnce == nil
        else { return nil }
        return await withTaskGroup(of: Recollection?.self) { group in
            group.addTask {
                await recalled(decoded, judgement, of: subject) { !fresh.hasOpen(subject) }
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(Self.coverSeconds))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// Looks again at what is remembered, each time that something changes for the client; for the
    /// last time once it is over.
    private func recalled(
        _ decoded: Decoded<some SignRequest>, _ judgement: Judgement, of subject: Note.Subject,
        isOver: @Sendable () -> Bool
    ) async -> Recollection? {
        while !Task.isCancelled {
            // Before it looks: what comes while it does is looked at again.
            let seen = fresh.changesCount
            let isLast = isOver()
            switch try? recall(decoded, judgement) {
            case .yes(let grants)?: return .yes(grants)
            case .no(let grant)?: return .no(grant)
            case .connection?, .nothing?, nil: break
            }
            if isLast { return nil }
            await fresh.wait(for: subject, after: seen)
        }
        return nil
    }
}
