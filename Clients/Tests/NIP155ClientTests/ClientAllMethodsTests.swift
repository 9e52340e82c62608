// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import NIP155
@testable import NIP155Client
@testable import NIP155Rig
@testable import NostrSamples

@Suite("A client uses features of later versions")
struct ClientAllMethodsTests {
    private let client: NIP155Client

    init() throws { client = try NIP155Client(success: "myapp://ok", error: "myapp://err") }

    private func text(_ answer: NIP155Answer) throws -> String {
        guard case .text(let text) = answer else {
            Issue.record("\(answer)")
            return ""
        }
        return text
    }

    private func ask(_ call: NIP155Call, _ rig: Rig) throws -> NIP155Answer {
        let request = try client.request(call, id: "7")
        return try request.read(callback: rig.answer(request.url))
    }

    @Test("NIP-04 both ways, an empty text too", arguments: ["", "x", awkwardText])
    func nip04(plain: String) throws {
        let sealed = try text(
            ask(.nip04Encrypt(plaintext: plain, peer: NostrKeys.bobHex), Rig()))
        let opened = try text(
            ask(
                .nip04Decrypt(ciphertext: sealed, peer: NostrKeys.aliceHex),
                Rig(secrets: [NostrKeys.bobSecret])))
        #expect(Array(opened.utf8) == Array(plain.utf8))
    }

    @Test("A private zap")
    func zap() throws {
        let vector = try #require(try Vectors.json("nip57.private-zap.json")["event_zap"])
        let request = try #require(vector["zap_request"])
        let secret = "9571a568a42b9e05646a349c783159b906b498119390df9a5a02667155128028"
        let answer = try ask(
            .decryptZapEvent(json: String(decoding: request.write(), as: UTF8.self)),
            Rig(secrets: [secret]))
        #expect(try text(answer) == vector["inner_json"]?.text)
    }

    @Test("The valid permissions")
    func permissions() throws {
        let wishes = [NIP155Permission(.signEvent, kind: 1), NIP155Permission(.nip44Decrypt)]
        let request = try client.request(.publicKey(permissions: wishes), id: "7")
        let rig = Rig()
        let decoded = try rig.decode(request.url)
        let url = try rig.message(
            rig.adapter.encode(.done(try rig.perform(decoded)), to: decoded, granted: [1]))
        #expect(
            try request.read(callback: url)
                == .publicKey(
                    hex: NostrKeys.aliceHex, package: "io.countersign.hub", granted: [wishes[1]]))
    }

    @Test("A long text by a drop box, there and back")
    func dropBox() throws {
        let plain = mixedText(100_000)
        let token = "0123456789abcdef"
        let request = try client.request(
            .nip44Encrypt(plaintext: plain, peer: NostrKeys.bobHex), id: "7", dropBoxToken: token)
        let rig = Rig(
            configuration: NIP155Configuration(takesDropBoxes: true),
            enclosure: request.dropBoxContent)
        let decoded = try rig.decode(request.url)
        guard
            case .deposit(let content, let message) = rig.adapter.encode(
                .done(try rig.perform(decoded)), to: decoded)
        else {
            Issue.record("nothing was laid down")
            return
        }
        let callback = String(decoding: message, as: UTF8.self)
        let sealed = try text(
            request.read(
                callback: callback, dropBoxContent: String(decoding: content, as: UTF8.self)))
        #expect(sealed.utf8.count > 100_000)
        #expect(throws: NIP155ClientError.dropBoxUnread) { try request.read(callback: callback) }
    }
}
