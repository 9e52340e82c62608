// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Returns a reason for each remembered yes that would answer a part of the request, but has
    /// too little left for it.
    func usedUp(
        _ decoded: Decoded<some SignRequest>, _ judgement: Judgement
    ) -> [Reason] {
        let request = decoded.judged
        guard case .ask = judgement.verdict, !judgement.undecided.isEmpty, decoded.onlyOnce == nil
        else { return [] }
        let scopes = decoded.allScopes(withYes: true)
        let bounds = request.bounds(in: decoded.schema)
        let known = (try? ledger.grants(for: scopes.flatMap(\.yes))) ?? []
        return known.compactMap { sealed -> Reason? in
            let grant = sealed.grant
            guard grant.isActive(at: request.time, login: request.peer.login) else { return nil }
            let places = judgement.undecided.filter { place in
                scopes.indices.contains(place) && scopes[place].yes.contains(grant.scope)
                    && grant.covers(request.dangers + request.operations[place].dangers)
                    && (grant.scope.isBroad || grant.bounds(bounds[place]))
            }
            let spending = Spending(of: places.map { _ in sealed }, places, in: request)
            guard !places.isEmpty, spending.isCovered else { return nil }
            let claims = [grant.claim(uses: places.count)] + spending.claims
            return try? shortage(of: grant, claims, at: request.time)
        }
    }

    /// Returns the reason that a grant has no room for claims; nil if it has.
    private func shortage(
        of grant: Grant, _ claims: [LimitClaim], at time: Timestamp
    ) throws(LedgerError) -> Reason? {
        var (isFailing, isEmpty) = (false, true)
        var end = time
        for claim in claims where try !hasRoom(for: claim, at: time) {
            isFailing = true
            if try ledger.used(claim, at: time) < claim.maximum { isEmpty = false }
            end = max(end, try firstRoom(for: claim, in: grant.per, after: time) ?? .never)
        }
        guard isFailing else { return nil }
        let words = "grant \(grant.idText) (\(grant.limitWords ?? "")) "
        let until = end == .never ? "" : " until \(end.utcText)"
        let state = isEmpty ? "is used up" : "has too little left for this"
        return Reason(.limitExceeded, words + state + until)
    }

    /// Returns the first time at which a claim has room if nothing else is used; nil if there is no
    /// such time.
    private func firstRoom(
        for claim: LimitClaim, in period: Remembering.Period?, after time: Timestamp
    ) throws(LedgerError) -> Timestamp? {
        guard let period else { return nil }
        var (full, free) = (time, time.adding(seconds: period.seconds))
        guard try hasRoom(for: claim, at: free) else { return nil }
        while free.seconds - full.seconds > 1 {
            let middle = full.adding(seconds: (free.seconds - full.seconds) / 2)
            if try hasRoom(for: claim, at: middle) { free = middle } else { full = middle }
        }
        return free
    }
}

extension Timestamp {
    /// The time that stands for a limit that frees nothing.
    fileprivate static let never = Timestamp(seconds: .max)
}
