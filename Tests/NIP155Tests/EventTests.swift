// SPDX-License-Identifier: Apache-2.0

import NIP155Rig
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NIP155

@Suite("Events to sign")
struct EventTests {
    private func sign(_ event: String, _ returnType: String = "signature") -> String {
        requestURL("sign_event", ["event": event, "returnType": returnType, "id": "1"])
    }

    @Test("A full template gets a bare signature, which holds")
    func bareSignature() throws {
        let event = #"{"kind":1,"content":"a","created_at":5,"tags":[]}"#
        let answer = try ParsedAnswer(try Rig().answer(sign(event)))
        #expect(answer.names == ["id", "result"])
        #expect(answer["result"]?.utf8.count == 128)
    }

    @Test(
        "Where the signer filled something in, the event comes with the signature",
        arguments: [
            #"{"kind":1,"content":"a"}"#, #"{"kind":1,"content":"a","tags":[]}"#,
            #"{"kind":1,"content":"a","created_at":5}"#,
            #"{"kind":1,"content":"a","created_at":5,"tags":[],"pubkey":"\#(NostrKeys.bobHex)"}"#,
        ])
    func completed(event: String) throws {
        let answer = try ParsedAnswer(try Rig().answer(sign(event)))
        #expect(answer.names == ["id", "result", "event"])
        let signed = try #require(answer["event"])
        let statement = try NIP155Adapter().readSigned(signed.utf8.span)
        #expect(holds(statement))
        #expect(hex(statement.signatures[0].signature) == answer["result"])
        #expect(hex(statement.signatures[0].publicKey) == NostrKeys.aliceHex)
        let time = try JSON.parse(signed.utf8.span)["created_at"]?.integerValue
        #expect(time == (event.contains("created_at") ? 5 : Rig.now.seconds))
    }

    @Test("Decoding the same bytes gives the same operations, facts and words")
    func deterministic() throws {
        let url = sign(#"{"kind":1,"content":"a","tags":[["p","x"],["e","y"],["t","z"]]}"#)
        let one = try Rig().decode(url)
        let other = try Rig().decode(url)
        #expect(one.operations == other.operations)
        #expect(one.summary == other.summary)
        #expect(one.replayToken == nil && one.facts.isEmpty)
    }

    @Test("JSON encoded twice is read, other text keeps its percent signs")
    func twiceEncoded() throws {
        let event = #"{"kind":1,"content":"100%25"}"#
        let url = sign(PercentEncoding.encode(event))
        #expect(try Rig().decode(url).use.task.event?.content == "100%25")
        let wishes = requestURL(
            "get_public_key", ["permissions": PercentEncoding.encode(#"[{"type":"x"}]"#)])
        #expect(try Rig().decode(wishes).permissions.isEmpty)
        let text = requestURL("nip44_encrypt", ["plaintext": "%7B%25", "pubkey": NostrKeys.bobHex])
        #expect(try Rig().decode(text).use.task.plaintext == "%7B%25")
        #expect(try Rig().refusal(sign("%7B%zz")).code == "invalid_request")
    }
}
