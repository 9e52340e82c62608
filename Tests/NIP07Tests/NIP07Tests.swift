// SPDX-License-Identifier: Apache-2.0

import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningTesting
import Testing

@testable import NIP07

/// Takes the part of the hub: decodes, uses the key and encodes.
struct Rig {
    let adapter = NIP07Adapter()
    var secrets = [NostrKeys.aliceSecret]
    var notes: [Note] = []
    static let client = Client(id: "https://app.example", name: nil, proof: .claimed)

    func context() throws -> DecodingContext {
        DecodingContext(
            accounts: try NostrKeys.accounts(secrets), peer: Peer(channel: "test"),
            client: Self.client, now: Timestamp(seconds: 1_700_000_100),
            freshID: [UInt8](repeating: 7, count: 16), wasSeen: { _ in false },
            noted: { name, subject in notes.last { $0.subject == subject && $0.name == name } })
    }

    func decode(_ frame: String) throws -> NIP07Request {
        try adapter.decode(Array(frame.utf8).span, in: try context())
    }

    func refusal(_ frame: String) throws -> AdapterError {
        try #require(throws: AdapterError.self) { try decode(frame) }
    }

    /// Decodes, uses the key, and returns the page's answer.
    func answer(_ frame: String) throws -> JSON {
        let request = try decode(frame)
        let results = try request.operations.map { operation in
            try use(operation, holding: secrets, in: adapter.domains)
        }
        let reply = adapter.finalReply(.done(results), to: request)
        guard case .message(let bytes) = reply else { throw StatementError("silence") }
        return try JSON.parse(bytes.span)
    }
}

private func call(_ method: String, _ params: JSON...) -> String {
    let json: JSON = ["nip07": .string(method), "params": .array(params)]
    return String(decoding: json.write(), as: UTF8.self)
}

@Suite("Calls of window.nostr")
struct NIP07Tests {
    private let rig = Rig()

    @Test("every published event, sent as a template, comes back whole and holds")
    func events() throws {
        for row in try Vectors.rows("nip01.events.json", "sign_and_verify") {
            let event = try #require(row["event"])
            let rig = Rig(secrets: [try row.required("secret_key")])
            let request = try rig.decode(call("signEvent", event))
            #expect(request.method == "sign_event" && request.client == Rig.client)
            guard case .sign(let input) = request.operations[0].operation else {
                Issue.record("it asks for no signature")
                continue
            }
            #expect(input.preimage == Array(try row.required("serialized").utf8))
            let signed = try #require(try rig.answer(call("signEvent", event))["result"])
            for member in ["id", "pubkey", "created_at", "kind", "tags", "content"] {
                #expect(signed[member] == event[member])
            }
            let bytes = signed.write()
            #expect(holds(try SignedEvent.statement(bytes.span)))
        }
    }

    @Test("the key is returned in hex, and a client gets the account that it knows")
    func publicKey() throws {
        #expect(try rig.answer(#"{"nip07":"getPublicKey"}"#)["result"]?.text == NostrKeys.aliceHex)
        var two = Rig(secrets: [NostrKeys.aliceSecret, NostrKeys.bobSecret])
        let bob = try two.decode(
            call("signEvent", ["kind": 1, "content": "", "pubkey": .string(NostrKeys.bobHex)]))
        #expect(Hex.encode(bob.operations[0].account.publicKey.span) == NostrKeys.bobHex)
        let only = Rig(secrets: [NostrKeys.bobSecret])
        two.notes = try only.decode(call("getPublicKey")).terms.notes
        #expect(try two.answer(call("getPublicKey"))["result"]?.text == NostrKeys.bobHex)
    }

    @Test("another author is replaced and flagged, never silently")
    func otherAuthor() throws {
        let request = try rig.decode(
            call("signEvent", ["kind": 1, "content": "", "pubkey": .string(NostrKeys.bobHex)]))
        #expect(request.operations[0].dangers.map(\.name) == ["pubkey_mismatch"])
        #expect(Hex.encode(request.operations[0].account.publicKey.span) == NostrKeys.aliceHex)
    }

