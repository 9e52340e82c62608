// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs

/// A login to a relay that was signed.
struct RelayLogin: Hashable {
    /// The key of the connection.
    let key: String
    /// The id of the event.
    let id: String
    /// The event as JSON.
    let event: String
}

/// The state of one open socket to a relay: its subscriptions (NIP-01), its logins (NIP-42), and
/// what the relay refused.
///
/// It owns no socket and signs nothing: each call returns what its link has to do next.
struct RelaySession: Sendable {
    /// What the link does next.
    enum Step: Hashable {
        case send([UInt8])
        /// Signs a login for each key and calls `note(logins:)`.
        case logIn([String], challenge: String)
        /// Offers the answers that wait: the relay may refuse them no longer.
        case offerAnswers
        /// Ends the socket; why.
        case close(String)
    }

    /// One subscription, for at most `keysPerSubscription` keys.
    private struct Subscription {
        /// The name on the wire.
        let name: String
        let keys: [String]
        let asked: ContinuousClock.Instant
        /// The relay has confirmed it, or has sent an event for it.
        var isStanding = false
        /// The relay has ended it for want of a login.
        var isRefused = false
    }

    private enum Login: Hashable {
        case sent, accepted, unanswered
        case refused(String)
    }

    private var wanted: [String] = []
    private var subscriptions: [Int: Subscription] = [:]
    /// How often subscriptions were made anew after logins; a part of their names, so that a late
    /// word about an old one is not taken for one about the new.
    private var round = 0
    private var challenge: String?
    /// By the key of the connection; those of an older challenge count for nothing.
    private var logins: [String: Login] = [:]
    /// The keys of the login events that the relay has not answered, by the event's id.
    private var outstanding: [String: String] = [:]
    private var outstandingSince: ContinuousClock.Instant
    private var isSigning = false
    private var loginRoundsLeft = RelaySession.loginRoundsMax
    private var refilled: ContinuousClock.Instant
    /// The relay asked for a login and has sent no challenge yet.
    private var awaited: (words: String, since: ContinuousClock.Instant)?
    /// The words by which the relay refuses for good, and since when.
    private var refusal: (words: String, since: ContinuousClock.Instant)?
    /// Keys whose login was refused while others were accepted; nothing is asked for them.
    private var excluded: Set<String> = []
    /// What the relay said last as a notice.
    private var notice: String?

    static let keysPerSubscription = 100
    /// How long a challenge, or the answer to a login, is waited for.
    static let loginWait = Duration.seconds(10)
    /// After this time a subscription that the relay neither confirms nor refuses is taken to be
    /// good enough for the answer to a client's own URI.
    static let confirmationWait = Duration.seconds(3)
    /// How long a refusal holds before the relay is tried anew.
    static let refusalHolds = Duration.seconds(300)
    /// The most challenges that are answered at once, and in which time one more is.
    private static let loginRoundsMax = 3
    private static let loginRoundEvery = Duration.seconds(60)
    /// The most logins that are under way at one time.
    private static let loginsAtOnce = 200

    init(at now: ContinuousClock.Instant) {
        outstandingSince = now
        refilled = now
    }
}

// MARK: - What is known

extension RelaySession {
    /// The keys whose login the relay refused, and its words.
    private var refusals: [(key: String, words: String)] {
        wanted.compactMap { key in
            if case .refused(let words)? = logins[key] { (key, words) } else { nil }
        }
    }

    private var isLoggingIn: Bool { isSigning || !outstanding.isEmpty || awaited != nil }

    /// How the relay stands, and the words that go with it.
    var standing: (state: RelayReport.State, problem: String?) {
        if let refusal { return (.refused, refusal.words) }
        if isLoggingIn { return (.loggingIn, awaited?.words) }
        guard subscriptions.values.allSatisfy(\.isStanding), !subscriptions.isEmpty else {
            return (.subscribing, notice)
        }
        let words = refusals.first { excluded.contains($0.key) }?.words
        return (
            .open,
            words.map { "the login of \(excluded.count) of \(wanted.count) was refused: \($0)" }
        )
    }

