// SPDX-License-Identifier: Apache-2.0

import LoopbackServer
import NIP46
import SigningCodecs
import SigningCore
import SigningFiles
import SigningStorage
import SigningTesting
import Synchronization
import TestHome
import Testing

@testable import Relays
@testable import SigningService

/// A bunker whose thread is slow to hand the signer's answer to the transport.
private final class SlowBunker: Bunker {
    private let bunker: HomeBunker
    private let holding = Mutex(false)

    init(of bunker: HomeBunker) { self.bunker = bunker }

    var isHolding: Bool { holding.withLock { $0 } }

    func serve(_ envelope: OpenedEnvelope, by ask: Ask) async -> BunkerReply? {
        let reply = await bunker.serve(envelope, by: ask)
        holding.withLock { $0 = true }
        try? await Task.sleep(for: .milliseconds(500))
        return reply
    }

    var revision: Int { bunker.revision }
    var unansweredCount: Int { bunker.unansweredCount }
    func refresh() throws(TransportError) -> [ServedConnection] { try bunker.refresh() }
    var proxy: RelayProxy? { bunker.proxy }
    func wait(after revision: Int, until: ContinuousClock.Instant?) async {
        await bunker.wait(after: revision, until: until)
    }
    func connection(of signer: String) -> ServedConnection? { bunker.connection(of: signer) }
    func admitsUnknownClient(of connection: ServedConnection, from relay: RelayAddress) -> Bool {
        bunker.admitsUnknownClient(of: connection, from: relay)
    }
    func admit(_ envelope: OpenedEnvelope, from relay: RelayAddress) -> BunkerAdmission {
        bunker.admit(envelope, from: relay)
    }
    func connect(_ envelope: OpenedEnvelope, by ask: Ask) async -> BunkerReply? {
        await bunker.connect(envelope, by: ask)
    }
    func invite(_ connection: ServedConnection, by ask: Ask) async -> BunkerReply? {
        await bunker.invite(connection, by: ask)
    }
    func end(_ connection: ServedConnection) { bunker.end(connection) }
}

/// Calls that a client repeats, clients that the owner removed, and pings.
@Suite("Calls in flight", .timeLimit(.minutes(10)))
struct InFlightTests {
    private static let note = #"{"kind":1,"content":"hi","tags":[],"created_at":1700000000}"#
    private static let limits = TransportLimits(
        connectionsMax: 5, framesMax: 8, framesPerPeerMax: 8, drainSecondsMax: 60)

    /// The number of relay events that a transport counted with this outcome.
    private func count(_ outcome: EnvelopeReader.Outcome, of transport: RelayTransport) -> Int {
        transport.reports.reduce(0) { $0 + ($1.events[outcome] ?? 0) }
    }

