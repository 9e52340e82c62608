// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningTesting
import Testing

@testable import NIP155
@testable import NIP155Client
@testable import NIP155Rig
@testable import NostrSamples

@Suite("A client and the signer understand each other")
struct ClientRoundTripTests {
    private let client: NIP155Client

    init() throws {
        client = try NIP155Client(
            success: "myapp://ok?state=1%202#top", error: "myapp://err", name: awkwardText,
            homepage: "https://example.com/")
    }

    /// Sends the request through the hub and parses the callback.
    private func ask(
        _ call: NIP155Call, id: String = "7", currentUser: String? = nil,
        compression: NIP155Compression = .automatic, rig: Rig = Rig()
    ) throws -> NIP155Answer {
        let request = try client.request(
            call, id: id, currentUser: currentUser, compression: compression)
        return try request.read(callback: rig.answer(request.url))
    }

    /// The signature and the event of an answer.
    private func signed(_ answer: NIP155Answer) throws -> (signature: String?, json: JSON?) {
        switch answer {
        case .event(let json): return (nil, try JSON.parse(json.utf8.span))
        case .signature(let signature, let json):
            return (signature, try json.map { try JSON.parse($0.utf8.span) })
        default:
            Issue.record("\(answer)")
            return (nil, nil)
        }
    }

    private func text(_ answer: NIP155Answer) -> String {
        if case .text(let text) = answer { return text }
        Issue.record("\(answer)")
        return ""
    }

    private func event(_ content: String, _ more: String = "") -> String {
        var text: [UInt8] = []
        JSONText.appendQuoted(content, to: &text)
        return "{\"kind\":1,\"content\":\(String(decoding: text, as: UTF8.self))\(more)}"
    }

    @Test("The public key, with any id", arguments: ["42", awkwardText, "a=b&id=c", "\u{212A}"])
    func publicKey(id: String) throws {
        let wishes = [NIP155Permission(.signEvent, kind: 22_242), NIP155Permission(.nip44Decrypt)]
        let request = try client.request(.publicKey(permissions: wishes), id: id)
        let rig = Rig()
        let asked = try rig.decode(request.url)
        #expect(asked.summary.lines.filter { $0.label == "would like later" }.count == 2)
        #expect(
            try request.read(callback: rig.answer(request.url))
                == .publicKey(hex: NostrKeys.aliceHex, package: "io.countersign.hub", granted: []))
    }

    @Test(
        "A signed event, whole and with awkward content",
        arguments: [NIP155Compression.none, .gzip, .automatic])
    func wholeEvent(compression: NIP155Compression) throws {
        let json = event(awkwardText, ",\"tags\":[[\"t\",\"+ &\"]]")
        let answer = try ask(
            .signEvent(json: json, returning: .event), currentUser: NostrKeys.aliceHex.uppercased(),
            compression: compression)
        let object = try #require(try signed(answer).json)
        #expect(object["content"]?.text.map { Array($0.utf8) } == Array(awkwardText.utf8))
        #expect(object["tags"] == [["t", "+ &"]])
        let signature = try Hex.decode(object.required("sig"))
        let id = try Hex.decode(object.required("id"))
        let author = try Hex.decode(NostrKeys.aliceHex)
        let valid = Signatures.isValidBIP340(
            signature: signature.span, message: id.span, publicKey: author.span)
        #expect(valid)
    }

    @Test("A signature is bare where the event was complete, with any compression")
    func signature() throws {
        let whole = event(awkwardText, ",\"tags\":[],\"created_at\":5")
        for compression in [NIP155Compression.none, .gzip] {
            let answer = try ask(
                .signEvent(json: whole, returning: .signature), compression: compression)
            let (signature, event) = try signed(answer)
            #expect(try Hex.decode(#require(signature)).count == 64)
            #expect(event == nil)
            let partial = try ask(
                .signEvent(json: self.event("x"), returning: .signature), compression: compression)
            let both = try signed(partial)
            let second = try #require(both.signature)
            #expect(try both.json?.required("sig") == second)
        }
    }

    @Test(
        "A text encrypted for a contact, who decrypts it",
        arguments: ["x", awkwardText, "100%25", mixedText(20_000), "%7B%22"])
    func encryption(text: String) throws {
        for compression in [NIP155Compression.automatic, .gzip] {
            let encrypted = try ask(
                .nip44Encrypt(plaintext: text, peer: NostrKeys.bobHex.uppercased()),
                compression: compression)
            let answer = try ask(
                .nip44Decrypt(ciphertext: self.text(encrypted), peer: NostrKeys.aliceHex),
                compression: compression, rig: Rig(secrets: [NostrKeys.bobSecret]))
            #expect(Array(self.text(answer).utf8) == Array(text.utf8))
        }
    }

    @Test("A result that unpacks two hundred times and more is still read")
    func highRatio() throws {
        let text = String(repeating: "a", count: 30_000)
        let encrypted = try ask(
            .nip44Encrypt(plaintext: text, peer: NostrKeys.bobHex), compression: .none)
        let answer = try ask(
            .nip44Decrypt(ciphertext: self.text(encrypted), peer: NostrKeys.aliceHex),
            compression: .gzip,
            rig: Rig(secrets: [NostrKeys.bobSecret]))
        #expect(answer == .text(text))
    }

    @Test("A refusal of the hub is an answer, at x-error and at x-cancel")
    func refusals() throws {
        let request = try client.request(.publicKey(), id: "7", currentUser: NostrKeys.bobHex)
        guard case .message(let bytes) = try Rig().refusal(request.url).reply else {
            Issue.record("silence")
            return
        }
        #expect(
            try request.read(callback: String(decoding: bytes, as: UTF8.self))
                == .refused(code: .permissionDenied, reason: "permission denied"))

        let cancelling = try NIP155Client(success: "myapp://ok", cancel: "myapp://no")
        let cancelled = try cancelling.request(.publicKey(), id: "7")
        let rig = Rig()
        let asked = try rig.decode(cancelled.url)
        let url = try rig.message(
            rig.adapter.finalReply(.denied(Reason(.personDenied, "no")), to: asked))
        #expect(url.hasPrefix("myapp://no?"))
        #expect(
            try cancelled.read(callback: url)
                == .refused(code: .userCancelled, reason: "declined"))
    }
}
