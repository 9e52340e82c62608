// SPDX-License-Identifier: Apache-2.0

/// A request that is ready for step 7, with its latest judgement.
struct Agreed<Request: SignRequest> {
    let decoded: Decoded<Request>
    let judgement: Judgement
    /// True if the request matches the one that was agreed to in step 6.
    let holds: Bool

    /// The notes that its new counterparties are known from now on.
    func firstUses(at now: Timestamp) -> [Note] {
        // Rules count from the latest time on record where the clock is behind it.
        let time = max(now, decoded.judged.time)
        return judgement.newCounterparties.map { $0.note(at: time) }
    }
}

extension SigningHub {
    /// Between steps 6 and 7: waits for the request's turn and renews values that age.
    ///
    /// `holds` is false if the renewed request differs in more than these values: in signed bytes,
    /// dangers or shown words. The yes does not cover such a request.
    func renewed<Request: SignRequest>(
        _ decoded: Decoded<Request>, _ judgement: Judgement, _ consent: Consent, _ hasWaited: Bool
    ) async throws(Stop) -> Agreed<Request> {
        guard let aging = decoded.aging else {
            return Agreed(decoded: decoded, judgement: judgement, holds: true)
        }
        let (isNext, isAwaited) = await whileAwaited(decoded.pendingKey) { await aging.begin() }
        guard isAwaited else { throw .denied(.withdrawn) }
        guard isNext else { throw .denied(.laneIsFull) }
        let later = try await aging.renew(decoded, hasWaited)
        let now = environment.now()
        if let expires = consent.expires, now > expires { throw .denied(.timedOut) }
        let found = try judge(later.judged)
        let isSame =
            decoded.agrees(with: later) && consent.cancellation(by: found) == nil
            && found.policyHash == judgement.policyHash
            && (found.undecided == judgement.undecided || found.verdict.name == "allow")
        return Agreed(decoded: later, judgement: found, holds: isSame)
    }
}

extension Consent {
    /// Returns the reason that a later judgement cancels the yes; nil if the yes still counts.
    func cancellation(by later: Judgement) -> Reason? {
        switch (later.verdict, self) {
        case (.allow, _), (.ask, .person), (.ask, .people), (.ask, .grants), (.ask, .connection):
            break
        case (.ask, .delay(let seconds, _)) where (1...seconds).contains(later.delay): break
        case (.ask(let reasons), .policy), (.ask(let reasons), .delay), (.deny(let reasons), _):
            return reasons.first ?? Reason(.policyChanged, "the rules now decide differently")
        }
        guard later.demands == demands || later.verdict.name == "allow" else {
            return Reason(.policyChanged, "the rules now ask other people")
        }
        return nil
    }
}

extension Reason {
    static let changedMeanwhile = Reason(
        .policyChanged, "the content to sign changed while the request waited; ask again")

    static let namesChanged = Reason(
        .policyChanged, "the contacts changed while the request waited; ask again")

    static let laneIsFull = Reason(
        .tooManyQuestions, "other requests of this key are still being sent; ask again")
}
