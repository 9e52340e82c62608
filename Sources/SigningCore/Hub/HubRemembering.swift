// SPDX-License-Identifier: Apache-2.0

/// The remembered answer to a request.
public enum RememberedAnswer: Hashable, Sendable {
    /// The request is not decided by a remembered answer.
    case nothing
    /// A no; the grant denies the request although the policy allows it.
    case no(Grant)
    /// A yes to all operations that the policy's default asks about.
    case yes([SealedGrant])
    /// The yes that connected the client covers the request: it reveals nothing new to the client,
    /// or ends the connection.
    case connection
}

extension SigningHub {
    /// Step 5, second part: finds a remembered answer.
    ///
    /// A remembered no also denies a request that rules allow. A remembered yes only answers
    /// operations about which the policy's default, not a rule, asks a person.
    func recall(
        _ decoded: Decoded<some SignRequest>, _ judgement: Judgement
    ) throws(Stop) -> RememberedAnswer {
        var asksByDefault = false
        if case .ask = judgement.verdict { asksByDefault = !judgement.undecided.isEmpty }
        let scopes = decoded.allScopes(withYes: asksByDefault && decoded.onlyOnce == nil)
        let found = try recall(decoded.judged, scopes, judgement, decoded.schema)
        guard case .nothing = found, decoded.judged.operations.isEmpty,
            givesUp(decoded, judgement) || repeatsConnection(decoded, judgement)
        else { return found }
        return .connection
    }

    /// True if a client ends its connection and no rule decides about it.
    ///
    /// Then the client may end its connection, even if the default denies. A request by a link is
    /// an exception, as any page can write a link in the name of another client.
    private func givesUp(_ decoded: Decoded<some SignRequest>, _ judgement: Judgement) -> Bool {
        guard decoded.terms.endsConnection, !decoded.judged.dangers.contains(.byLink) else {
            return false
        }
        switch judgement.verdict {
        case .allow: return false
        case .ask(let reasons), .deny(let reasons): return reasons.allSatisfy { $0.rule == nil }
        }
    }

    /// True if a person agreed when the client was connected and no rule decides about it.
    private func repeatsConnection(
        _ decoded: Decoded<some SignRequest>, _ judgement: Judgement
    ) -> Bool {
        guard decoded.terms.repeatsConnection, decoded.judged.allDangers.isEmpty,
            case .ask = judgement.verdict
        else { return false }
        return !judgement.undecided.isEmpty
    }

    /// Finds the remembered answer among the grants with these scopes.
    func recall(
        _ request: JudgedRequest, _ scopes: [OperationScopes], _ judgement: Judgement,
        _ schema: FactSchema
    ) throws(Stop) -> RememberedAnswer {
        if case .deny = judgement.verdict { return .nothing }
        let all = scopes.flatMap(\.all)
        guard !all.isEmpty else { return .nothing }
        do throws(LedgerError) {
            let active = try ledger.grants(for: all).filter {
                $0.grant.isActive(at: request.time, login: request.peer.login)
            }
            guard !active.isEmpty else { return .nothing }
            let noes = Set(scopes.compactMap(\.no))
            if let no = active.first(where: {
                $0.grant.answer == .no && noes.contains($0.grant.scope)
            }) {
                return .no(no.grant)
            }
            guard case .ask = judgement.verdict, !judgement.undecided.isEmpty else {
                return .nothing
            }
            return try yes(
                to: request, scopes, judgement.undecided, among: active,
                request.bounds(in: schema))
        } catch {
            throw .failed(Reason(.policyUnavailable, "the remembered answers could not be read"))
        }
    }

    private func yes(
        to request: JudgedRequest, _ scopes: [OperationScopes], _ undecided: [Int],
        among active: [SealedGrant], _ bounds: [[Fact]]
    ) throws(LedgerError) -> RememberedAnswer {
        var used: [SealedGrant] = []
        for (number, index) in undecided.enumerated() {
            guard request.operations.indices.contains(index) else { return .nothing }
            let operation = request.operations[index]
            var found: SealedGrant?
            for sealed in active where scopes[index].yes.contains(sealed.grant.scope) {
                let uses = used.count { $0.grant.id == sealed.grant.id }
                guard sealed.grant.covers(request.dangers + operation.dangers),
                    sealed.grant.scope.isBroad || sealed.grant.bounds(bounds[index]),
                    try hasRoom(for: sealed.grant.claim(uses: uses + 1), at: request.time),
                    try hasRoom(
                        for: Spending(
                            of: used + [sealed], Array(undecided.prefix(number + 1)), in: request),
                        at: request.time)
                else { continue }
                found = sealed
                break
            }
            guard let found else { return .nothing }
            used.append(found)
        }
        return .yes(used)
    }

