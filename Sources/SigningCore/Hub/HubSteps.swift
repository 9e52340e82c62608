// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Step 3: the whole frame, strictly, against the accounts held now.
    func decode<Adapter: ProtocolAdapter>(
        _ frame: Frame, with adapter: Adapter
    ) throws(AdapterError) -> Decoded<Adapter.Request> {
        try checkSize(of: frame, for: adapter)
        var identified = frame
        identified.requestID = id(of: frame)
        let frame = identified
        let other = { @Sendable [self] in try? decode(frame.about($0), with: adapter) }
        let first = try decode(frame, beside: frame.enclosure, by: adapter, other: other) {
            (context) throws(AdapterError) in
            try adapter.decode(frame.bytes.span, in: context)
        }
        guard first.terms.isAccountOpen else { return first }
        // What rules allow goes before what they ask about, and that before what they deny.
        return first.terms.otherAccounts.reduce(first) { best, account in
            guard rank(best) > 0, let next = other(account.id) else { return best }
            return rank(next) < rank(best) ? next : best
        }
    }

    /// 0 where rules allow a request, 1 where a person is asked, 2 where it is denied.
    func rank(_ decoded: Decoded<some SignRequest>) -> Int {
        let verdict = try? judge(decoded.judged).verdict.name
        return ["allow", "ask"].firstIndex(of: verdict) ?? 2
    }

    /// The id that the transport gave the request, or a new one.
    func id(of frame: Frame) -> [UInt8] {
        frame.requestID ?? intentIDs.next(at: environment.now(), environment.randomBytes(8))
    }

    func checkSize(
        of frame: Frame, for adapter: some ProtocolAdapter
    ) throws(AdapterError) {
        guard frame.bytes.count <= adapter.frameBytesMax else {
            throw adapter.refuseOversize(frameBytes: frame.bytes.count)
        }
        guard let enclosure = frame.enclosure else { return }
        let bytesMax = (adapter as? any TakesEnclosures)?.enclosureBytesMax ?? 0
        guard enclosure.count <= bytesMax else {
            throw adapter.refuseOversize(frameBytes: enclosure.count)
        }
    }

    /// `more` is what stands in the digest besides the frame; `first` is an earlier reading of it.
    func decode<Adapter: ProtocolAdapter>(
        _ frame: Frame, beside more: [UInt8]?, by adapter: Adapter,
        aging: Aging<Adapter.Request>? = nil, after first: Decoded<Adapter.Request>? = nil,
        other: @escaping @Sendable (KeyID) -> Decoded<Adapter.Request>? = { _ in nil },
        _ read: (DecodingContext) throws(AdapterError) -> Adapter.Request
    ) throws(AdapterError) -> Decoded<Adapter.Request> {
        // What was written while the first one waited counts.
        let judgedAt = first.map { $0.judgedAt } ?? (try? ledger.length())
        // A store that cannot be read shows no accounts here and fails in step 8.
        let held = (try? keyStore.accounts()) ?? []
        // One look at the ledger: what the adapter was told is what step 7 compares with.
        var seen: [ReplayToken: Bool?] = [:]
        let wasSeen = { [ledger] (token: ReplayToken) -> Bool? in
            if let known = seen[token] { return known }
            let answer = try? ledger.wasSeen(token)
            seen[token] = .some(answer)
            return answer
        }
        let context = context(
            of: frame, for: adapter.schema.protocolID, among: held, wasSeen: wasSeen)
        let now = context.now
        let request = try read(context)
        // Limits count by a time that never goes back; the wire sees the clock as it is.
        let latest = (try? ledger.latestTime()) ?? now
        var judged = JudgedRequest(
            request, by: adapter.id, frame: frame, at: max(now, latest), clock: now,
            client: context.client, accounts: held,
            isKnown: { [ledger] client in
                // Its owner connected it, and knows whom.
                if client.proof == .key { return true }
                let noted = try? ledger.noted(Note.seen, about: client.subject)
                return (noted ?? nil) != nil
            })
        judged.hub = ledger.hubName
        return Decoded(
            request, judged, of: adapter,
            id: first?.id ?? id(of: frame),
            digest: digest(of: frame, beside: more),
            tokenWasSeen: first.map { $0.tokenWasSeen } ?? request.replayToken.flatMap(wasSeen),
            judgedAt: judgedAt, aging: aging, other: other)
    }

    func context(
        of frame: Frame, for protocolID: ProtocolID, among held: [Account],
        wasSeen: @escaping (ReplayToken) -> Bool?
    ) -> DecodingContext {
        DecodingContext(
            accounts: held.filter { $0.protocolID == protocolID }, peer: frame.peer,
            client: frame.peer.client(by: environment), now: environment.now(),
            freshID: environment.randomBytes(16), wasSeen: wasSeen,
            noted: { [ledger] name, subject in try? ledger.noted(name, about: subject) },
            enclosure: frame.enclosure,
            connections: { [ledger] client in
                // What was asked for ahead is over by itself, and no wire's own login.
                let known = (try? ledger.connections(of: client, in: protocolID)) ?? []
                return known.filter { $0.expires == nil }
            },
            unsettled: { [ledger, lanes] in
                ((try? ledger.unsettled(of: protocolID)) ?? []).map { item in
                    lanes.isOnItsWay(item.item.id) ? item.onItsWay : item
                }
            },
            passkeys: ((try? keyStore.passkeys()) ?? []).filter { $0.protocolID == protocolID },
            nameable: { [nameable] client in
                nameable(client, frame.peer, held.filter { $0.protocolID == protocolID })
            }, chosen: frame.account)
    }

    /// SHA-256 of the frame; what lies beside it stands in it by its own.
    private func digest(of frame: Frame, beside more: [UInt8]?) -> [UInt8] {
        guard let more else { return environment.sha256(frame.bytes.span) }
        return environment.sha256((frame.bytes + environment.sha256(more.span)).span)
    }

    /// Step 4: a critical fact that no rule can name is not passed over, and no request is
    /// judged by the rules of a protocol that its adapter does not speak.
    func understand(
        _ request: JudgedRequest, as protocolID: ProtocolID
    ) throws(Stop) {
        let isForeign = request.operations.contains { $0.account.protocolID != protocolID }
        guard request.protocolID == protocolID, !isForeign else {
            throw .denied(Reason(.domainRefused, "the request is for keys of another protocol"))
        }
        let facts = request.operations.reduce(into: request.facts) { $0 += $1.facts }
        for fact in facts
        where fact.isCritical && !policy.understands(fact, of: request.protocolID) {
            throw .denied(Reason(.unknownFact, "no rule can name \"\(fact.name)\""))
        }
    }

    /// Step 5: the policy over a snapshot of the limits.
    func judge(_ request: JudgedRequest) throws(Stop) -> Judgement {
        do throws(LedgerError) {
            return try policy.judge(request, usage: LedgerUsage(ledger: ledger))
                .holding(to: request)
        } catch {
            throw .failed(Reason(.policyUnavailable, "the limits could not be read"))
        }
    }

    /// Between steps 6 and 7: the key store is opened, so that nothing waits for a person once
    /// the intent is written.
    ///
    /// What was waited for may have changed the answer, so it is judged again. Tells whether a
    /// person was waited for.
    func unlock(
        for decoded: Decoded<some SignRequest>, _ judgement: Judgement, _ consent: Consent
    ) async throws(Stop) -> Bool {
        guard !decoded.judged.operations.isEmpty else { return consent.expires != nil }
        // Nobody is asked for a passphrase for what cannot be carried out any more.
        switch consent {
        case .person, .people:
            if policy.hash != judgement.policyHash { throw Stop(.policyChanged) }
        case .policy, .grants, .connection: break
        }
        let hasUnlocked = try await hasWaited(toUnlockFor: decoded, on: consent.ground(judgement))
        // People were waited for where their yes is a new one.
        guard hasUnlocked || consent.expires != nil else { return false }
        let now = environment.now()
        if let expires = consent.expires, now > expires { throw .denied(.timedOut) }
        if let expires = decoded.terms.expires, now > expires {
            throw Self.timedOut(decoded.terms, at: now)
        }
        if let reason = consent.isUndone(by: try judge(decoded.judged.later(at: now))) {
            throw .denied(reason)
        }
        return true
    }

    /// Before several people are asked: the key store is opened, and what was waited for may have
    /// changed whom the policy asks.
    func unlock(
        before judgement: Judgement, asksPeopleAbout decoded: Decoded<some SignRequest>
    ) async throws(Stop) {
        let ground = KeyUse.Ground.asking(judgement.demands.map(\.text))
        guard try await hasWaited(toUnlockFor: decoded, on: ground) else { return }
        let later = try judge(decoded.judged.later(at: environment.now()))
        if case .deny(let reasons) = later.verdict, let reason = reasons.first {
            throw .denied(reason)
        }
        guard policy.hash == judgement.policyHash, later.demands == judgement.demands,
            case .ask = later.verdict
        else { throw Stop(.policyChanged) }
    }

    /// Opens the key store; whether somebody was waited for.
    private func hasWaited(
        toUnlockFor decoded: Decoded<some SignRequest>, on ground: KeyUse.Ground
    ) async throws(Stop) -> Bool {
        let use = KeyUse(
            makeSummary: { decoded.request.summary.completed(with: decoded.judged) },
            accounts: decoded.judged.operations.map(\.account), ground: ground)
        let hasWaited: Bool
        do throws(KeyStoreError) {
            hasWaited = try await keyStore.unlock(for: use)
        } catch {
            throw Stop(error)
        }
        if hasWaited, Task.isCancelled, !pending.hasJoined(decoded.pendingKey) {
            throw .denied(.withdrawn)
        }
        return hasWaited
    }

    /// Step 7: the intent, its limits and its replay token, durable before any key is used.
    func reserve(
        _ decoded: Decoded<some SignRequest>, _ judgement: Judgement, _ consent: Consent
    ) async throws(LedgerError) -> [UInt8] {
        let judged = decoded.judged
        guard let judgedAt = decoded.judgedAt else { throw .unavailable("a record of no length") }
        let now = environment.now()
        let intent = Intent(
            id: decoded.id, time: now, adapter: judged.adapter,
            protocolID: judged.protocolID, method: judged.method, client: judged.client,
            channel: judged.peer.channel.name, login: judged.peer.login,
            keys: judged.operations.map(\.account.id), requestDigest: decoded.digest,
            policyHash: judgement.policyHash,
            decidedBy: consent.name, grants: consent.standing.map(\.grant),
            scopes: decoded.refusalScopes + consent.standing.map(\.grant.scope),
            facts: decoded.recordedFacts,
            decoding: judged.decoding,
            frameBytes: judged.frameBytes,
            rules: judgement.verdict.reasons.compactMap(\.rule),
            effects: judged.allEffects, dangers: judged.allDangers,
            claims: consent.claims(beside: judgement.claims, of: judged, decoded.terms),
            replayToken: decoded.request.replayToken, serials: decoded.terms.serials,
            tokenWasSeen: decoded.tokenWasSeen, approval: consent.approval,
            requiredConnections: decoded.terms.requiredConnections, judgedAt: judgedAt)
        try await ledger.reserve(intent, currentPolicyHash: policy.hash)
        return intent.id
    }

    /// Between steps 7 and 8: gives back what was reserved too long ago, as it may have been
    /// frozen meanwhile, and what a client asked for that lost its access meanwhile.
    func checkStillServed(
        _ decoded: Decoded<some SignRequest>, by intentID: [UInt8], since reserving: Duration
    ) async throws(Stop) {
        let seconds = environment.uptime() - reserving
        let isLate = ledger.reservationLasts.map { seconds > $0 } ?? false
        guard let stop = isLate ? Stop.late : unserved(decoded) else { return }
        try? await ledger.settle(intentID, .notUsed(stop.reason), at: environment.now())
        throw stop
    }

    /// Why the client is not served as when it asked; nil where it is.
    func unserved(_ decoded: Decoded<some SignRequest>) -> Stop? {
        guard decoded.terms.isCurrent?() ?? true else { return .denied(.servedOtherwise) }
        return isProved(decoded.judged.peer) ? nil : .denied(.unproved)
    }

    /// Step 8: the permit is spent; after a failure the limits go back only if no key was used.
    func use(
        _ permit: consuming SigningPermit, for intentID: [UInt8]
    ) async throws(Stop) -> [KeyResult] {
        do throws(KeyStoreError) {
            return try keyStore.perform(permit)
        } catch {
            let stop = Stop(error)
            let settlement: Settlement =
                error.mayHaveUsedKey ? .failed(stop.reason) : .notUsed(stop.reason)
            // Without this record the intent counts as released, which is the safe reading.
            try? await ledger.settle(intentID, settlement, at: environment.now())
            throw stop
        }
    }

    /// Vouches for what is to be remembered; without that it is not, and the results stand all
    /// the same.
    func seal(_ wished: [Grant]) -> [SealedGrant] {
        wished.isEmpty ? [] : (try? keyStore.seal(wished)) ?? []
    }

    /// Step 9: a result that cannot be recorded or carried is not released.
    func settle(
        _ intentID: [UInt8], _ results: [KeyResult], _ reply: Reply,
        of decoded: Decoded<some SignRequest>, remembering sealed: [SealedGrant]
    ) async throws(Stop) {
        var settlement = Settlement.done(
            resultDigests: results.map { environment.sha256($0.bytes.span) }, remembers: sealed,
            notes: decoded.notes, connections: decoded.terms.connectionChanges,
            broadcast: reply.broadcast, identifiers: decoded.request.identifiers)
        var stop: Stop?
        if case .undeliverable(let reason) = reply {
            settlement = .failed(reason)
            stop = .failed(reason)
        }
        do throws(LedgerError) {
            try await ledger.settle(intentID, settlement, at: environment.now())
        } catch {
            throw .failed(Reason(.ledgerUnavailable, "the result could not be recorded"))
        }
        if let stop { throw stop }
    }

    /// Turns a stop into the outcome, and puts it on record where that is still possible; with
    /// it a no that is to be remembered.
    func refuse(
        _ decoded: Decoded<some SignRequest>, _ stop: Stop
    ) async -> (outcome: Outcome, remembered: [Grant]) {
        let judged = decoded.judged
        var wished: [Grant] = []
        if case .denied(_, let wish) = stop { wished = noes(wish, for: decoded) }
        let refusal = Refusal(
            id: decoded.id, time: environment.now(), adapter: judged.adapter,
            protocolID: judged.protocolID,
            method: judged.method, client: judged.client, channel: judged.peer.channel.name,
            requestDigest: decoded.digest, policyHash: policy.hash, kind: stop.kind,
            keys: judged.operations.map(\.account.id), effects: judged.allEffects,
            dangers: judged.allDangers, facts: decoded.recordedFacts, decoding: judged.decoding,
            frameBytes: judged.frameBytes, remembers: wished,
            reason: stop.reason)
        // A refusal stands even where it cannot be written down.
        let kept = await record(refusal, of: judged.peer) ? wished : []
        switch stop {
        case .denied(let reason, _): return (.denied(reason), kept)
        case .failed, .refused, .chosen: return (.failed(stop.reason), kept)
        }
    }
}

/// Lends a ledger to a policy as nothing but its counters.
private struct LedgerUsage: LimitUsage {
    let ledger: any Ledger

    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        try ledger.used(claim, at: now)
    }
}
