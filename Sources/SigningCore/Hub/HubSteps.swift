// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Step 3: decodes the whole frame, strictly, with the accounts that are held now.
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
        // Prefers an account for which rules allow the request, then one for which a person is
        // asked; of equal ones, the first.
        return first.terms.otherAccounts.reduce(first) { best, account in
            guard rank(best) > 0, let next = other(account.id) else { return best }
            return rank(next) < rank(best) ? next : best
        }
    }

    /// Returns 0 if rules allow a request, 1 if a person is asked, 2 if it is denied.
    func rank(_ decoded: Decoded<some SignRequest>) -> Int {
        let verdict = try? judge(decoded.judged).verdict.name
        return ["allow", "ask"].firstIndex(of: verdict) ?? 2
    }

    /// Returns the id that the transport gave the request, or a new one.
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

    /// Decodes with `read`; the digest covers frame and `more`, and `first` is an earlier reading.
    func decode<Adapter: ProtocolAdapter>(
        _ frame: Frame, beside more: [UInt8]?, by adapter: Adapter,
        aging: Aging<Adapter.Request>? = nil, after first: Decoded<Adapter.Request>? = nil,
        other: @escaping @Sendable (KeyID) -> Decoded<Adapter.Request>? = { _ in nil },
        _ read: (DecodingContext) throws(AdapterError) -> Adapter.Request
    ) throws(AdapterError) -> Decoded<Adapter.Request> {
        // A later reading takes the length from the first: entries written since then matter.
        let judgedAt = first.map { $0.judgedAt } ?? (try? ledger.length())
        // If the key store cannot be read, no account is found here, and step 8 would fail.
        let held = (try? keyStore.accounts()) ?? []
        // Each token is read only once, so that step 7 compares with what the adapter saw.
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
        // For limits, the time never goes back. The adapter gets the time of the clock.
        let latest = (try? ledger.latestTime()) ?? now
        var judged = JudgedRequest(
            request, by: adapter.id, frame: frame, at: max(now, latest), clock: now,
            client: context.client, accounts: held,
            isKnown: { [ledger] client in
                // The owner has connected this client.
                if client.proof == .key { return true }
                let noted = try? ledger.noted(Note.seen, about: client.subject)
                return (noted ?? nil) != nil
            })
        judged.hub = ledger.hubName
        if let names {
            judged.dangers += names.dangers(of: judged, in: adapter.schema) { request.summary }
        }
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
                // Connections that expire belong to granted wishes and are not a wire's login.
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

    /// Returns SHA-256 of the frame, followed by the SHA-256 of the enclosed data if there is some.
    private func digest(of frame: Frame, beside more: [UInt8]?) -> [UInt8] {
        guard let more else { return environment.sha256(frame.bytes.span) }
        return environment.sha256((frame.bytes + environment.sha256(more.span)).span)
    }

    /// Step 4: refuses a critical fact that no rule can name.
    ///
    /// It also refuses a request under the rules of a protocol that its adapter does not speak.
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
            throw .denied(Reason(.unknownFact, "rules cannot name \"\(fact.name)\""))
        }
    }

    /// Step 5: applies the policy to a snapshot of the limits.
    func judge(_ request: JudgedRequest) throws(Stop) -> Judgement {
        do throws(LedgerError) {
            return try policy.judge(request, usage: LedgerUsage(ledger: ledger))
                .holding(to: request)
        } catch {
            throw .failed(Reason(.policyUnavailable, "the limits could not be read"))
        }
    }

    /// Between steps 6 and 7: unlocks the key store, so that the hub waits for no person after the
    /// intent is recorded.
    ///
    /// If the hub waited for a person, the request is judged again, as the result may differ now.
    /// Returns whether it waited.
    func unlock(
        for decoded: Decoded<some SignRequest>, _ judgement: Judgement, _ consent: Consent
    ) async throws(Stop) -> Bool {
        guard !decoded.judged.operations.isEmpty else { return consent.expires != nil }
        // Asks for no passphrase if the request cannot be carried out any more.
        switch consent {
        case .person, .people, .delay:
            if policy.hash != judgement.policyHash { throw Stop(.policyChanged) }
            if let names, !names.isCurrent { throw .denied(.namesChanged) }
        case .policy, .grants, .connection: break
        }
        let hasUnlocked = try await hasWaited(toUnlockFor: decoded, on: consent.ground(judgement))
        // A yes that expires was given now, so the hub has waited for a person.
        guard hasUnlocked || consent.expires != nil else { return false }
        let now = environment.now()
        if let expires = consent.expires, now > expires { throw .denied(.timedOut) }
        if let expires = decoded.terms.expires, now > expires {
            throw Self.timedOut(decoded.terms, at: now)
        }
        if let reason = consent.cancellation(by: try judge(decoded.judged.later(at: now))) {
            throw .denied(reason)
        }
        return true
    }

    /// Unlocks the key store before approvers are asked; if that took a person, judges again.
    ///
    /// Throws if the policy has other demands after the wait.
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

    /// Unlocks the key store and returns whether the hub waited for a person.
    private func hasWaited(
        toUnlockFor decoded: Decoded<some SignRequest>, on ground: KeyUse.Ground
    ) async throws(Stop) -> Bool {
        let use = KeyUse(
            makeSummary: { summary(of: decoded) },
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

    /// Step 7: reserves the intent, its limits and its replay token durably before a key is used.
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
            decidedBy: consent.name, grants: consent.usedGrants.map(\.grant),
            scopes: decoded.refusalScopes + consent.usedGrants.map(\.grant.scope),
            facts: decoded.recordedFacts,
            decoding: judged.decoding,
            frameBytes: judged.frameBytes,
            rules: judgement.verdict.reasons.compactMap(\.rule),
            effects: judged.allEffects, dangers: judged.allDangers,
            claims: consent.claims(by: judgement, of: judged, decoded.terms),
            replayToken: decoded.request.replayToken, serials: decoded.terms.serials,
            tokenWasSeen: decoded.tokenWasSeen, approval: consent.approval,
            requiredConnections: decoded.terms.requiredConnections, judgedAt: judgedAt)
        try await ledger.reserve(intent, currentPolicyHash: policy.hash)
        return intent.id
    }

    /// Between steps 7 and 8: cancels a reservation that is too old, or whose client has lost its
    /// access.
    ///
    /// Another hub may have frozen signing after an old reservation was made.
    func checkStillServed(
        _ decoded: Decoded<some SignRequest>, by intentID: [UInt8], since reserving: Duration
    ) async throws(Stop) {
        let seconds = environment.uptime() - reserving
        let isLate = ledger.reservationLasts.map { seconds > $0 } ?? false
        guard let stop = isLate ? Stop.late : unserved(decoded) else { return }
        try? await ledger.settle(intentID, .notUsed(stop.reason), at: environment.now())
        throw stop
    }

    /// Returns the stop if the client lost its access since it sent the request; otherwise nil.
    func unserved(_ decoded: Decoded<some SignRequest>) -> Stop? {
        guard decoded.terms.isCurrent?() ?? true else { return .denied(.servedOtherwise) }
        return isProved(decoded.judged.peer) ? nil : .denied(.unproved)
    }

    /// Step 8: performs the operations of the permit; after a failure, uses of limits are deleted
    /// only if no key was used.
    func use(
        _ permit: consuming SigningPermit, for intentID: [UInt8]
    ) async throws(Stop) -> [KeyResult] {
        do throws(KeyStoreError) {
            return try keyStore.perform(permit)
        } catch {
            let stop = Stop(error)
            let settlement: Settlement =
                error.mayHaveUsedKey ? .failed(stop.reason) : .notUsed(stop.reason)
            // If this fails, the intent counts as one with a released signature, which is safe.
            try? await ledger.settle(intentID, settlement, at: environment.now())
            throw stop
        }
    }

    /// Seals the grants to remember; returns none if that fails, and the results remain valid.
    func seal(_ wished: [Grant]) -> [SealedGrant] {
        wished.isEmpty ? [] : (try? keyStore.seal(wished)) ?? []
    }

    /// Step 9: records the result; throws if that fails, or if the reply does not fit the wire.
    func settle(
        _ intentID: [UInt8], _ results: [KeyResult], _ reply: Reply,
        of agreed: Agreed<some SignRequest>, remembering sealed: [SealedGrant]
    ) async throws(Stop) {
        let decoded = agreed.decoded
        let now = environment.now()
        var settlement = Settlement.done(
            resultDigests: results.map { environment.sha256($0.bytes.span) }, remembers: sealed,
            notes: decoded.notes + agreed.firstUses(at: now),
            connections: decoded.terms.connectionChanges,
            broadcast: reply.broadcast, identifiers: decoded.request.identifiers)
        var stop: Stop?
        if case .undeliverable(let reason) = reply {
            settlement = .failed(reason)
            stop = .failed(reason)
        }
        do throws(LedgerError) {
            try await ledger.settle(intentID, settlement, at: now)
        } catch {
            throw .failed(Reason(.ledgerUnavailable, "the result could not be recorded"))
        }
        if let stop { throw stop }
    }

    /// Records a stop, with a no to remember, and returns the outcome; recording may fail.
    func refuse(
        _ decoded: Decoded<some SignRequest>, _ stop: Stop
    ) async -> (outcome: Outcome, remembered: [Grant]) {
        let judged = decoded.judged
        var wished: [Grant] = []
        if case .denied(_, let wish) = stop { wished = noGrants(wish, for: decoded) }
        let refusal = Refusal(
            id: decoded.id, time: environment.now(), adapter: judged.adapter,
            protocolID: judged.protocolID,
            method: judged.method, client: judged.client, channel: judged.peer.channel.name,
            requestDigest: decoded.digest, policyHash: policy.hash, kind: stop.kind,
            keys: judged.operations.map(\.account.id), effects: judged.allEffects,
            dangers: judged.allDangers, facts: decoded.recordedFacts, decoding: judged.decoding,
            frameBytes: judged.frameBytes, remembers: wished,
            reason: stop.reason)
        // The request is refused even if that cannot be recorded.
        let kept = await record(refusal, of: judged.peer) ? wished : []
        switch stop {
        case .denied(let reason, _): return (.denied(reason), kept)
        case .failed, .refused, .chosen: return (.failed(stop.reason), kept)
        }
    }
}

/// Lets a policy read the counters and first uses of a ledger, and nothing else.
private struct LedgerUsage: LimitUsage {
    let ledger: any Ledger

    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        try ledger.used(claim, at: now)
    }

    func usedByName(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        try ledger.usedByName(claim, at: now)
    }

    func firstUse(of counterparty: Counterparty) throws(LedgerError) -> FirstUse {
        try ledger.firstUse(of: counterparty)
    }
}
