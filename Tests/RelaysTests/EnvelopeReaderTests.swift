// SPDX-License-Identifier: Apache-2.0

import NIP46
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import Relays
@testable import SigningService
@testable import SigningStorage

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

    private func connections(
        _ state: BunkerConnection.State = .connected, client: String? = nil
    ) throws -> [String: OpenConnection] {
        let secret = try Hex.decode(try vectors.required("remote_signer_secret"))
        let key = try TransportKey(
            SecretBytes(copying: secret.span), signing: RelayEnvelope.domain)
        let connection = BunkerConnection(
            signer: signer, name: "laptop", account: KeyID("k"), relays: [], perms: "",
            created: start, state: state, secretDigest: nil,
            client: state == .offered ? nil : client ?? self.client)
        let record = TransportRecord(
            transport: "relays", publicKey: key.publicKey, body: [], sealed: [])
        return [
            signer: OpenConnection(
                connection: connection, key: key, invitation: nil, record: record)
        ]
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
            id: id, publicKey: key.publicKey, signature: try key.signBIP340(digest: id.span))
        return try #require(try JSON.parse(text.utf8.span).object)
    }

    private func outcome(
        _ event: JSONObject, _ connections: [String: OpenConnection], at now: Timestamp? = nil
    ) -> EnvelopeReader.Outcome {
        switch box.open(event, from: relay, among: connections, at: now ?? start) {
        case .success: .opened
        case .failure(let refused): refused.outcome
        }
    }

    @Test("the requests of the vectors open to the expected content")
    func vectorsOpen() throws {
        let open = try connections()
        for row in try Vectors.rows("nip46.vectors.json", "flow") {
            guard try row.required("step").hasSuffix("request") else { continue }
            let event = try #require(row["event"]?.object)
            let envelope = try box.open(event, from: relay, among: open, at: start).get()
            #expect(envelope.bytes == Array(try row.required("plaintext").utf8))
            #expect(envelope.isByClient && envelope.scheme == .nip44)
            #expect(outcome(event, open) == .repeated)
        }
    }

    @Test("a forgery is refused, and does not hide the event that it copies")
    func forged() throws {
        let open = try connections()
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
        let open = try connections()
        let genuine = try event("get_public_key request")
        #expect(outcome(genuine, open, at: start.adding(seconds: 303)) == .stale)
        #expect(outcome(genuine, open, at: start.adding(seconds: -299)) == .stale)
        #expect(outcome(genuine, [:]) == .foreign)
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
        let open = try connections()
        let envelopes = try (0..<50).map { try made(by: NostrKeys.bobSecret, "\($0)") }
        let outcomes = envelopes.map { outcome($0, open) }
        #expect(outcomes.first == .unreadable)
        #expect(outcomes.dropFirst().allSatisfy { $0 == .excess })
        #expect(outcome(try event("get_public_key request"), open) == .opened)
        // Until a client is connected, several clients may try the secret.
        let offered = try connections(.offered)
        let fresh = EnvelopeReader()
        let count = envelopes.count { event in
            guard
                case .failure(let refused) = fresh.open(
                    event, from: relay, among: offered, at: start)
            else {
                return false
            }
            return refused.outcome == .unreadable
        }
        #expect(count == 20)
    }

    @Test("wrong secrets are answered ever more slowly, and calls before connect once a minute")
    func slowly() throws {
        let offered = try #require(try connections(.offered)[signer])
        #expect(box.mayReply(.notConnected, of: offered, by: relay, at: start))
        #expect(!box.mayReply(.notConnected, of: offered, by: relay, at: start.adding(seconds: 59)))
        #expect(box.mayReply(.notConnected, of: offered, by: relay, at: start.adding(seconds: 60)))
        var now = start.adding(seconds: 100)
        var waits: [Int64] = []
        for _ in 0..<8 {
            var wait: Int64 = 0
            while !box.mayReply(
                .invalidSecret, of: offered, by: relay, at: now.adding(seconds: wait))
            { wait += 1 }
            waits.append(wait)
            now = now.adding(seconds: wait)
        }
        #expect(waits == [0, 1, 2, 4, 8, 16, 32, 60])
    }
}
