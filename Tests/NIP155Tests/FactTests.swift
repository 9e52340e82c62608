// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import NIP155Rig
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NIP155

@Suite("Facts and words of the wire")
struct FactTests {
    @Test("A packed payload is judged unpacked, up to a bound")
    func packed() throws {
        func url(_ content: String) throws -> String {
            let event = try Gzip.compress(#"{"kind":1,"content":"\#(content)"}"#.utf8.span)
            return requestURL(
                "sign_event", ["event": Base64.encode(event.span), "compressionType": "gzip"])
        }
        #expect(try Rig().decode(url(mixedText(65_500))).operations[0].dangers == [.oversize])
        let refusal = try Rig().refusal(url(String(repeating: "a", count: 65_500)))
        #expect(refusal.code == "payload_too_large")
        #expect(refusal.reason == "event is more than 200 times its compressed size")
    }

    @Test("Every fact, danger and method is declared")
    func declared() throws {
        let schema = NIP155Adapter().schema
        let events = [
            #"{"kind":22242,"content":"","created_at":1,"tags":[["relay","wss://a.b"]]}"#,
            #"{"kind":27235,"content":"","tags":[["u","x"],["method","GET"]]}"#,
        ]
        var urls = events.map { requestURL("sign_event", ["event": $0]) }
        urls.append(requestURL("nip44_encrypt", ["plaintext": "a", "pubkey": NostrKeys.bobHex]))
        urls.append(requestURL("get_public_key", [:]))
        for url in urls {
            let request = try Rig().decode(url)
            #expect(schema.methods.contains(request.method))
            for operation in request.operations {
                #expect(operation.facts.allSatisfy { schema.field(named: $0.name) != nil })
                #expect(
                    operation.dangers.allSatisfy {
                        (schema.dangers + Danger.common).contains($0)
                    })
            }
        }
    }

    @Test("The client's name for itself is shown as its words")
    func source() throws {
        let url = requestURL(
            "sign_event", ["event": #"{"kind":1,"content":""}"#, "x-source": "Notes"])
        let lines = try Rig().decode(url).summary.lines
        #expect(lines.contains(Summary.Line("calls itself", "Notes", by: .client)))
    }

    @Test("Wishes are shown, and granted ones are reported")
    func wishes() throws {
        let permissions =
            #"[{"type":"sign_event","kind":1},{"type":"sign_event"},{"type":"nip44_decrypt"},"#
            + #"{"type":"get_public_key"},{"type":"rule_the_world"}]"#
        let url = requestURL("get_public_key", ["permissions": permissions])
        let lines = try Rig().decode(url).summary.lines.filter { $0.label == "would like later" }
        #expect(
            lines.map(\.text) == [
                "sign_event: Short Text Note (kind 1)", "sign_event: every kind of event",
                "nip44_decrypt",
            ])
        let answer = try ParsedAnswer(try Rig().answer(url))
        #expect(answer.names == ["pubkey", "package", "granted_permissions"])
        #expect(answer["granted_permissions"] == "[]")
        let request = try Rig().decode(url)
        #expect(request.terms.wishes.map(\.isGrantable) == [true, false, true])
        let results = try Rig().perform(request)
        let reply = try ParsedAnswer(
            try Rig().message(
                Rig().adapter.encode(.done(results), to: request, granted: [0, 2])))
        #expect(
            reply["granted_permissions"]
                == #"[{"type":"sign_event","kind":1},{"type":"nip44_decrypt"}]"#)
        #expect(answer["pubkey"] == NostrKeys.aliceHex)
        #expect(answer["package"] == "io.countersign.hub")

        let entry = #"{"type":"sign_event"}"#
        for (count, isAllowed) in [(32, true), (33, false)] {
            let list = "[" + [String](repeating: entry, count: count).joined(separator: ",") + "]"
            #expect(((try? NostrPermission.list(list)) != nil) == isAllowed)
        }
        #expect(throws: NIP155Refusal.self) {
            try NostrPermission.list("[" + String(repeating: " ", count: 8_191) + "]")
        }
    }
}
