// SPDX-License-Identifier: Apache-2.0

import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import NIP55

/// Takes the part of the hub: decodes, uses the key and encodes.
struct Rig {
    var adapter = NIP55Adapter(verify: { holds($0) })
    var secrets = [NostrKeys.aliceSecret]

    func decode(_ url: String) throws -> NIP55Request {
        let context = DecodingContext(
            accounts: try NostrKeys.accounts(secrets),
            peer: Peer(channel: "test", opensCallbacks: true),
            now: Timestamp(seconds: 1_700_000_100), freshID: [UInt8](repeating: 7, count: 16),
            wasSeen: { _ in false })
        return try adapter.decode(Array(url.utf8).span, in: context)
    }

    /// Decodes, uses the key, and returns the answer for the page or the clipboard.
    func answer(_ url: String) throws -> String {
        let request = try decode(url)
        let results = try request.operations.map { operation in
            try use(operation, holding: secrets, in: adapter.domains)
        }
        guard case .message(let bytes) = adapter.finalReply(.done(results), to: request) else {
            throw StatementError("silence")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The URL of the specification's examples.
private func url(
    _ type: String, _ payload: String = "", _ more: String = "",
    callback: String? = "https://example.com/?event="
) -> String {
    let place = callback.map { "&callbackUrl=\($0)" } ?? ""
    return "nostrsigner:\(PercentEncoding.encode(payload))?compressionType=none"
        + "&returnType=signature&type=\(type)\(more)\(place)"
}

@Suite("The web form of NIP-55")
struct NIP55Tests {
    private static let note =
        #"{"kind":1,"created_at":1700000000,"tags":[],"content":"100% sure? \u263a"}"#
    private static let place = "https://example.com/?event="
    private let rig = Rig()

    private func result(_ url: String) throws -> String {
        let answer = try rig.answer(url)
        #expect(answer.hasPrefix(Self.place))
        return try PercentEncoding.decode(
            String(answer.dropFirst(Self.place.count)).utf8.span)
    }

    @Test(
        "URLs are read as the vectors say", arguments: try Vectors.rows("nip55.urls.json", "valid"))
    func valid(_ row: JSON) throws {
        let request = try rig.decode(try row.required("url"))
        #expect(request.method == (try row.required("method")))
        #expect(request.client?.id == row["client"]?.text)
        let frame = Array(try row.required("url").utf8)
        let isOwn = rig.adapter.isOwn(frame.span)
        let place = rig.adapter.place(ofAnswersTo: frame.span)
        #expect(isOwn && place == (row["client"] == nil ? .clipboard : .address))
        guard let text = row["plaintext"]?.text else { return }
        guard case .encrypt(_, _, let plaintext) = request.operations[0].operation else {
            Issue.record("it asks for no encryption")
            return
        }
        #expect(plaintext == Array(text.utf8))
    }

    @Test("a text of NIP-04 is read however the page wrote it", arguments: [true, false])
    func rawPayload(isRaw: Bool) throws {
        let sealed = try PercentEncoding.decode(
            try rig.answer(
                url("nip04_encrypt", "what to say?", "&pubKey=\(NostrKeys.bobHex)", callback: nil)
            ).utf8.span)
        var bob = rig
        bob.secrets = [NostrKeys.bobSecret]
        let payload = isRaw ? sealed : PercentEncoding.encode(sealed)
        for rest in [
            "?type=nip04_decrypt&pubKey=\(NostrKeys.aliceHex)",
            "&type=nip04_decrypt&pubKey=\(NostrKeys.aliceHex)",
        ] where isRaw || rest.hasPrefix("?") {
            #expect(try bob.answer("nostrsigner:\(payload)\(rest)") == "what to say?")
        }
        let form =
            "nostrsigner:?type=nip04_decrypt&pubKey=\(NostrKeys.aliceHex)"
            + "&encryptedText=\(PercentEncoding.encode(sealed))"
        #expect(try bob.answer(form) == "what to say?")
    }

    @Test(
        "invalid URLs are refused in silence",
        arguments: try Vectors.rows("nip55.urls.json", "invalid"))
    func invalid(_ row: JSON) throws {
        let error = try #require(throws: AdapterError.self) {
            try rig.decode(try row.required("url"))
        }
        #expect(error.reason.contains(try row.required("reason")), "\(error.reason)")
        guard case .silence = error.reply else {
            Issue.record("somebody is told: \(error.reply)")
            return
        }
    }

    @Test("every published event is signed as it is, bare or whole")
    func events() throws {
        for row in try Vectors.rows("nip01.events.json", "sign_and_verify") {
            let event = try #require(row["event"])
            let rig = Rig(secrets: [try row.required("secret_key")])
            let text = String(decoding: event.write(), as: UTF8.self)
            let request = try rig.decode(url("sign_event", text))
            guard case .sign(let input) = request.operations[0].operation else {
                Issue.record("it asks for no signature")
                continue
            }
            #expect(input.preimage == Array(try row.required("serialized").utf8))
            let whole = try rig.answer(
                url("sign_event", text).replacing("returnType=signature", with: "returnType=event"))
            let signed = try PercentEncoding.decode(
                String(whole.dropFirst(Self.place.count)).utf8.span)
            #expect(holds(try SignedEvent.statement(signed.utf8.span)))
        }
    }

    @Test("a signature is 128 digits, a key 64, and a packed event begins with Signer1")
    func shapes() throws {
        #expect(try result(url("get_public_key")) == NostrKeys.aliceHex)
        let signature = try result(url("sign_event", Self.note))
        #expect(signature.utf8.count == 128 && (try? Hex.decode(signature)) != nil)
        let packed = try result(
            url("sign_event", Self.note).replacing("returnType=signature", with: "returnType=event")
                .replacing("compressionType=none", with: "compressionType=gzip"))
        #expect(packed.hasPrefix("Signer1"))
        let bytes = try Base64.decode(
            String(packed.dropFirst(7)), alphabet: .standard, padding: .required)
        let event = try Gzip.decompress(bytes.span, outputMax: 4_096, ratioMax: 200)
        #expect(holds(try SignedEvent.statement(event.span)))
        // A bare signature is never compressed, even if the request asks for it.
        let bare = try result(
            url("sign_event", Self.note).replacing(
                "compressionType=none", with: "compressionType=gzip"))
        #expect(bare.utf8.count == 128)
    }

    @Test("texts go to a contact and come back", arguments: ["nip04", "nip44"])
    func texts(scheme: String) throws {
        let text = "100%25 & more? \u{1F600}"
        let sealed = try result(url("\(scheme)_encrypt", text, "&pubKey=\(NostrKeys.bobHex)"))
        var bob = rig
        bob.secrets = [NostrKeys.bobSecret]
        let opened = try bob.answer(
            url("\(scheme)_decrypt", sealed, "&pubkey=\(NostrKeys.aliceHex)"))
        let place = Self.place
        #expect(
            try PercentEncoding.decode(String(opened.dropFirst(place.count)).utf8.span) == text)
    }

    @Test("without a callback the answer is the bare result, and a yes is for once")
    func clipboard() throws {
        let asked = url("sign_event", Self.note, callback: nil)
        let request = try rig.decode(asked)
        #expect(request.client == nil && request.terms.isOneTime)
        #expect(request.summary.lines.contains { $0.text.contains("clipboard") })
        #expect(try rig.answer(asked).utf8.count == 128)
        #expect(try !rig.decode(url("sign_event", Self.note)).terms.isOneTime)
        // Decrypted text is never treated as an address to open.
        let frame = Array(asked.utf8)
        let place = rig.adapter.place(ofAnswersTo: frame.span)
        let form = rig.adapter.form(of: Array("https://x.example/?a=b".utf8), to: frame.span)
        #expect(place == .clipboard && form == nil)
    }

    @Test("a refusal is silence, for the form has no word for one")
    func silence() throws {
        let request = try rig.decode(url("get_public_key"))
        let reason = Reason(.personDenied, "no")
        guard case .silence = rig.adapter.encode(.denied(reason), to: request) else {
            Issue.record("somebody is told")
            return
        }
    }

    @Test("the result goes by a form under the name that the callback ends with")
    func form() throws {
        let asked = url("get_public_key", callback: "https://example.com/in?a=b%26event=")
        let frame = Array(asked.utf8)
        let answer = Array(try rig.answer(asked).utf8)
        let found = rig.adapter.form(of: answer, to: frame.span)
        let form = try #require(found)
        #expect(form.action == "https://example.com/in?a=b")
        #expect(form.fields == [AnswerForm.Field("event", NostrKeys.aliceHex)])
        let bare = Array(url("get_public_key", callback: "https://example.com/key/").utf8)
        let none = rig.adapter.form(of: answer, to: bare.span)
        #expect(none == nil)
    }

    @Test("a request whose answer no callback can carry is refused before a key is used")
    func room() throws {
        var small = rig
        small.adapter = NIP55Adapter(callbackBytesMax: 4_096)
        let long = String(repeating: "x", count: 8_000)
        for type in ["nip04_encrypt", "nip44_encrypt"] {
            #expect(throws: AdapterError.self) {
                try small.decode(url(type, long, "&pubKey=\(NostrKeys.bobHex)"))
            }
            _ = try small.decode(
                url(type, long, "&pubKey=\(NostrKeys.bobHex)", callback: nil))
        }
        let event = Self.note.replacing("sure", with: long)
        #expect(throws: AdapterError.self) {
            try small.decode(
                url("sign_event", event).replacing("returnType=signature", with: "returnType=event")
            )
        }
        #expect(try small.answer(url("sign_event", event)).utf8.count < 4_096)
    }

    @Test("facts, dangers and effects are those of NIP-07 and all other wires of Nostr")
    func facts() throws {
        let operation = try rig.decode(url("sign_event", Self.note)).operations[0]
        #expect(operation.facts.contains { $0.name == "kind" })
        let old = try rig.decode(
            url("nip04_encrypt", "x", "&pubKey=\(NostrKeys.bobHex)")
        ).operations[0]
        #expect(old.dangers.contains(.legacyEncryption))
        #expect(rig.adapter.schema.protocolID.name == "nostr")
    }
}