    /// Whether events for a key arrive, as far as the relay says or keeps silent.
    func serves(_ key: String, at now: ContinuousClock.Instant) -> Bool {
        subscriptions.values.contains { subscription in
            guard subscription.keys.contains(key) else { return false }
            return subscription.isStanding
                || !isLoggingIn && !subscription.isRefused
                    && now - subscription.asked >= Self.confirmationWait
        }
    }

    /// Whether a subscription of this name was asked for.
    func isAsked(for name: String) -> Bool { subscriptions.values.contains { $0.name == name } }
}

// MARK: - What happens

extension RelaySession {
    /// Changes the keys that events are wanted for.
    mutating func want(
        _ keys: [String], since: Int64, at now: ContinuousClock.Instant
    ) -> [Step] {
        guard keys != wanted else { return [] }
        let isNew = !Set(keys).isSubset(of: wanted)
        wanted = keys
        // The relay may let a new key in.
        if let refusal, isNew { return [.close(refusal.words)] }
        let known = Set(keys)
        logins = logins.filter { known.contains($0.key) }
        excluded.formIntersection(known)
        return subscribe(since: since, at: now) + logIn(at: now)
    }

    /// Takes in a message of the relay that concerns the session itself.
    mutating func take(
        _ message: RelayMessage, since: Int64, at now: ContinuousClock.Instant
    ) -> [Step] {
        switch message {
        case .event(let name, _): confirm(name)
        case .endOfStored(let name): confirm(name)
        case .notice(let text): notice = RelayReport.words(text)
        case .closed(let name, let text): return take(closed: name, text, since: since, at: now)
        case .challenge(let text): return take(challenge: text, at: now)
        case .ok(let id, let isAccepted, let text):
            return take(ok: id, isAccepted, text, since: since, at: now)
        }
        return []
    }

    /// Notes the logins that were signed, and sends them unless a newer challenge came meanwhile.
    mutating func send(
        logins signed: [RelayLogin], for answered: String, at now: ContinuousClock.Instant
    ) -> [Step] {
        isSigning = false
        guard answered == challenge else { return logIn(at: now) }
        outstandingSince = now
        for login in signed {
            outstanding[login.id] = login.key
            logins[login.key] = .sent
        }
        // A key that signs nothing any more has no connection any more.
        return signed.map { .send(RelayMessage.logIn($0.event)) }
    }

    /// Ends what has lasted too long.
    mutating func tick(since: Int64, at now: ContinuousClock.Instant) -> [Step] {
        if let refusal, now - refusal.since >= Self.refusalHolds { return [.close(refusal.words)] }
        if let awaited, now - awaited.since >= Self.loginWait {
            self.awaited = nil
            if subscriptions.values.contains(where: \.isRefused) { refuse(awaited.words, at: now) }
        }
        if !outstanding.isEmpty, now - outstandingSince >= Self.loginWait {
            // Some relays take a login without a word.
            for key in outstanding.values { logins[key] = .unanswered }
            outstanding = [:]
            return finishLogins(since: since, at: now)
        }
        return []
    }

    private mutating func confirm(_ name: String?) {
        // Some relays name no subscription here.
        for (place, subscription) in subscriptions
        where name ?? subscription.name == subscription.name {
            subscriptions[place]?.isStanding = true
            subscriptions[place]?.isRefused = false
        }
    }

    private mutating func take(
        closed name: String, _ text: String, since: Int64, at now: ContinuousClock.Instant
    ) -> [Step] {
        guard let place = subscriptions.first(where: { $0.value.name == name })?.key else {
            return []
        }
        subscriptions[place]?.isStanding = false
        guard RelayMessage.wantsLogin(text) else {
            // It sends nothing more: a new socket asks again.
            let words = RelayReport.words(text)
            return [.close("the relay ended a subscription" + (words.isEmpty ? "" : ": \(words)"))]
        }
        subscriptions[place]?.isRefused = true
        return takeRefusal(text, since: since, at: now)
    }

    private mutating func take(
        challenge text: String, at now: ContinuousClock.Instant
    ) -> [Step] {
        guard text != challenge else { return logIn(at: now) }
        let passed = Int((now - refilled) / Self.loginRoundEvery)
        if passed > 0 {
            loginRoundsLeft = min(Self.loginRoundsMax, loginRoundsLeft + passed)
            refilled = now
        }
        guard loginRoundsLeft > 0, refusal == nil else { return [] }
        loginRoundsLeft -= 1
        // Only the newest counts: what was sent for another is answered in vain.
        challenge = text
        logins = [:]
        outstanding = [:]
        return logIn(at: now)
    }