    @Test("texts go both ways, by both schemes", arguments: ["nip04", "nip44"])
    func texts(scheme: String) throws {
        let text = "hello, \u{1F600} \"quoted\""
        let sent = try #require(
            try rig.answer(call("\(scheme).encrypt", .string(NostrKeys.bobHex), .string(text)))[
                "result"])
        let bob = Rig(secrets: [NostrKeys.bobSecret])
        let frame = call("\(scheme).decrypt", .string(NostrKeys.aliceHex), sent)
        #expect(try bob.answer(frame)["result"]?.text == text)
        #expect(try bob.decode(frame).operations[0].dangers.first?.name == "decrypt")
    }

    private static let refused: [(frame: String, code: String)] = [
        ("", "invalid_request"), ("[]", "invalid_request"), ("{}", "invalid_request"),
        (#"{"nip07":1}"#, "invalid_request"), (#"{"nip07":"signEvent"}"#, "invalid_request"),
        (#"{"nip07":"getRelays"}"#, "unsupported_method"),
        (#"{"nip07":"signSchnorr","params":["00"]}"#, "unsupported_method"),
        (#"{"nip07":"getPublicKey","params":[1]}"#, "invalid_request"),
        (#"{"nip07":"getPublicKey","params":{}}"#, "invalid_request"),
        (#"{"nip07":"getPublicKey","origin":"https://a"}"#, "invalid_request"),
        (#"{"nip07":"getPublicKey","nip07":"signEvent"}"#, "invalid_request"),
        (#"{"nip07":"signEvent","params":[null]}"#, "invalid_request"),
        (#"{"nip07":"signEvent","params":[{"kind":"1","content":""}]}"#, "invalid_request"),
        (
            #"{"nip07":"signEvent","params":[{"kind":1,"content":"","tags":[[1]]}]}"#,
            "invalid_request"
        ),
        (#"{"nip07":"signEvent","params":[{"kind":14,"content":""}]}"#, "invalid_request"),
        (#"{"nip07":"nip44.encrypt","params":["00","a"]}"#, "invalid_request"),
        (#"{"nip07":"nip44.encrypt","params":[null,"a"]}"#, "invalid_request"),
        (#"{"nip07":"nip44.decrypt","params":["\#(NostrKeys.bobHex)","no"]}"#, "invalid_request"),
    ]

    @Test("an invalid call is refused in the wire's words", arguments: refused)
    func refusals(frame: String, code: String) throws {
        let error = try rig.refusal(frame)
        #expect(error.code == code)
        guard case .message(let bytes) = error.reply else {
            Issue.record("silence")
            return
        }
        #expect(try JSON.parse(bytes.span)["error"]?["code"]?.text == code)
    }

    @Test("without a key it says so, and a tag too many is too large")
    func limits() throws {
        #expect(try Rig(secrets: []).refusal(call("getPublicKey")).code == "no_account")
        let tags = JSON.array([JSON](repeating: ["t"], count: 5_001))
        let frame = call("signEvent", ["kind": 1, "content": "", "tags": tags])
        #expect(try rig.refusal(frame).code == "payload_too_large")
    }

    @Test("it meets the requirements on every adapter")
    func conformance() async throws {
        let result = KeyResult.signature(
            [UInt8](repeating: 1, count: 64), message: [UInt8](repeating: 2, count: 32))
        let frames = [
            call("signEvent", ["kind": 1, "content": "a", "tags": [["t", "x"]]]),
            call("getPublicKey"), call("nip04.encrypt", .string(NostrKeys.bobHex), ""),
        ].map { Array($0.utf8) }
        let found = await AdapterConformance.findings(
            rig.adapter, frames: frames, results: [result], in: try rig.context())
        #expect(found == [])
    }
}
