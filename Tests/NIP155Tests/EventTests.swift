// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCodecs
import SigningCore
import Testing

@testable import NIP155

@Suite("Events to sign")
struct EventTests {
    private func sign(_ event: String, _ returnType: String = "signature") -> String {
        requestURL("sign_event", ["event": event, "returnType": returnType, "id": "1"])
    }

    @Test(
        "Events that are not strict are refused",
        arguments: [
            #"{"kind":1.0,"content":"a"}"#, #"{"kind":1e0,"content":"a"}"#,
            #"{"kind":70000,"content":"a"}"#, #"{"kind":-1,"content":"a"}"#,
            #"{"kind":"1","content":"a"}"#, #"{"kind":-0,"content":"a"}"#, #"{"content":"a"}"#,
            #"{"kind":1}"#, #"{"kind":1,"content":null}"#, #"{"kind":1,"content":1}"#,
            #"{"kind":1,"kind":1,"content":"a"}"#, #"{"kind":1,"content":"a","content":"b"}"#,
            #"{"kind":1,"content":"\ud800"}"#, #"{"kind":1,"content":"\udc00\ud800"}"#,
            #"{"kind":1,"content":"a","tags":null}"#, #"{"kind":1,"content":"a","tags":{}}"#,
            #"{"kind":1,"content":"a","tags":["t"]}"#, #"{"kind":1,"content":"a","tags":[[]]}"#,
            #"{"kind":1,"content":"a","tags":[["t",null]]}"#,
            #"{"kind":1,"content":"a","tags":[["t",1]]}"#,
            #"{"kind":1,"content":"a","created_at":1.5}"#,
            #"{"kind":1,"content":"a","created_at":-1}"#,
            #"{"kind":1,"content":"a","created_at":null}"#,
            #"{"kind":1,"content":"a","created_at":253402300800}"#,
            #"{"kind":1,"content":"a","created_at":99999999999999999999}"#,
            // NIP-17: these are sealed and never signed.
            #"{"kind":14,"content":"a"}"#, #"{"kind":15,"content":"a"}"#,
            // Readers differ in which of two names they take.
            #"{"kind":30000,"content":"","tags":[["d","a"],["d","b"]]}"#,
            #"{"kind":30078,"content":"","tags":[["d","a"],["d","a"]]}"#,
            #"{"kind":1,"content":"a","pubkey":"npub1x"}"#,
            #"{"kind":1,"content":"a","pubkey":null}"#, #"{"kind":1,"content":"a"} x"#,
            #"{"kind":1,"content":"a"}}"#, #"{"kind":1,"content":"a",}"#, "{'kind':1}", "null",
        ])
    func strict(event: String) throws {
        #expect(try Rig().refusal(sign(event)).code == "invalid_request")
    }

    @Test(
        "Edges of what is allowed",
        arguments: [
            #"{"kind":65535,"content":"","created_at":253402300799,"tags":[[""]]}"#,
            #"{"kind":0,"content":"","created_at":0,"tags":[],"id":5,"sig":null,"pubkey":""}"#,
            #"{"kind":1,"content":"\ud83e\udd19\/","extra":{"a":[1.5e3]}}"#,
            " {\n\"kind\" : 1 , \"content\":\"a\" }\n",
        ])
    func allowed(event: String) throws {
        let answer = try ParsedAnswer(try Rig().answer(sign(event, "event")))
        let signed = try #require(answer["event"])
        #expect(holds(try NIP155Adapter().readSigned(signed.utf8.span)))
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
            #"{"kind":1,"content":"a","created_at":5,"tags":[],"pubkey":"\#(Rig.bobHex)"}"#,
        ])
    func completed(event: String) throws {
        let answer = try ParsedAnswer(try Rig().answer(sign(event)))
        #expect(answer.names == ["id", "result", "event"])
        let signed = try #require(answer["event"])
        let statement = try NIP155Adapter().readSigned(signed.utf8.span)
        #expect(holds(statement))
        #expect(hex(statement.signatures[0].signature) == answer["result"])
        #expect(hex(statement.signatures[0].publicKey) == Rig.aliceHex)
        let time = try JSON.parse(signed.utf8.span)["created_at"]?.integerValue
        #expect(time == (event.contains("created_at") ? 5 : Rig.now.seconds))
    }

    @Test("Tags beyond the limit are too large")
    func manyTags() throws {
        let limits = NIP155Limits(tagsMax: 3)
        let rig = Rig(configuration: NIP155Configuration(limits: limits))
        for (count, isAllowed) in [(3, true), (4, false)] {
            let tags = [String](repeating: "[\"t\"]", count: count).joined(separator: ",")
            let url = sign(#"{"kind":1,"content":"","tags":[\#(tags)]}"#)
            if isAllowed {
                _ = try rig.decode(url)
            } else {
                #expect(try rig.refusal(url).code == "payload_too_large")
            }
        }
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
        let text = requestURL("nip44_encrypt", ["plaintext": "%7B%25", "pubkey": Rig.bobHex])
        #expect(try Rig().decode(text).use.task.plaintext == "%7B%25")
        #expect(try Rig().refusal(sign("%7B%zz")).code == "invalid_request")
    }
}
