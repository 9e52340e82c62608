// SPDX-License-Identifier: Apache-2.0

/// The end of a question to a person.
enum QuestionEnd: Sendable {
    case answered(ApprovalAnswer)
    /// A remembered answer, which a person gave to another question, decides the request.
    case recalled(RememberedAnswer)
}

extension SigningHub {
    /// The time in seconds that `covered` waits for an answer to another request of the client.
    static var coverSeconds: Int64 { 30 }

    /// Asks a person, unless an answer to another question of the same client decides the request
    /// first.
    func decideUnlessCovered(
        _ question: ApprovalQuestion, about decoded: Decoded<some SignRequest>,
        _ judgement: Judgement
    ) async throws(ApprovalError) -> QuestionEnd {
        guard let subject = decoded.judged.client?.subject else {
            return .answered(try await approval.decide(question))
        }
        let first = await withTaskGroup(of: Result<QuestionEnd, ApprovalError>?.self) { group in
            group.addTask {
                do throws(ApprovalError) {
                    return .success(.answered(try await approval.decide(question)))
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

    /// Closes a question after the yes was recorded, so that waiting requests of the client look
    /// for remembered answers again.
    func close(_ consent: Consent, to decoded: Decoded<some SignRequest>, _ judgement: Judgement) {
        guard case .person = consent, let client = decoded.judged.client else { return }
        if let burst = burst(of: decoded, judgement) { notifier.leave(burst, hadTurn: true) }
        notifier.close(client.subject)
    }

    /// Returns the group of requests about which a person is asked one at a time.
    ///
    /// Nil if the request names no group, or if no remembered yes can answer the request.
    func burst(
        of decoded: Decoded<some SignRequest>, _ judgement: Judgement
    ) -> GrantNotifier.Burst? {
        guard let name = decoded.terms.burst, let client = decoded.judged.client,
            !judgement.undecided.isEmpty, decoded.onlyOnce == nil
        else { return nil }
        return GrantNotifier.Burst(subject: client.subject, name: name)
    }

    /// Waits until it is the turn of a request in its group; returns nil then, or a remembered
    /// answer that decides the request before.
    func turn(
        of decoded: Decoded<some SignRequest>, _ judgement: Judgement, in burst: GrantNotifier.Burst
    ) async throws(Stop) -> RememberedAnswer? {
        let ticket = notifier.join(burst)
        let (answer, isAwaited) = await whileAwaited(decoded.pendingKey) {
            await withTaskGroup(of: RememberedAnswer?.self) { group in
                group.addTask {
                    await recalled(decoded, judgement, of: burst.subject) {
                        notifier.isDenied(ticket, in: burst) || notifier.takeTurn(ticket, in: burst)
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
        let isNo = notifier.isDenied(ticket, in: burst)
        let isTurn = !isNo && notifier.takeTurn(ticket, in: burst)
        if isAwaited, isTurn, answer == nil { return nil }
        notifier.leave(burst, hadTurn: isTurn)
        if let answer { return answer }
        throw isNo
            ? .denied(Reason(.personDenied, "a person denied similar requests meanwhile"))
            : .denied(isAwaited ? .timedOut : .withdrawn)
    }

    /// Waits for answers to open questions of the same client, while too many were asked.
    ///
    /// Returns an answer that also decides this request; nil if there is none in time.
    func covered(
        _ decoded: Decoded<some SignRequest>, _ judgement: Judgement
    ) async -> RememberedAnswer? {
        guard let subject = decoded.judged.client?.subject, notifier.hasOpen(subject),
            !judgement.undecided.isEmpty, decoded.onlyOnce == nil
        else { return nil }
        return await withTaskGroup(of: RememberedAnswer?.self) { group in
            group.addTask {
                await recalled(decoded, judgement, of: subject) { !notifier.hasOpen(subject) }
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(Self.coverSeconds))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// Returns the first remembered answer that decides the request; nil once `isOver` is true.
    private func recalled(
        _ decoded: Decoded<some SignRequest>, _ judgement: Judgement, of subject: Note.Subject,
        isOver: @Sendable () -> Bool
    ) async -> RememberedAnswer? {
        while !Task.isCancelled {
            // Must be read before `recall`, so that a change during it is not missed.
            let seen = notifier.changesCount
            let isLast = isOver()
            switch try? recall(decoded, judgement) {
            case .yes(let grants)?: return .yes(grants)
            case .no(let grant)?: return .no(grant)
            case .connection?, .nothing?, nil: break
            }
            if isLast { return nil }
            await notifier.wait(for: subject, after: seen)
        }
        return nil
    }
}
