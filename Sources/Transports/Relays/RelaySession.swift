// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs

/// A signed login to a relay.
struct RelayLogin: Hashable {
    /// The signer's key of the connection.
    let key: String
    /// The id of the event.
    let id: String
    /// The event as JSON.
    let event: String
}

/// The state of one open socket to a relay: subscriptions (NIP-01), logins (NIP-42) and refusals.
///
/// It owns no socket and signs nothing: each call returns the next steps of its link.
struct RelaySession: Sendable {
    /// The next step of the link.
    enum Step: Hashable {
        case send([UInt8])
        /// Sign a login for each key and call `send(logins:for:at:)`.
        case logIn([String], challenge: String)
        /// Send the waiting answers, which the relay may accept now.
        case offerAnswers
        /// Close the socket, for this reason.
        case close(String)
    }

    /// One subscription, for at most `keysPerSubscription` keys.
    private struct Subscription {
        /// The name on the wire.
        let name: String
        let keys: [String]
        let asked: ContinuousClock.Instant
        /// True if the relay has confirmed it, or has sent an event for it.
        var isStanding = false
        /// True if the relay has ended it because a login is missing.
        var isRefused = false
    }

    private enum Login: Hashable {
        case sent, accepted, unanswered
        case refused(String)
    }

    private var wanted: [String] = []
    private var subscriptions: [Int: Subscription] = [:]
    /// The number of new sets of subscriptions after logins.
    ///
    /// It is a part of their names, so that a late message about an old subscription is recognized.
    private var round = 0
    private var challenge: String?
    /// The logins, by the key of the connection; a new challenge deletes them.
    private var logins: [String: Login] = [:]
    /// The keys of the login events without an answer of the relay, by the id of the event.
    private var outstanding: [String: String] = [:]
    private var outstandingSince: ContinuousClock.Instant
    private var isSigning = false
    private var loginRoundsLeft = RelaySession.loginRoundsMax
    private var refilled: ContinuousClock.Instant
    /// The message of a relay that requires a login but has not sent a challenge yet.
    private var awaited: (words: String, since: ContinuousClock.Instant)?
    /// The message of a relay that refuses permanently, and its time.
    private var refusal: (words: String, since: ContinuousClock.Instant)?
    /// The keys whose login was refused while others were accepted; they are not subscribed to.
    private var excluded: Set<String> = []
    /// The last notice of the relay.
    private var notice: String?

    static let keysPerSubscription = 100
    /// The maximum time to wait for a challenge or for the answer to a login.
    static let loginWait = Duration.seconds(10)
    /// The time after which an unanswered subscription counts as active.
    ///
    /// This matters for the answer to a client's URI.
    static let confirmationWait = Duration.seconds(3)
    /// The time after which a refusing relay is tried again.
    static let refusalHolds = Duration.seconds(300)
    /// The maximum number of challenges answered in a row; one more is allowed each minute.
    private static let loginRoundsMax = 3
    private static let loginRoundEvery = Duration.seconds(60)
    /// The maximum number of concurrent logins.
    private static let loginsAtOnce = 200

    init(at now: ContinuousClock.Instant) {
        outstandingSince = now
        refilled = now
    }
}

// MARK: - State

extension RelaySession {
    /// The keys whose login the relay refused, and its messages.
    private var refusals: [(key: String, words: String)] {
        wanted.compactMap { key in
            if case .refused(let words)? = logins[key] { (key, words) } else { nil }
        }
    }

    private var isLoggingIn: Bool { isSigning || !outstanding.isEmpty || awaited != nil }

    /// The state of the relay, and its message.
    var status: (state: RelayReport.State, problem: String?) {
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

    /// Returns true if events for a key arrive; a silent relay counts after a while.
    func serves(_ key: String, at now: ContinuousClock.Instant) -> Bool {
        subscriptions.values.contains { subscription in
            guard subscription.keys.contains(key) else { return false }
            return subscription.isStanding
                || !isLoggingIn && !subscription.isRefused
                    && now - subscription.asked >= Self.confirmationWait
        }
    }

    /// Returns true if there is a subscription of this name.
    func isAsked(for name: String) -> Bool { subscriptions.values.contains { $0.name == name } }
}

// MARK: - Events

extension RelaySession {
    /// Changes the keys to subscribe to.
    mutating func want(
        _ keys: [String], since: Int64, at now: ContinuousClock.Instant
    ) -> [Step] {
        guard keys != wanted else { return [] }
        let isNew = !Set(keys).isSubset(of: wanted)
        wanted = keys
        // The relay may accept a new key.
        if let refusal, isNew { return [.close(refusal.words)] }
        let known = Set(keys)
        logins = logins.filter { known.contains($0.key) }
        excluded.formIntersection(known)
        return subscribe(since: since, at: now) + logIn(at: now)
    }

    /// Handles a message of the relay about the session.
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

    /// Notes the signed logins and sends them, unless there is a newer challenge.
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
        // A key without a signature no longer has a connection.
        return signed.map { .send(RelayMessage.logIn($0.event)) }
    }

    /// Ends waits that have lasted too long.
    mutating func tick(since: Int64, at now: ContinuousClock.Instant) -> [Step] {
        if let refusal, now - refusal.since >= Self.refusalHolds { return [.close(refusal.words)] }
        if let awaited, now - awaited.since >= Self.loginWait {
            self.awaited = nil
            if subscriptions.values.contains(where: \.isRefused) { refuse(awaited.words, at: now) }
        }
        if !outstanding.isEmpty, now - outstandingSince >= Self.loginWait {
            // Some relays do not confirm a login.
            for key in outstanding.values { logins[key] = .unanswered }
            outstanding = [:]
            return finishLogins(since: since, at: now)
        }
        return []
    }

    private mutating func confirm(_ name: String?) {
        // Some relays do not name the subscription here.
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
            // The relay sends no more events; a new socket subscribes again.
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
        // Only the newest challenge counts, so earlier logins are useless.
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

    /// Handles that the relay requires a login for a subscription or an event.
    private mutating func takeRefusal(
        _ text: String, since: Int64, at now: ContinuousClock.Instant
    ) -> [Step] {
        let words = RelayReport.words(text)
        // After the logins, all subscriptions are made again.
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

    /// Makes new subscriptions after all logins are answered, as the relay may have withheld
    /// events.
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

    /// Makes the missing subscriptions; `anew` makes all of them, with new names.
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
        // Old subscriptions end last, so that no event is missed.
        return steps + ended.map { .send(RelayMessage.unsubscribe($0)) }
    }
}