    /// Returns as soon as a condition is true.
    private func until(_ holds: () throws -> Bool) async throws {
        while try !holds() { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test("a call sealed again while it waits gets the one answer, and another of its id none")
    func joined() async throws {
        let approval = HeldApproval()
        let rig = try RelaysRig(asking: approval)
        let transport = rig.transport(Self.limits)
        let run = Task { try await transport.run(rig.signer) { _ in } }
        defer { run.cancel() }
        let client = try await rig.client(of: transport)
        let call = try client.post("sign_event", [Self.note])
        await approval.isAsked()
        rig.relay.bring(try client.envelope(call), to: client.signer)
        rig.relay.bring(try client.envelope(call), to: client.signer)
        try await until { count(.joined, of: transport) == 2 }
        let other = NIP46Call(
            id: call.id, method: "sign_event",
            params: [Self.note.replacing("hi", with: "pay")])
        rig.relay.bring(try client.envelope(other), to: client.signer)
        let refusal = try await client.answer(to: call.id)
        #expect(refusal["error"]?.text?.hasPrefix("invalid params: another request") == true)
        approval.say(yes: true)
        try await until { try client.answers(to: call.id).count == 2 }
        let answer = try #require(try client.answers(to: call.id).last)
        #expect(answer["result"]?.text?.contains("\"content\":\"hi\"") == true)
        #expect(approval.askedCount == 1)
        // After the answer, the same bytes are a new call.
        rig.relay.bring(try client.envelope(call), to: client.signer)
        await approval.isAsked(times: 2)
        approval.say(yes: false)
        try await until { try client.answers(to: call.id).count == 3 }
        #expect(try client.answers(to: call.id).last?["error"] == "user rejected")
    }

    @Test("an answer that the signer gave before a stop reaches the relay, however late")
    func lateAnswer() async throws {
        let approval = HeldApproval()
        let rig = try RelaysRig(asking: approval)
        let bunker = SlowBunker(
            of: HomeBunker(
                of: rig.registry, following: HomeWatch(of: rig.home, records: [rig.signer.ledger])))
        let transport = RelayTransport(
            of: bunker, environment: SystemEnvironment(), limits: Self.limits)
        let run = Task { try await transport.run(rig.signer) { _ in } }
        let client = try await rig.client(of: transport)
        let call = try client.post("sign_event", [Self.note])
        await approval.isAsked()
        approval.say(yes: true)
        try await until { bunker.isHolding }
        run.cancel()
        try await run.value
        #expect(try client.answers(to: call.id).last?["result"]?.text?.contains("hi") == true)
    }

    @Test("whom the owner revokes gets nothing signed, although a yes was on its way")
    func revoked() async throws {
        let approval = HeldApproval()
        let rig = try RelaysRig(asking: approval)
        let transport = rig.transport(Self.limits)
        let run = Task { try await transport.run(rig.signer) { _ in } }
        defer { run.cancel() }
        let client = try await rig.client(of: transport)
        let peer = try #require(rig.registry.known[client.signer]?.connection.provedKey)
        let call = NIP46Call(id: "1", method: "sign_event", params: [Self.note])
        let frame = Frame(bytes: call.bytes, peer: Peer(channel: .relay, provedKey: peer))
        async let answer = rig.signer.answer(frame, over: AdapterID("nip46"))
        await approval.isAsked()
        try client.leave()
        approval.say(yes: true)
        #expect(await answer.word == "policy_changed")
        // The refusal does not wait until the transport updates its connections.
        #expect(await rig.signer.answer(frame, over: AdapterID("nip46")).word != "done")
        #expect(approval.askedCount == 1)
        try await until { rig.registry.known[client.signer] == nil }
        _ = try client.post("ping")
        try await until { !rig.relay.isAsked(for: client.signer) }
        #expect(try client.envelopes().isEmpty)
    }

    @Test("the owner's no to a client's own URI is for good, and is asked for in words that hold")
    func invited() async throws {
        let approval = NotedApproval()
        let rig = try RelaysRig(asking: approval)
        let transport = rig.transport(Self.limits)
        let run = Task { try await transport.run(rig.signer) { _ in } }
        defer { run.cancel() }
        let place = rig.relay.url.replacing(":", with: "%3A").replacing("/", with: "%2F")
        let client = String(repeating: "1b", count: 32)
        let uri = try NostrConnectURI(
            "nostrconnect://\(client)?relay=\(place)&secret=s&perms=sign_event:1")
        let account = try #require(try rig.home.accounts().first)
        _ = try rig.home.acceptConnection(
            "phone", of: uri, to: account, passphrase: RelaysRig.passphrase)
        try await until { try rig.home.bunkerConnections().isEmpty }
        let shown = approval.shown
        #expect(shown.count == 1)
        #expect(shown.first?.contains("you gave its URI; it has sent nothing yet") == true)
        #expect(shown.first?.contains("its key signed it") == false)
        #expect(rig.relay.published(for: client).isEmpty)
        // A registry that is opened anew has no waiting question.
        #expect(try BunkerRegistry(of: rig.home, rig.signer.ledger).refresh().isEmpty)
    }

    @Test("pings are answered up to a rate, and nothing else is used up by them")
    func pings() async throws {
        let rig = try RelaysRig(
            policy: """
                default = "ask"
                [[rule]]
                id = "notes"
                effect = "allow"
                operation = "sign_event"
                """)
        let transport = rig.transport(Self.limits)
        let run = Task { try await transport.run(rig.signer) { _ in } }
        defer { run.cancel() }
        let client = try await rig.client(of: transport)
        var refusedCount = 0
        // A new minute may begin during the loop and renew the budget.
        for _ in 0..<200 where refusedCount == 0 {
            let call = try client.post("ping")
            let answer = try await client.answer(to: call.id)
            if answer["error"] == "rate limited" { refusedCount += 1 }
        }
        #expect(refusedCount == 1)
        let note = try client.post("sign_event", [Self.note])
        #expect(try await client.answer(to: note.id)["result"] != nil)
        let end = try client.post("logout")
        #expect(try await client.answer(to: end.id)["result"] == "ack")
    }
}

/// Says no, and keeps the text of the question.
private final class NotedApproval: Approval {
    private let texts = Mutex<[String]>([])

    var shown: [String] { texts.withLock { $0 } }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        texts.withLock { $0.append(question.summary.text) }
        return .denied()
    }
}
