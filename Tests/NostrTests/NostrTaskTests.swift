// SPDX-License-Identifier: Apache-2.0

import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Nostr

/// The results of the chain for every wire, independent of its frames.
@Suite("Tasks for a Nostr key")
struct NostrTaskTests {
    private static let client = Client(id: "app", name: nil, proof: .claimed)

    private var account: Account { get throws { try NostrCall().account } }

    private func context(_ notes: [Note] = []) throws -> DecodingContext {
        try NostrCall(notes: notes).context
    }

    private func task(
        _ method: NostrMethod, _ payload: String = "", peer: String? = NostrKeys.bobHex
    ) throws -> NostrTask {
        try NostrTask(
            method, payload: payload, peer: peer, now: NostrCall.now, limits: NostrLimits(),
            verify: nil)
    }

    private func use(_ task: NostrTask, _ notes: [Note] = []) throws -> NostrUse {
        NostrUse(task, by: try account, in: try context(notes))
    }

    @Test("every method is read into one use of one key, with a summary")
    func methods() throws {
        let event = #"{"kind":1,"content":"hi"}"#
        let ciphertext = Base64.encode(([2] + [UInt8](repeating: 7, count: 98)).span)
        let old = NIP04Text.text(of: [UInt8](repeating: 7, count: 32))
        let payloads: [(NostrMethod, String, [Effect])] = [
            (.getPublicKey, "", [.revealsKey]), (.signEvent, event, [.publishes]),
            (.nip04Encrypt, "", [.encrypts]), (.nip44Encrypt, "a", [.encrypts]),
            (.nip04Decrypt, old, [.decrypts]), (.nip44Decrypt, ciphertext, [.decrypts]),
        ]
        for (method, payload, effects) in payloads {
            let use = try use(try task(method, payload))
            #expect(use.operation.effects == effects)
            #expect(use.operation.account == (try account))
            #expect(NostrChain.schema.methods.contains(method.rawValue))
            let line = Summary.Line("calls itself", "app", by: .client)
            let summary = use.summary(about: [line], dangers: [.clientMismatch])
            #expect(summary.lines.map(\.label).prefix(2) == ["account", "calls itself"])
            #expect(summary.warnings.last == Danger.clientMismatch.sentence)
        }
    }

    @Test("an invalid task is refused before a key is used, with the reason")
    func faults() throws {
        let cases: [(NostrMethod, String, String?, NostrRefusal)] = [
            (.nip44Encrypt, "", NostrKeys.bobHex, .invalid("plaintext is empty")),
            (.nip44Encrypt, "a", nil, .invalid("pubkey is missing")),
            (.nip04Encrypt, "a", "x", .invalid("pubkey must be a public key in hex, or npub")),
            (.nip04Decrypt, "x", NostrKeys.bobHex, .undecryptable),
            (.decryptZapEvent, "{}", nil, .unsupported),
            (.signEvent, "[]", nil, .invalid("event must be a JSON object")),
        ]
        for (method, payload, peer, fault) in cases {
            #expect(throws: fault) { try task(method, payload, peer: peer) }
        }
    }

    @Test("results become the texts that every wire answers with")
    func results() throws {
        let encrypted = try use(try task(.nip44Encrypt, "a"))
        #expect(try encrypted.text(.ciphertext([1, 2, 3]), verify: nil) == "AQID")
        #expect(try encrypted.text(.plaintext([1]), verify: nil) == nil)
        let old = try use(try task(.nip04Encrypt, "a"))
        let payload = [UInt8](repeating: 7, count: 32)
        #expect(try old.text(.ciphertext(payload), verify: nil) == NIP04Text.text(of: payload))
        let decrypted = try use(try task(.nip04Decrypt, NIP04Text.text(of: payload)))
        #expect(try decrypted.text(.plaintext(Array("hi".utf8)), verify: nil) == "hi")
        #expect(throws: NostrRefusal.undecryptable) {
            try decrypted.text(.plaintext([0xFF]), verify: nil)
        }
        let signed = try use(try task(.signEvent, #"{"kind":1,"content":"hi"}"#))
        let zero = [UInt8](repeating: 0, count: 64)
        let result = KeyResult.signature(zero, message: Array(zero.prefix(32)))
        let json = try JSON.parse(try #require(signed.signedEvent(result)).utf8.span)
        #expect(json["pubkey"]?.text == NostrKeys.aliceHex)
        #expect(signed.signedEvent(.plaintext([])) == nil)
    }

    @Test("the notes of one wire are read by the next")
    func record() throws {
        let list = #"{"kind":10015,"content":"","tags":[["t","a"],["t","b"]]}"#
        let first = try use(try task(.signEvent, list))
        let notes = first.notes(about: nil)
        let shorter = list.replacing(#",["t","b"]"#, with: "")
        #expect(try use(try task(.signEvent, shorter), notes).operation.dangers.count == 2)
        let clientNotes = try use(.publicKey).notes(about: Self.client)
        #expect(clientNotes.map(\.subject) == [Self.client.subject])
        #expect(try use(.publicKey).notes(about: nil).isEmpty)
        let chosen = try AccountChoice(
            named: nil, author: nil, client: Self.client, in: try context(clientNotes))
        #expect(chosen.account == (try account))
        let bob = try Hex.decode(NostrKeys.bobHex)
        #expect(throws: NostrRefusal.notHeld) {
            try AccountChoice(
                named: bob, author: nil, client: Self.client, in: try context())
        }
    }

    @Test("only a request that names a key has the names looked up that its client may use")
    func lookups() throws {
        var count = 0
        let context = DecodingContext(
            accounts: [try account], peer: Peer(channel: "test"), now: NostrCall.now, freshID: [],
            wasSeen: { _ in nil },
            nameable: { _ in
                count += 1
                return []
            })
        let unnamed = try AccountChoice(
            named: nil, author: nil, client: Self.client, in: context)
        #expect(unnamed.account == (try account) && count == 0)
        let own = try account.publicKey
        let author = try AccountChoice(
            named: nil, author: own, client: Self.client, in: context)
        #expect(author.ground == .known && count == 1)
        #expect(throws: NostrRefusal.notConnected) {
            try AccountChoice(named: own, author: nil, client: Self.client, in: context)
        }
    }

    @Test("a permission for every kind is not grantable")
    func permissions() {
        #expect(!NostrPermission(.signEvent).wish.isGrantable)
        let note = NostrPermission(.signEvent, kind: EventKind(1)).wish
        #expect(note.isGrantable && note.facts == [Fact("kind", .integer(1))])
        #expect(NostrPermission(.nip44Decrypt).wish.dangers == [.decrypt])
    }
}
