// SPDX-License-Identifier: Apache-2.0

import NIP46
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import Synchronization
import Testing

@testable import Relays
@testable import SigningService
@testable import SigningVault

/// The events of the vectors, and events made in the same way.
@Suite("Envelopes of clients")
struct EnvelopeReaderTests {
    private let vectors: JSON
    private let signer: String
    private let client: String
    /// The time of the oldest event in the vectors.
    private let start = Timestamp(seconds: 1_714_078_911)
    private let box = EnvelopeReader()
    private let relay: RelayAddress

    init() throws {
        relay = try RelayAddress("wss://relay.example")
        vectors = try Vectors.json("nip46.vectors.json")
        signer = try vectors.required("remote_signer_pubkey")
        client = try vectors.required("client_pubkey")
    }

    private func bunker(unknownMax: Int = 1) throws -> OneConnection {
        let secret = try Hex.decode(try vectors.required("remote_signer_secret"))
        let key = try TransportKey(
            SecretBytes(copying: secret.span), signing: RelayEnvelope.domain)
        return OneConnection(
            served: ServedConnection(
                signer: signer, client: client, isInvited: false, meetings: MeetingRelays([]),
                key: key), unknownMax: unknownMax)
    }

    private func event(_ step: String) throws -> JSONObject {
        let row = try Vectors.rows("nip46.vectors.json", "flow").first { $0["step"]?.text == step }
        return try #require(row?["event"]?.object)
    }

    /// A signed event with a key of the tests.
    private func made(
        by secret: String, _ content: String, at seconds: Int64? = nil, tags: [[String]]? = nil,
        kind: UInt16 = 24_133
    ) throws -> JSONObject {
        let key = try NostrKeys.key(secret)
        let event = NostrEvent(
            createdAt: seconds ?? start.seconds, kind: EventKind(kind),
            tags: tags ?? [["p", signer]], content: content)
        let id = Digest.sha256(event.preimage(publicKey: Hex.encode(key.publicKey.span)).span)
        let text = event.json(
            id: id, publicKey: key.publicKey, signature: try key.sign(id.span))
        return try #require(try JSON.parse(text.utf8.span).object)
    }

    private func outcome(
        _ event: JSONObject, _ bunker: some Bunker, at now: Timestamp? = nil
    ) -> EnvelopeReader.Outcome {
        switch box.open(event, from: relay, for: bunker, at: now ?? start) {
        case .success: .opened
        case .failure(let refused): refused.outcome
        }
    }

    @Test("the requests of the vectors open to the expected content")
    func vectorsOpen() throws {
        let open = try bunker()
        for row in try Vectors.rows("nip46.vectors.json", "flow") {
            guard try row.required("step").hasSuffix("request") else { continue }
            let event = try #require(row["event"]?.object)
            let envelope = try box.open(event, from: relay, for: open, at: start).get()
            #expect(envelope.bytes == Array(try row.required("plaintext").utf8))
            #expect(envelope.isByClient && envelope.scheme == .nip44)
            #expect(outcome(event, open) == .repeated)
        }
    }

    @Test("a forgery is refused, and does not hide the event that it copies")
    func forged() throws {
        let open = try bunker()
        let genuine = try event("get_public_key request")
        for (name, value) in [
            ("sig", String(repeating: "0", count: 128)), ("content", "x"),
            ("created_at", "later"),
        ] {
            var copy = genuine
            for place in copy.members.indices where copy.members[place].name == name {
                copy.members[place].value =
                    name == "created_at" ? .integer(start.seconds + 60) : .string(value)
            }
            #expect(outcome(copy, open) == .forged, "\(name)")
        }
        #expect(outcome(genuine, open) == .opened)
    }

    @Test("a stale event, of another kind, for another key, or malformed, is not ours")
    func foreign() throws {
        let open = try bunker()
        let genuine = try event("get_public_key request")
        #expect(outcome(genuine, open, at: start.adding(seconds: 303)) == .stale)
        #expect(outcome(genuine, open, at: start.adding(seconds: -299)) == .stale)
        #expect(outcome(genuine, OneConnection(served: nil)) == .foreign)
        #expect(outcome(JSONObject([]), open) == .foreign)
        let bob = NostrKeys.bobSecret
        #expect(outcome(try made(by: bob, "", kind: 24_134), open) == .foreign)
        #expect(outcome(try made(by: bob, "", tags: [["p", client]]), open) == .foreign)
        #expect(outcome(try made(by: bob, "", tags: [["p"]]), open) == .foreign)
        #expect(outcome(try made(by: bob, "", tags: []), open) == .foreign)
        let ended = [["p", signer], ["expiration", "\(start.seconds)"]]
        #expect(outcome(try made(by: bob, "", tags: ended), open) == .stale)
        #expect(outcome(genuine, open) == .opened)
    }

    @Test("strangers are looked at seldom, and do not keep the client out")
    func strangers() throws {
        let open = try bunker()
        let envelopes = try (0..<50).map { try made(by: NostrKeys.bobSecret, "\($0)") }
        let outcomes = envelopes.map { outcome($0, open) }
        #expect(outcomes.first == .unreadable)
        #expect(outcomes.dropFirst().allSatisfy { $0 == .excess })
        #expect(outcome(try event("get_public_key request"), open) == .opened)
        // Even if the bunker admits them all, one key gets a small budget.
        let (fresh, many) = (EnvelopeReader(), try bunker(unknownMax: 50))
        let count = envelopes.count { event in
            guard
                case .failure(let refused) = fresh.open(event, from: relay, for: many, at: start)
            else { return false }
            return refused.outcome == .unreadable
        }
        #expect(count == 20)
    }
}

/// A bunker with at most one connection; it admits some unknown clients and answers no call.
private final class OneConnection: Bunker {
    private let served: ServedConnection?
    private let admitted = Mutex(0)
    private let unknownMax: Int

    init(served: ServedConnection?, unknownMax: Int = 1) {
        self.served = served
        self.unknownMax = unknownMax
    }

    var unansweredCount: Int { 0 }
    var revision: Int { 1 }

    func wait(after _: Int, until time: ContinuousClock.Instant?) async {
        try? await Task.sleep(until: time ?? .now + .seconds(1), clock: .continuous)
    }

    func refresh() throws(TransportError) -> [ServedConnection] { served.map { [$0] } ?? [] }

    var proxy: RelayProxy? { nil }

    func connection(of signer: String) -> ServedConnection? {
        served?.signer == signer ? served : nil
    }

    func admitsUnknownClient(of _: ServedConnection, from _: RelayAddress) -> Bool {
        admitted.withLock { count in
            count += 1
            return count <= unknownMax
        }
    }

    func admit(_: OpenedEnvelope, from _: RelayAddress) -> BunkerAdmission { .ignored }
    func serve(_: OpenedEnvelope, by _: Ask) async -> BunkerReply? { nil }
    func connect(_: OpenedEnvelope, by _: Ask) async -> BunkerReply? { nil }
    func invite(_: ServedConnection, by _: Ask) async -> BunkerReply? { nil }
    func end(_: ServedConnection) {}
}
