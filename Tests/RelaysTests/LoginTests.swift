// SPDX-License-Identifier: Apache-2.0

import LoopbackServer
import NIP46
import NostrSamples
import SigningCodecs
import SigningCore
import SigningTesting
import Synchronization
import TestHome
import Testing

@testable import Relays
@testable import SigningService

/// Relays that demand a login, in each order of messages that relays in use have (NIP-42), and
/// relays that confirm nothing.
@Suite("Logins to relays", .timeLimit(.minutes(5)))
struct LoginTests {
    private static let limits = TransportLimits(
        connectionsMax: 5, framesMax: 8, framesPerPeerMax: 8, drainSecondsMax: 1)

    private func until(_ holds: () throws -> Bool) async throws {
        while try !holds() { try await Task.sleep(for: .milliseconds(10)) }
    }

    private func report(of transport: RelayTransport, _ relay: LoopbackRelay) -> RelayReport? {
        transport.reports.first { $0.relay == relay.url }
    }

    @Test(
        "a client is answered, and the relay counts as open from then on",
        arguments: [
            RelayManners.Habit.challengeFirst, .closedFirst, .held, .hidden, .asksPublisher,
            .newestChallenge, .namelessEOSE, .plain,
        ])
    func answered(habit: RelayManners.Habit) async throws {
        let rig = try RelaysRig(relay: habit)
        let transport = rig.transport(Self.limits)
        let run = Task { try await transport.run(rig.signer) { _ in } }
        defer { run.cancel() }
        let client = try await rig.client(of: transport)
        try await until { report(of: transport, rig.relay)?.state == .open }
        let call = try client.post("ping")
        #expect(try await client.answer(to: call.id)["result"] == "pong")
        try await until { report(of: transport, rig.relay)?.state == .open }
        #expect(rig.relay.loginsCount <= 2)
        #expect(report(of: transport, rig.relay)?.problem == nil)
    }

    @Test(
        "a client's own URI is answered",
        arguments: [
            RelayManners.Habit.challengeFirst, .closedFirst, .held, .hidden, .asksPublisher,
            .newestChallenge, .noEOSE, .namelessEOSE, .plain,
        ])
    func invited(habit: RelayManners.Habit) async throws {
        let rig = try RelaysRig(relay: habit)
        let transport = rig.transport(Self.limits)
        let run = Task { try await transport.run(rig.signer) { _ in } }
        defer { run.cancel() }
        let place = rig.relay.url.replacing(":", with: "%3A").replacing("/", with: "%2F")
        let uri = try NostrConnectURI(
            "nostrconnect://\(NostrKeys.bobHex)?relay=\(place)&secret=s")
        let account = try #require(try rig.home.accounts().first)
        _ = try rig.home.acceptConnection(
            "phone", of: uri, to: account, passphrase: RelaysRig.passphrase)
        // The secret, and "ack" for clients that accept nothing else.
        try await until { Set(rig.relay.published(for: NostrKeys.bobHex)).count == 2 }
        let state = report(of: transport, rig.relay)?.state
        #expect(state == (habit == .noEOSE ? .subscribing : .open))
    }

    @Test(
        "a relay that refuses for good is reported in its words, after a login for each challenge",
        arguments: [
            // A challenge at once and one with the first subscription, both before an answer to a
            // login.
            (RelayManners.Habit.restricted, "restricted: members only", 2),
            (.refusesLogin, "blocked: not on the list", 1),
        ])
    func refused(habit: RelayManners.Habit, words: String, count: Int) async throws {
        let rig = try RelaysRig(relay: habit)
        let transport = rig.transport(Self.limits)
        let run = Task { try await transport.run(rig.signer) { _ in } }
        defer { run.cancel() }
        try rig.offer()
        try await until { report(of: transport, rig.relay)?.state == .refused }
        #expect(report(of: transport, rig.relay)?.problem == words)
        try await Task.sleep(for: .milliseconds(300))
        #expect(rig.relay.loginsCount <= count)
        #expect(rig.relay.openedCount == 1)
        let metrics = RelayReport.metrics(transport.reports, unansweredCount: 0)
        #expect(metrics.contains("countersign_relay_open{relay=\"\(rig.relay.url)\"} 0\n"))
        #expect(metrics.contains("state=\"refused\"} 1\n"))
    }

