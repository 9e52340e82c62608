// SPDX-License-Identifier: Apache-2.0

import LoopbackServer
import NIP46
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import Relays
@testable import SigningFiles
@testable import SigningService
@testable import SigningStorage

/// Floods of events at the only relay of a client: from strangers, in the client's name, and with
/// wrong secrets.
@Suite("Floods at the relay of a client", .timeLimit(.minutes(10)))
struct FloodTests {
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

    private func connection(_ signer: String) throws -> BunkerConnection {
        try #require(rig.registry.known[signer]).connection
    }

    /// Sends a flood that contains calls of a client, and returns when all calls were answered.
    private func answersCalls(of client: RelayClient, within flood: [String]) async throws {
        let calls = (0..<5).map { NIP46Call(id: "flood\($0)", method: "ping", params: []) }
        let genuine = try calls.map { try client.envelope($0) }
        let part = flood.count / 10
        for event in flood.prefix(5 * part) { rig.relay.bring(event, to: client.signer) }
        for (number, envelope) in genuine.enumerated() {
            rig.relay.bring(envelope, to: client.signer)
            let start = (5 + number) * part
            for event in flood[start..<start + part] { rig.relay.bring(event, to: client.signer) }
        }
        for call in calls { #expect(try await client.answer(to: call.id)["result"] == "pong") }
    }

    @Test("6,000 events of 50 unknown keys keep a connected client's calls from no answer")
    func strangers() async throws {
        defer { run.cancel() }
        let client = try await rig.client(of: transport)
        let connection = try connection(client.signer)
        var events: [String] = []
        for key in 0..<50 {
            let stranger = try RelayClient(of: connection, over: rig.relay) {}
            for number in 0..<20 {
                let call = NIP46Call(id: "\(key) \(number)", method: "ping", params: [])
                events.append(try stranger.envelope(call))
            }
        }
        let flood = (0..<6).flatMap { _ in events }
        #expect(flood.count == 6_000)
        try await answersCalls(of: client, within: flood)
    }

    @Test("forged events in the name of a client spend nothing of its own budget")
    func forgers() async throws {
        defer { run.cancel() }
        let client = try await rig.client(of: transport)
        let key = try Hex.decode(client.key)
        let flood = (0..<5_000).map { number in
            let envelope = RelayEnvelope.envelope(
                "forged \(number)", to: client.signer, at: SystemEnvironment().now())
            // The id is right; only the signature shows that the client did not write it.
            let id = Digest.sha256(envelope.preimage(publicKey: client.key).span)
            return envelope.json(
                id: id, publicKey: key,
                signature: [UInt8](repeating: UInt8(number & 0x7F), count: 64))
        }
        try await answersCalls(of: client, within: flood)
    }

    @Test("a wrong secret does not keep out a client with the right one")
    func wrongSecrets() async throws {
        defer { run.cancel() }
        let account = try #require(try rig.home.accounts().first)
        let (offer, uri) = try rig.home.offerConnection(
            "laptop", to: account, over: try RelayAddress.list([rig.relay.url]), perms: "",
            passphrase: RelaysRig.passphrase)
        while !rig.relay.isAsked(for: offer.signer) {
            try await Task.sleep(for: .milliseconds(10))
        }
        let guessers = try (0..<3).map { _ in try RelayClient(of: offer, over: rig.relay) {} }
        let first = try guessers[0].post("connect", [offer.signer, "guess"])
        #expect(try await guessers[0].answer(to: first.id)["error"] == "invalid secret")
        for number in 0..<150 {
            try guessers[number % 3].post("connect", [offer.signer, "guess \(number)"])
        }
        let client = try RelayClient(of: offer, over: rig.relay) {}
        let call = try client.post("connect", [offer.signer, try #require(uri.secret)])
        #expect(try await client.answer(to: call.id)["result"] == "ack")
        // One answer a second at first, and then fewer and fewer.
        #expect(try guessers.reduce(0) { try $0 + $1.envelopes().count } < 10)
    }
}

/// The budgets from which events are paid.
@Suite("Budgets of events")
struct EventBudgetsTests {
    private let budgets = EventBudgets()
    private let relay: RelayAddress
    private let other: RelayAddress

    init() throws {
        relay = try RelayAddress("wss://relay.example")
        other = try RelayAddress("wss://other.example")
    }

    @Test("forged events are charged to their relay, and leave a client all of its budget")
    func forgeries() {
        var checked = 0
        while budgets.mayCheck(for: relay, at: 0) {
            budgets.charge(forgeryBy: relay, at: 0)
            checked += 1
        }
        #expect(checked == 10_000)
        #expect(budgets.mayCheck(for: other, at: 0))
        #expect(budgets.mayCheck(for: relay, at: 1))
        #expect((0..<3_000).count { _ in budgets.charge(client: "a", at: 1) } == 2_000)
        #expect((0..<3_000).count { _ in budgets.charge(client: "a", at: 2) } == 100)
        #expect(budgets.charge(client: "b", at: 2))
    }

    @Test("strangers share the budget of their relay, and one key gets a small part of it")
    func strangers() {
        func key(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
        let ofFifty = (0..<6_000).count {
            budgets.charge(unknownClient: key($0 % 50), by: relay, at: 0)
        }
        #expect(ofFifty == 50 * 20)
        #expect(budgets.charge(unknownClient: key(50), by: relay, at: 0))
        let ofAll = (51..<10_000).count { budgets.charge(unknownClient: key($0), by: relay, at: 0) }
        #expect(ofFifty + 1 + ofAll == 2_000)
        #expect(budgets.charge(unknownClient: key(0), by: other, at: 0))
        #expect(
            (0..<6_000).count { budgets.charge(unknownClient: key($0), by: relay, at: 1) } == 500)
        #expect((0..<9).count { _ in budgets.charge(unknownClient: key(0), by: relay, at: 2) } == 3)
    }

    @Test("a clock that was set back neither fills a budget nor stops it for good")
    func clock() {
        #expect((0..<3_000).count { _ in budgets.charge(client: "a", at: 1_000) } == 2_000)
        #expect(!budgets.charge(client: "a", at: 0))
        #expect((0..<2_000).count { _ in budgets.charge(client: "a", at: 1) } == 100)
    }
}
