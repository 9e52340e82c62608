// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import NIP155Rig
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningTesting
import Testing

@testable import NIP155

@Suite("Compression and encryption")
struct PayloadTests {
    private func packed(_ text: String) throws -> String {
        base64(try Gzip.compress(text.utf8.span))
    }

    private func unpacked(_ text: String?) throws -> String {
        let bytes = try Base64.decode(try #require(text))
        let plain = try Gzip.decompress(bytes.span, outputMax: 1 << 20)
        return String(decoding: plain, as: UTF8.self)
    }

    private func encrypt(_ plaintext: String) -> String {
        requestURL(
            "nip44_encrypt", ["plaintext": plaintext, "pubkey": NostrKeys.bobHex, "id": "1"])
    }

    private func decrypt(_ text: String, _ compression: String = "none") -> String {
        requestURL(
            "nip44_decrypt",
            [
                "encryptedText": text, "pubkey": NostrKeys.bobHex, "compressionType": compression,
                "id": "1",
            ])
    }

    /// The ciphertext that Bob would send to Alice.
    private func fromBob(_ plaintext: [UInt8]) throws -> [UInt8] {
        let alice = try Hex.decode(NostrKeys.aliceHex)
        let shared = try NIP44.conversationKey(
            own: NostrKeys.key(NostrKeys.bobSecret), peer: alice.span)
        return try NIP44.encrypt(plaintext.span, conversationKey: shared)
    }

    @Test(
        "A contact decrypts what was encrypted for it",
        arguments: ["a", "1+1 %25 \u{E9}"])
    func roundTrip(text: String) throws {
        let answer = try ParsedAnswer(try Rig().answer(encrypt(text)))
        #expect(answer.names == ["id", "result"])
        let bob = Rig(secrets: [NostrKeys.bobSecret])
        let url = requestURL(
            "nip44_decrypt",
            ["encryptedText": try #require(answer["result"]), "pubkey": NostrKeys.aliceHex])
        #expect(try ParsedAnswer(try bob.answer(url))["result"] == text)
        let request = try bob.decode(url)
        #expect(request.operations[0].dangers == [.decrypt])
        #expect(request.operations[0].effects == [.decrypts])
        #expect(
            request.operations[0].facts == [
                Fact("peer", .text(NostrKeys.aliceHex)), Fact("scheme", .text("nip44")),
            ])
    }

    @Test("A text whose ciphertext no callback carries is refused before any key is used")
    func plaintextLimit() throws {
        for (count, isAllowed) in [(40_000, true), (49_155, false), (1 << 20, false)] {
            let url = requestURL(
                "nip44_encrypt",
                [
                    "plaintext": try packed(mixedText(count)),
                    "pubkey": NostrKeys.bobHex, "compressionType": "gzip",
                ])
            if isAllowed {
                #expect(try ParsedAnswer(try Rig().answer(url)).place == "myapp://ok")
            } else {
                let refusal = try Rig().refusal(url)
                #expect(refusal.code == "payload_too_large")
            }
        }
    }

    @Test("Invalid ciphertexts are refused before any key is used")
    func badCiphertexts() throws {
        let good = base64(try fromBob([0x61]))
        let version1 = base64([1] + (try fromBob([0x61])).dropFirst())
        let short = base64([UInt8](repeating: 2, count: 98))
        let cases = [
            "", "#", "#" + good, String(good.dropLast()), good + "=", good + "A",
            String(good.prefix(131)), good.replacing("A", with: "-"), version1, short, " " + good,
        ]
        for text in cases where text != good {
            #expect(try Rig().refusal(decrypt(text)).code == "invalid_request", "\(text)")
        }
        #expect(try Rig().decode(decrypt(good)).method == "nip44_decrypt")
    }

    @Test("A text that does not decrypt, or not to UTF-8, has one answer")
    func undecryptable() throws {
        let rig = Rig()
        let request = try rig.decode(decrypt(base64(try fromBob([0xFF, 0xFE]))))
        let notText = rig.adapter.finalReply(.done(try rig.perform(request)), to: request)
        let failed = Outcome.failed(Reason(.undecryptable, "anything"))
        #expect(notText == rig.adapter.finalReply(failed, to: request))
        #expect(
            try rig.message(notText)
                == "myapp://err?id=1&code=invalid_request&reason=could%20not%20decrypt")
    }

    @Test("A long ciphertext is a danger, and its text goes back compressed")
    func longPlaintext() throws {
        let rig = Rig(
            configuration: NIP155Configuration(limits: NIP155Limits(urlBytesMax: 1 << 20)))
        let text = Array(mixedText(70_000).utf8)
        let url = decrypt(try packed(base64(try fromBob(text))), "gzip")
        #expect(try rig.decode(url).operations[0].dangers == [.decrypt, .longPlaintext])
        let answer = try ParsedAnswer(try rig.answer(url))
        #expect(answer.names == ["id", "result", "compressionType"])
        #expect(try unpacked(answer["result"]) == String(decoding: text, as: UTF8.self))
    }

    @Test("A compressed event is read in either alphabet, with or without padding, or plain")
    func compressedEvents() throws {
        // An event whose standard Base64 has padding and a digit that the URL alphabet replaces.
        let event = try #require(
            try (0..<500).map { #"{"kind":1,"content":"\#($0)","created_at":5,"tags":[]}"# }
                .first { event in
                    let text = try packed(event)
                    return text.hasSuffix("=") && text.contains { $0 == "+" || $0 == "/" }
                })
        let bytes = try Gzip.compress(event.utf8.span)
        let urlText = Base64.encode(bytes.span, alphabet: .url, padding: false)
        for value in [base64(bytes), urlText, event] {
            let url = requestURL(
                "sign_event",
                ["event": value, "compressionType": "gzip", "returnType": "event", "id": "1"])
            let answer = try ParsedAnswer(try Rig().answer(url))
            #expect(answer.names == ["id", "event", "compressionType"])
            #expect(answer["compressionType"] == "gzip")
            let signed = try unpacked(answer["event"])
            #expect(holds(try NIP155Adapter().readSigned(signed.utf8.span)))
        }
    }

    @Test("compressionType speaks for result and event alike, and for nothing else")
    func oneForm() throws {
        let event = #"{"kind":1,"content":"","created_at":5,"tags":[]}"#
        let signature = requestURL("sign_event", ["event": event, "compressionType": "gzip"])
        let answer = try ParsedAnswer(try Rig().answer(signature))
        #expect(answer.names == ["result", "compressionType"])
        #expect(try unpacked(answer["result"]).utf8.count == 128)
        let key = requestURL("get_public_key", ["compressionType": "gzip"])
        #expect(try ParsedAnswer(try Rig().answer(key)).names == ["pubkey", "package"])

        let template = #"{"kind":1,"content":""}"#
        let both = requestURL("sign_event", ["event": template, "compressionType": "gzip"])
        let full = try ParsedAnswer(try Rig().answer(both))
        #expect(full.names == ["result", "event", "compressionType"])
        let bare = try unpacked(full["result"])
        #expect(bare.utf8.count == 128)
        #expect(try unpacked(full["event"]).contains(#""sig":"\#(bare)""#))
    }

    @Test("A gzip bomb is too large, damaged gzip is invalid")
    func bombs() throws {
        let bomb = try packed(
            #"{"kind":1,"content":""# + String(repeating: "a", count: 9 << 20) + #""}"#)
        let damaged = String(try packed(#"{"kind":1,"content":"abc"}"#).dropLast(12))
        let notText: [UInt8] = [0x7B, 0xFF]
        let latin = base64(try Gzip.compress(notText.span))
        for (value, code) in [
            (bomb, "payload_too_large"), (damaged, "invalid_request"),
            ("!!!", "invalid_request"), (latin, "invalid_request"),
            (try packed(""), "invalid_request"),
        ] {
            let url = requestURL("sign_event", ["event": value, "compressionType": "gzip"])
            #expect(try Rig().refusal(url).code == code)
        }
    }

    @Test("An event at the limit is signed, a byte more is too large")
    func eventLimit() throws {
        let frame = #"{"kind":1,"created_at":5,"tags":[],"content":""}"#.utf8.count
        let text = mixedText(NIP155Limits().eventBytesMax)
        for (extra, isAllowed) in [(0, true), (1, false)] {
            let content = text.prefix(NIP155Limits().eventBytesMax - frame + extra)
            let value = try packed(
                #"{"kind":1,"created_at":5,"tags":[],"content":"\#(content)"}"#)
            let url = requestURL("sign_event", ["event": value, "compressionType": "gzip"])
            if isAllowed {
                _ = try Rig().perform(try Rig().decode(url))
            } else {
                #expect(try Rig().refusal(url).code == "payload_too_large")
            }
        }
    }

    @Test("A list of 2000 follows is signed, in a URL of full length")
    func longList() throws {
        let tags = (0..<2_000).map {
            #"["p","\#(hex([UInt8](repeating: UInt8($0 % 256), count: 32)))"]"#
        }
        let event =
            #"{"kind":3,"created_at":5,"content":"","tags":[\#(tags.joined(separator: ","))]}"#
        let url = requestURL("sign_event", ["event": event])
        #expect(url.utf8.count > 128 << 10)
        #expect(try ParsedAnswer(try Rig().answer(url))["result"]?.utf8.count == 128)
    }
}