    @Test("a relay that hides nothing and takes a login without a word is open in the end")
    func silent() async throws {
        var now = ContinuousClock.now
        var session = RelaySession(at: now)
        _ = session.want(["a"], since: 0, at: now)
        #expect(session.status.state == .subscribing)
        #expect(
            session.take(.challenge("c"), since: 0, at: now) == [.logIn(["a"], challenge: "c")])
        let login = RelayLogin(key: "a", id: "1", event: "{}")
        #expect(session.send(logins: [login], for: "c", at: now).count == 1)
        _ = session.take(.endOfStored(subscription: "letters0"), since: 0, at: now)
        // Before the login the relay may hide all events, so this end means nothing.
        #expect(session.status.state == .loggingIn && session.serves("a", at: now))
        now += RelaySession.loginWait
        #expect(session.tick(since: 0, at: now).contains(.offerAnswers))
        _ = session.take(.endOfStored(subscription: "letters0-1"), since: 0, at: now)
        #expect(session.status.state == .open)
        #expect(session.take(.challenge("c"), since: 0, at: now) == [])
    }

    @Test("a relay that demands a login and sends no challenge is refused, and tried anew later")
    func unchallenged() {
        var now = ContinuousClock.now
        var session = RelaySession(at: now)
        _ = session.want(["a"], since: 0, at: now)
        let closed = RelayMessage.closed(subscription: "letters0", text: "auth-required: x")
        #expect(session.take(closed, since: 0, at: now) == [])
        #expect(session.status.state == .loggingIn)
        now += RelaySession.loginWait
        #expect(session.tick(since: 0, at: now) == [])
        #expect(session.status == (.refused, "auth-required: x"))
        now += RelaySession.refusalHolds
        #expect(session.tick(since: 0, at: now) == [.close("auth-required: x")])
    }

    @Test("a key that the relay does not let in takes nothing from one that it does")
    func partly() {
        let now = ContinuousClock.now
        var session = RelaySession(at: now)
        _ = session.want(["a", "b"], since: 0, at: now)
        _ = session.take(.challenge("c"), since: 0, at: now)
        let logins = ["a", "b"].map { RelayLogin(key: $0, id: "id \($0)", event: "{}") }
        _ = session.send(logins: logins, for: "c", at: now)
        _ = session.take(.ok(id: "id a", isAccepted: true, text: ""), since: 0, at: now)
        _ = session.take(
            .ok(id: "id b", isAccepted: false, text: "restricted: b"), since: 0, at: now)
        let closed = RelayMessage.closed(subscription: "letters0-1", text: "auth-required: b")
        let steps = session.take(closed, since: 0, at: now)
        #expect(steps == [.send(RelayMessage.subscribe("letters0-2", to: ["a"], since: 0))])
        _ = session.take(.endOfStored(subscription: "letters0-2"), since: 0, at: now)
        #expect(session.serves("a", at: now) && !session.serves("b", at: now))
        #expect(
            session.status == (.open, "the login of 1 of 2 was refused: restricted: b"))
    }

    @Test("a relay that challenges without end gets three logins, and one more a minute")
    func storm() {
        var now = ContinuousClock.now
        var session = RelaySession(at: now)
        _ = session.want(["a"], since: 0, at: now)
        func logins(_ numbers: Range<Int>) -> Int {
            numbers.count { number in
                let steps = session.take(.challenge("c\(number)"), since: 0, at: now)
                guard case .logIn(_, let challenge)? = steps.first else { return false }
                let login = RelayLogin(key: "a", id: "\(number)", event: "{}")
                _ = session.send(logins: [login], for: challenge, at: now)
                let taken = RelayMessage.ok(id: "\(number)", isAccepted: true, text: "")
                _ = session.take(taken, since: 0, at: now)
                return true
            }
        }
        #expect(logins(0..<500) == 3)
        now += .seconds(61)
        #expect(logins(500..<1_000) == 1)
    }

    @Test(
        "an answer that the relay refuses at first arrives",
        arguments: [
            (RelayManners.Habit.refuses(1, "rate-limited: slow down"), 1),
            (.refuses(2, "mute: nobody mutually followed"), 2),
        ])
    func offeredAgain(habit: RelayManners.Habit, count: Int) async throws {
        let rig = try RelaysRig(relay: habit)
        let transport = rig.transport(Self.limits)
        let run = Task { try await transport.run(rig.signer) { _ in } }
        defer { run.cancel() }
        let client = try await rig.client(of: transport)
        let call = try client.post("ping")
        try await until { rig.relay.refusedCount == 1 }
        try await until { report(of: transport, rig.relay)?.refusedCount == 1 }
        #expect(report(of: transport, rig.relay)?.unsentCount == 1)
        #expect(try await client.answer(to: call.id)["result"] == "pong")
        try await until { report(of: transport, rig.relay)?.unsentCount == 0 }
        let last = report(of: transport, rig.relay)
        guard case .refuses(_, let words) = habit else { return }
        #expect(last?.lastRefusal == words && last?.refusedCount == count)
        let metrics = RelayReport.metrics(transport.reports, unansweredCount: 0)
        #expect(metrics.contains("countersign_relay_answers_refused_total"))
        #expect(last?.json["last_refusal"]?.text == words)
        #expect(last?.state == .open)
    }

    @Test("a client that listens a moment late gets its answer")
    func late() async throws {
        let rig = try RelaysRig()
        let transport = rig.transport(Self.limits)
        let run = Task { try await transport.run(rig.signer) { _ in } }
        defer { run.cancel() }
        let client = try await rig.client(of: transport)
        let call = try client.post("ping")
        _ = try await client.answer(to: call.id)
        let first = rig.relay.published(for: client.key)
        try await until { rig.relay.published(for: client.key) == first + first }
    }

    @Test("a relay that could not be reached is tried at once when the network is back")
    func network() async throws {
        let isThere = Flag()
        let rig = try RelaysRig()
        let transport = rig.transport(Self.limits, hasNetwork: { isThere.isSet })
        let run = Task { try await transport.run(rig.signer) { _ in } }
        defer { run.cancel() }
        rig.relay.hangsUp = true
        try rig.offer()
        // The pauses before the next attempts grow: 0.5, 1, 2, 4, 8 seconds.
        while rig.relay.openedCount < 5 { try await Task.sleep(for: .milliseconds(10)) }
        try await until { report(of: transport, rig.relay)?.state == .waiting }
        rig.relay.hangsUp = false
        let start = ContinuousClock.now
        isThere.isSet = true
        try await until { report(of: transport, rig.relay)?.state == .open }
        #expect(ContinuousClock.now - start < .seconds(6))
    }
}

/// A flag that a test sets.
private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
