// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Returns the state of each wish of a request, from judging a request that it would permit.
    func offers(to decoded: Decoded<some SignRequest>) throws(Stop) -> [WishOffer] {
        try decoded.terms.wishes.map { (wish) throws(Stop) in
            let state = try state(of: wish, in: decoded)
            // If a yes to the request counts only once, no wish can be granted with it.
            let isClosed = decoded.onlyOnce != nil && state == .open
            return WishOffer(wish: wish, state: isClosed ? .closed : state)
        }
    }

    private func state(
        of wish: Wish, in decoded: Decoded<some SignRequest>
    ) throws(Stop) -> Wish.State {
        let request = decoded.judged
        guard let scope = request.scope(of: wish) else { return .closed }
        let like = request.asking(for: wish)
        let judgement = try judge(like)
        switch judgement.verdict {
        case .deny: return .closed
        case .allow: return .granted
        case .ask:
            // If a rule asks a person each time, a granted wish would have no effect.
            guard !judgement.undecided.isEmpty, wish.isGrantable,
                !wish.dangers.contains(where: decoded.schema.alwaysAsked.contains)
            else { return .closed }
            let scopes = OperationScopes(yes: [scope], no: nil)
            if case .yes = try recall(like, [scopes], judgement, decoded.schema) {
                return .granted
            }
            return .open
        }
    }

    /// Returns the grants for those open wishes that a person chose.
    func grants(
        _ choice: GrantedWishes?, of offers: [WishOffer], for decoded: Decoded<some SignRequest>
    ) -> [Grant] {
        guard let choice else { return [] }
        let judged = decoded.judged
        return choice.places.sorted().compactMap { place in
            guard offers.indices.contains(place), offers[place].state == .open,
                let scope = judged.scope(of: offers[place].wish)
            else { return nil }
            let wish = offers[place].wish
            // Other waiting requests of a new client were judged with the danger `new_client`, so
            // the grant must cover this danger.
            let new = judged.dangers.filter { $0 == .newClient && decoded.terms.burst != nil }
            return grant(
                .yes, scope, wish.dangers + new, choice.remembering, for: judged,
                secondsMax: wish.secondsMax)
        }
    }

    /// Writes results, with the wishes that are now granted if there are any.
    func encode<Adapter: ProtocolAdapter>(
        _ results: [KeyResult], to decoded: Decoded<Adapter.Request>, granted: [Int],
        by adapter: Adapter
    ) -> Reply {
        guard !decoded.terms.wishes.isEmpty,
            let granting = adapter as? any GrantsWishes<Adapter.Request>
        else { return adapter.encode(.done(results), to: decoded.request) }
        return granting.encode(.done(results), to: decoded.request, granted: granted)
    }

    /// Returns the indexes of the wishes that are granted now, including new ones.
    func granted(
        _ offers: [WishOffer], to decoded: Decoded<some SignRequest>, keeping kept: [SealedGrant]
    ) -> [Int] {
        offers.indices.filter { place in
            if offers[place].state == .granted { return true }
            let scope = decoded.judged.scope(of: offers[place].wish)
            return kept.contains { $0.grant.scope == scope }
        }
    }
}

extension JudgedRequest {
    /// Returns an example of a request of the same client that the wish would permit.
    fileprivate func asking(for wish: Wish) -> JudgedRequest {
        var asked = JudgedRequest(
            adapter: adapter, protocolID: protocolID, method: wish.method, client: client,
            peer: peer, time: time, clock: clock, frameBytes: frameBytes, decoding: decoding,
            facts: [], effects: [], dangers: dangers,
            operations: [
                RequestedOperation(
                    account: operations[wish.place].account, operation: .publicKey,
                    facts: wish.facts, effects: wish.effects, dangers: wish.dangers)
            ], ownAddresses: ownAddresses)
        asked.hub = hub
        return asked
    }
}
