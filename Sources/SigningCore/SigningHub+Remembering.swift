// SPDX-License-Identifier: Apache-2.0

/// What people said before about a request.
public enum Recollection: Hashable, Sendable {
    /// Nothing that decides.
    case nothing
    /// No; the grant denies it whatever the policy says.
    case no(Grant)
    /// Yes, for all that the policy's default asks about.
    case yes([SealedGrant])
}

extension SigningHub {
    /// Step 5, second part: a remembered no wins over all but a denial, a remembered yes answers
    /// what nothing but the default asks about.
    func recall(
        _ decoded: Decoded<some SignRequest>, _ judgement: Judgement
    ) throws(Stop) -> Recollection {
        guard !decoded.scopes.isEmpty else { return .nothing }
        let scopes = decoded.scopes.enumerated().map { index, scope in
            decoded.broadScopes.indices.contains(index)
                ? [scope, decoded.broadScopes[index]] : [scope]
        }
        let found = try recall(decoded.judged, scopes, judgement)
        if case .yes = found, decoded.request.isOneTime { return .nothing }
        return found
    }

    /// The same, for operations with all the scopes that each of them falls under.
    func recall(
        _ request: JudgedRequest, _ scopes: [[Grant.Scope]], _ judgement: Judgement
    ) throws(Stop) -> Recollection {
        if case .deny = judgement.verdict { return .nothing }
        do throws(LedgerError) {
            let active = try ledger.grants(for: scopes.flatMap(\.self)).filter {
                $0.grant.isActive(at: request.time, session: request.origin.session)
            }
            if let no = active.first(where: { $0.grant.answer == .no }) { return .no(no.grant) }
            guard case .ask = judgement.verdict, !judgement.undecided.isEmpty else {
                return .nothing
            }
            return try yes(to: request, scopes, judgement.undecided, among: active)
        } catch {
            throw .failed(Reason(.policyUnavailable, "remembered answers could not be read"))
        }
    }

    private func yes(
        to request: JudgedRequest, _ scopes: [[Grant.Scope]], _ undecided: [Int],
        among active: [SealedGrant]
    ) throws(LedgerError) -> Recollection {
        var used: [SealedGrant] = []
        for index in undecided {
            let operation = request.operations[index]
            var found: SealedGrant?
            for sealed in active where scopes[index].contains(sealed.grant.scope) {
                let uses = used.count { $0.grant.id == sealed.grant.id }
                guard sealed.grant.covers(request.dangers + operation.dangers),
                    try hasRoom(for: sealed.grant.claim(uses: uses + 1), at: request.time)
                else { continue }
                found = sealed
                break
            }
            guard let found else { return .nothing }
            used.append(found)
        }
        return .yes(used)
    }

    private func hasRoom(for claim: LimitClaim, at time: Timestamp) throws(LedgerError) -> Bool {
        let (total, hasOverflown) = try ledger.used(claim, at: time)
            .addingReportingOverflow(claim.amount)
        return !hasOverflown && total <= claim.maximum
    }

    /// The grants that come of an answer, one for each scope.
    func grants(
        _ answer: Grant.Answer, _ wish: Remembering?, for decoded: Decoded<some SignRequest>
    ) -> [Grant] {
        guard let wish, !decoded.scopes.isEmpty else { return [] }
        let judged = decoded.judged
        var grants: [Grant] = []
        for (scope, operation) in zip(decoded.scopes, judged.operations) {
            let dangers = answer == .yes ? judged.dangers + operation.dangers : []
            let merged = grants.firstIndex { $0.scope == scope }
            let known = merged.map { grants[$0].dangers } ?? []
            guard let grant = grant(answer, scope, known + dangers, wish, for: judged) else {
                return []
            }
            if let merged { grants[merged] = grant } else { grants.append(grant) }
        }
        return grants
    }

    /// One grant; nil for a session that the transport does not know.
    func grant(
        _ answer: Grant.Answer, _ scope: Grant.Scope, _ dangers: [Danger], _ wish: Remembering,
        for judged: JudgedRequest
    ) -> Grant? {
        // It could not be told from another.
        if wish.span == .session, judged.origin.session == nil { return nil }
        return Grant(
            id: environment.randomBytes(Grant.idCount), answer: answer, scope: scope,
            dangers: Set(dangers).sorted { $0.name < $1.name }, created: judged.time,
            expires: wish.span.seconds.map { Timestamp(seconds: judged.time.seconds + $0) },
            session: wish.span == .session ? judged.origin.session : nil,
            usesMax: answer == .yes ? wish.usesMax : nil)
    }
}
