// SPDX-License-Identifier: Apache-2.0

import NIP155Rig
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NIP155

@Suite("Drop boxes")
struct DropBoxTests {
    static let token = "abcdefghABCDEFGH_-01"

    private func rig(_ content: String?) -> Rig {
        Rig(
            configuration: NIP155Configuration(takesDropBoxes: true), enclosure: content)
    }

    private func url(_ type: String, _ more: KeyValuePairs<String, String> = [:]) -> String {
        requestURL(type, ["pb": Self.token, "id": "7"])
            + more.map { "&\($0.key)=\(PercentEncoding.encode($0.value))" }.joined()
    }

    @Test("A payload comes by the box and its result goes back by it")
    func roundTrip() throws {
        let content = #"{"event":"{\"kind\":1,\"content\":\"hi\",\"tags\":[],\"created_at\":5}"}"#
        let rig = rig(content)
        let request = try rig.decode(url("sign_event", ["returnType": "event"]))
        #expect(request.summary.lines.contains { $0.label == "payload" }, "it says where it was")
        let reply = rig.adapter.encode(.done(try rig.perform(request)), to: request)
        guard case .deposit(let deposit, let message) = reply else {
            Issue.record("\(reply)")
            return
        }
        #expect(
            String(decoding: message, as: UTF8.self)
                == "myapp://ok?id=7&result_ref=pb%3A\(Self.token)")
        let event = try #require(try JSON.parse(deposit.span)["event"]?.text)
        #expect(holds(try rig.adapter.readSigned(Array(event.utf8).span)))
    }

    @Test("A text too long for a URL is encrypted by it, and flagged")
    func long() throws {
        let text = mixedText(100_000)
        let rig = rig(#"{"plaintext":"\#(text)"}"#)
        let request = try rig.decode(url("nip44_encrypt", ["pubkey": NostrKeys.bobHex]))
        #expect(request.operations[0].dangers == [.longPlaintext])
        guard
            case .deposit(let deposit, _) = rig.adapter.encode(
                .done(try rig.perform(request)), to: request)
        else {
            Issue.record("no deposit")
            return
        }
        let sealed = try #require(try JSON.parse(deposit.span)["result"]?.text)
        var bob = self.rig(#"{"encryptedText":"\#(sealed)"}"#)
        bob.secrets = [NostrKeys.bobSecret]
        let back = try bob.decode(url("nip44_decrypt", ["pubkey": NostrKeys.aliceHex]))
        #expect(back.operations[0].dangers == [.decrypt, .longPlaintext])
        #expect(try bob.perform(back) == [.plaintext(Array(text.utf8))])
    }

    @Test("An error says nothing of the box, and lays nothing down")
    func refused() throws {
        let rig = rig(#"{"plaintext":"x"}"#)
        let request = try rig.decode(url("nip44_encrypt", ["pubkey": NostrKeys.bobHex]))
        let answer = try ParsedAnswer(
            try rig.message(rig.adapter.encode(.denied(Reason(.personDenied, "")), to: request)))
        #expect(answer.names == ["id", "code", "reason"])
    }

    private static let contents: [(String, String?, KeyValuePairs<String, String>)] = [
        ("nothing in it", nil, [:]), ("no JSON", "x", [:]), ("an array", "[]", [:]),
        ("another member", #"{"event":"x"}"#, [:]), ("no text", #"{"plaintext":{}}"#, [:]),
        ("two members", #"{"plaintext":"x","event":"y"}"#, [:]),
        ("twice the same", #"{"plaintext":"x","plaintext":"x"}"#, [:]),
        ("both ways", #"{"plaintext":"x"}"#, ["plaintext": "x"]),
        ("both ways, empty", #"{"plaintext":"x"}"#, ["plaintext": ""]),
        ("an empty text", #"{"plaintext":""}"#, [:]),
        ("too long", #"{"plaintext":"\#(String(repeating: "x", count: 2 << 20))"}"#, [:]),
    ]

    @Test("A box has to hold the payload and nothing else", arguments: contents.indices)
    func content(index: Int) throws {
        let (name, content, more) = Self.contents[index]
        let refusal = try rig(content).refusal(
            url("nip44_encrypt", ["pubkey": NostrKeys.bobHex])
                + more.map { "&\($0.key)=\($0.value)" }.joined())
        #expect(["invalid_request", "payload_too_large"].contains(refusal.code), "\(name)")
    }

    @Test(
        "A token is 16 to 128 plain characters",
        arguments: [
            "short", String(repeating: "a", count: 129), "../../../etc/passwd", "a b c d e f g h i",
        ])
    func tokens(token: String) throws {
        let url = requestURL("nip44_encrypt", ["pb": token, "pubkey": NostrKeys.bobHex])
        let rig = rig(#"{"plaintext":"x"}"#)
        #expect(try rig.refusal(url).code == "invalid_request")
        #expect(rig.adapter.enclosureName(in: Array(url.utf8).span) == nil)
    }

    @Test("They are off unless they are switched on")
    func off() throws {
        let url = url("nip44_encrypt", ["pubkey": NostrKeys.bobHex])
        let refusal = try Rig(enclosure: #"{"plaintext":"x"}"#).refusal(url)
        #expect(refusal.code == "invalid_request" && refusal.reason == "pb not supported")
        #expect(Rig().adapter.enclosureName(in: Array(url.utf8).span) == nil)
        #expect(rig(nil).adapter.enclosureName(in: Array(url.utf8).span) == Self.token)
    }
}
