// SPDX-License-Identifier: Apache-2.0

import LoopbackServer
import NIP46
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import Relays
@testable import SigningService

/// Relays that lie, repeat, delay, reorder and flood, and relays that close subscriptions.
@Suite("Relays that misbehave", .timeLimit(.minutes(10)))
struct TroubleTests {
    private let rig: RelaysRig
    private let transport: RelayTransport
    private let run: Task<Void, any Error>

    init() throws {
        let rig = try RelaysRig()
        let transport = rig.transport(
            TransportLimits(
                connectionsMax: 5, framesMax: 64, framesPerPeerMax: 64, drainSecondsMax: 60))
        self.rig = rig
        self.transport = transport
        run = Task { try await transport.run(rig.signer) { _ in } }
    }

    private func events(_ outcome: EnvelopeReader.Outcome, of relay: String) -> Int {
        transport.reports.first { $0.relay.hasPrefix(relay) }?.events[outcome] ?? 0
    }

    private func until(_ holds: () throws -> Bool) async throws {
        while try !holds() { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test("a relay that lies and repeats brings one answer to each call")
    func lies() async throws {
        defer { run.cancel() }
        let client = try await rig.client(of: transport)
        let call = NIP46Call(id: "call", method: "ping", params: [])
        let genuine = try client.envelope(call)
        let other = try client.envelope(NIP46Call(id: "other", method: "ping", params: []))
        let signatures = (
            try #require(Self.member("sig", of: genuine)),
            try #require(Self.member("sig", of: other))
        )
        for lie in [
            genuine.replacing("\"tags\":[", with: "\"tags\":[[\"t\",\"x\"],"),
            genuine.replacing("\"content\":\"", with: "\"content\":\"A"),
            genuine.replacing(signatures.0, with: signatures.1),
        ] { rig.relay.bring(lie, to: client.signer) }
        try await until { events(.forged, of: rig.relay.url) == 3 }
        for _ in 0..<20 { rig.relay.bring(genuine, to: client.signer) }
        #expect(try await client.answer(to: "call")["result"] == "pong")
        try await until { events(.repeated, of: rig.relay.url) == 19 }
        rig.relay.bring(other, to: client.signer)
        _ = try await client.answer(to: "other")
        #expect(try client.answers(to: "call").count == 1)
    }

    @Test("envelopes that come late and in another order are answered, each under its id")
    func reorders() async throws {
        defer { run.cancel() }
        let client = try await rig.client(of: transport)
        let names = (0..<20).map { "call\($0)" }
        let envelopes = try names.map { name in
            try client.envelope(NIP46Call(id: name, method: "ping", params: []))
        }
        // A call that arrives before the delayed envelopes is answered first.
        let first = try client.post("get_public_key")
        _ = try await client.answer(to: first.id)
        for envelope in envelopes.reversed() { rig.relay.bring(envelope, to: client.signer) }
        for name in names { #expect(try await client.answer(to: name)["result"] == "pong") }
        #expect(try names.allSatisfy { try client.answers(to: $0).count == 1 })
    }

    @Test("a relay that floods does not keep another relay from being answered")
    func floods() async throws {
        defer { run.cancel() }
        let client = try await rig.client(of: transport, alsoBySecond: true)
        let envelope = try client.envelope(NIP46Call(id: "flood", method: "ping", params: []))
        let forged = envelope.replacing("\"content\":\"", with: "\"content\":\"A")
        for number in 0..<5 {
            for _ in 0..<800 { rig.relay.bring(forged, to: client.signer) }
            let call = NIP46Call(id: "call\(number)", method: "ping", params: [])
            rig.second.bring(try client.envelope(call), to: client.signer)
            let answer = try await client.answer(to: call.id, from: rig.second)
            #expect(answer["result"] == "pong")
        }
        try await until {
            events(.forged, of: rig.relay.url) + events(.excess, of: rig.relay.url) >= 4_000
        }
        #expect(events(.excess, of: rig.second.url) == 0)
        #expect(try client.answers(to: "flood").isEmpty)
    }

    @Test("unrequested events and invalid messages of a relay change nothing")
    func unasked() async throws {
        defer { run.cancel() }
        let client = try await rig.client(of: transport)
        let envelope = try client.envelope(NIP46Call(id: "unasked", method: "ping", params: []))
        rig.relay.say("[\"EVENT\",\"mine\",\(envelope)]")
        for text in [
            "", "[", "null", "[\"EVENT\"]", "[\"OK\",1,2,3]", "[\"CLOSED\",\"mine\",\"\"]",
            "[\"EOSE\",\"mine\"]", String(repeating: "[", count: 100_000),
        ] { rig.relay.say(text) }
        try await until { events(.excess, of: rig.relay.url) == 1 }
        let call = try client.post("ping")
        #expect(try await client.answer(to: call.id)["result"] == "pong")
        #expect(try client.answers(to: "unasked").isEmpty)
        #expect(rig.relay.openedCount == 1)
    }

    @Test("where a relay ends a subscription, it is connected to anew and asked again")
    func ends() async throws {
        defer { run.cancel() }
        let client = try await rig.client(of: transport)
        #expect(rig.relay.openedCount == 1)
        rig.relay.endSubscriptions("error: shutting down")
        try await until {
            rig.relay.openedCount == 2 && rig.relay.isAsked(for: client.signer)
        }
        let call = try client.post("ping")
        #expect(try await client.answer(to: call.id)["result"] == "pong")
    }

    /// The JSON text of a member of an event.
    private static func member(_ name: String, of event: String) -> String? {
        (try? JSON.parse(event.utf8.span))?[name]?.text
    }
}