    private mutating func take(
        ok id: String, _ isAccepted: Bool, _ text: String, since: Int64,
        at now: ContinuousClock.Instant
    ) -> [Step] {
        guard let key = outstanding.removeValue(forKey: id) else {
            return isAccepted || !RelayMessage.wantsLogin(text)
                ? [] : takeRefusal(text, since: since, at: now)
        }
        logins[key] = isAccepted ? .accepted : .refused(RelayReport.words(text))
        return outstanding.isEmpty ? finishLogins(since: since, at: now) : []
    }

    /// The relay refuses a subscription or an event until somebody has logged in.
    private mutating func takeRefusal(
        _ text: String, since: Int64, at now: ContinuousClock.Instant
    ) -> [Step] {
        let words = RelayReport.words(text)
        // Everything is asked for anew once the logins are through.
        guard !isSigning, outstanding.isEmpty, refusal == nil else { return [] }
        guard challenge != nil else {
            if awaited == nil { awaited = (words, now) }
            return []
        }
        let more = logIn(at: now)
        guard more.isEmpty else { return more }
        guard subscriptions.values.contains(where: \.isRefused) else { return [] }
        let refused = refusals.map(\.key)
        guard !refused.isEmpty, refused.count < wanted.count, !excluded.isSuperset(of: refused)
        else {
            refuse(words, at: now)
            return []
        }
        excluded.formUnion(refused)
        return subscribe(since: since, at: now, anew: true)
    }

    /// Logs in with the keys that have not answered the challenge yet.
    private mutating func logIn(at now: ContinuousClock.Instant) -> [Step] {
        guard let challenge, !isSigning, outstanding.isEmpty, refusal == nil else { return [] }
        let keys = Array(wanted.filter { logins[$0] == nil }.prefix(Self.loginsAtOnce))
        guard !keys.isEmpty else { return [] }
        awaited = nil
        isSigning = true
        outstandingSince = now
        return [.logIn(keys, challenge: challenge)]
    }

    /// All logins are answered: asks anew for what the relay may have kept back.
    private mutating func finishLogins(
        since: Int64, at now: ContinuousClock.Instant
    ) -> [Step] {
        let more = logIn(at: now)
        guard more.isEmpty else { return more }
        if refusals.count == wanted.count, let words = refusals.first?.words {
            refuse(words.isEmpty ? "the login" : words, at: now)
            return []
        }
        return subscribe(since: since, at: now, anew: true) + [.offerAnswers]
    }

    private mutating func refuse(_ words: String, at now: ContinuousClock.Instant) {
        if refusal == nil { refusal = (words, now) }
    }

    /// Asks for what is wanted and was not asked for; `anew` asks for everything under new names.
    private mutating func subscribe(
        since: Int64, at now: ContinuousClock.Instant, anew: Bool = false
    ) -> [Step] {
        if anew { round += 1 }
        let keys = wanted.filter { !excluded.contains($0) }
        let size = Self.keysPerSubscription
        var steps: [Step] = []
        var ended: [String] = []
        var asked: [Int: Subscription] = [:]
        for start in stride(from: 0, to: keys.count, by: size) {
            let place = start / size
            let part = Array(keys[start..<min(start + size, keys.count)])
            let old = subscriptions[place]
            if let old, old.keys == part, !anew {
                asked[place] = old
                continue
            }
            let fresh = "letters\(place)" + (round > 0 ? "-\(round)" : "")
            let name = anew ? fresh : old?.name ?? fresh
            if let old, old.name != name, !old.isRefused { ended.append(old.name) }
            steps.append(.send(RelayMessage.subscribe(name, to: part, since: since)))
            asked[place] = Subscription(name: name, keys: part, asked: now)
        }
        for (place, old) in subscriptions where asked[place] == nil { ended.append(old.name) }
        subscriptions = asked
        // Last, so that no event falls between an old one and a new one.
        return steps + ended.map { .send(RelayMessage.unsubscribe($0)) }
    }
}