    private func hasRoom(
        for spending: Spending, at time: Timestamp
    ) throws(LedgerError) -> Bool {
        guard spending.isCovered else { return false }
        for claim in spending.claims where try !hasRoom(for: claim, at: time) { return false }
        return true
    }

    func hasRoom(for claim: LimitClaim, at time: Timestamp) throws(LedgerError) -> Bool {
        let (total, hasOverflown) = try ledger.used(claim, at: time)
            .addingReportingOverflow(claim.amount)
        return !hasOverflown && total <= claim.maximum
    }

    /// Returns the grants that result from a yes, one for each scope; they share the totals.
    func yesGrants(_ wish: Remembering?, for decoded: Decoded<some SignRequest>) -> [Grant] {
        guard let wish, !decoded.scopes.isEmpty else { return [] }
        let judged = decoded.judged
        let totals = totals(of: wish, for: decoded)
        var grants: [Grant] = []
        for (index, scope) in decoded.scopes.enumerated() {
            let bounds = judged.bounds(in: decoded.schema)[index]
            let merged = grants.firstIndex { $0.scope == scope }
            let known = merged.map { grants[$0] }
            // Operations that share a scope share its bounds; without common bounds there is no
            // grant.
            if let known, !known.hasFacts(like: bounds) { return [] }
            let dangers = judged.dangers + judged.operations[index].dangers
            guard
                let grant = grant(
                    .yes, scope, (known?.dangers ?? []) + dangers, wish, for: judged,
                    bounds: Grant.highest(known?.bounds, bounds), totals: totals)
            else { return [] }
            if let merged { grants[merged] = grant } else { grants.append(grant) }
        }
        return grants
    }

    /// Returns the total amounts that a yes covers: for each asset the amount that the person
    /// named, otherwise the amount that was shown.
    private func totals(
        of wish: Remembering, for decoded: Decoded<some SignRequest>
    ) -> [Grant.Total] {
        let shown = decoded.judged.totals
        guard !shown.isEmpty else { return [] }
        let answerID =
            wish.per == nil
            ? environment.randomBytes(Grant.idCount).hexText : counterID(of: decoded.scopes)
        return shown.map { shown in
            let named = wish.totals.first { $0.asset.id == shown.asset.id }
            return Grant.Total(named ?? shown, counter: "total:\(answerID):\(shown.asset.id)")
        }
    }

    /// Returns the id of the counters of answers that count in each period.
    ///
    /// It is the same for each answer to such requests, so that a repeated answer does not refill
    /// the running period.
    private func counterID(of scopes: [Grant.Scope]) -> String {
        let text = Grant.Scope.counterText(of: scopes)
        return environment.sha256(Array(text.utf8).span).hexText
    }

    /// Returns the older grants that new ones will replace.
    func replaced(by new: [Grant]) -> [Grant] {
        guard !new.isEmpty else { return [] }
        let (now, known) = (environment.now(), try? ledger.grants(for: new.map(\.scope)))
        return (known ?? []).map(\.grant).filter { older in
            older.isActive(at: now, login: older.login) && new.contains { $0.replaces(older) }
        }
    }

    /// Returns the grants that result from a no, one for each scope.
    func noGrants(_ wish: Remembering?, for decoded: Decoded<some SignRequest>) -> [Grant] {
        guard let wish else { return [] }
        var grants: [Grant] = []
        for scope in decoded.refusalScopes where !grants.contains(where: { $0.scope == scope }) {
            guard let grant = grant(.no, scope, [], wish, for: decoded.judged) else { return [] }
            grants.append(grant)
        }
        return grants
    }

    /// Creates a grant; nil if it should last for a login and the transport knows no login.
    func grant(
        _ answer: Grant.Answer, _ scope: Grant.Scope, _ dangers: [Danger], _ wish: Remembering,
        for judged: JudgedRequest, bounds: [Fact] = [], totals: [Grant.Total] = [],
        secondsMax: Int64? = nil
    ) -> Grant? {
        // Without a login, the grant would apply to other sessions too.
        if wish.span == .session, judged.peer.login == nil { return nil }
        let ends = [
            wish.span.end(at: judged.time, ahead: environment.secondsAheadOfUTC),
            secondsMax.map { judged.time.adding(seconds: $0) },
        ].compactMap(\.self)
        return Grant(
            id: environment.randomBytes(Grant.idCount), answer: answer, scope: scope,
            dangers: Set(dangers).sorted { $0.name < $1.name }, created: judged.time,
            expires: ends.min(),
            login: wish.span == .session ? judged.peer.login : nil,
            usesMax: answer == .yes ? wish.usesMax : nil, bounds: bounds, totals: totals,
            per: answer == .yes ? wish.per : nil,
            counter: answer == .yes && wish.per != nil
                ? "grants:\(counterID(of: [scope]))" : nil)
    }
}
