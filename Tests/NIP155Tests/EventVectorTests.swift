// SPDX-License-Identifier: Apache-2.0

import NIP155Rig
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NIP155

@Suite("The events of nip01.events.json")
struct EventVectorTests {
    @Test("Every event, sent as a template, gives the published preimage and id")
    func signAndVerify() throws {
        for row in try Vectors.rows("nip01.events.json", "sign_and_verify") {
            let name = try row.required("name")
            let event = try #require(row["event"])
            let rig = Rig(secrets: [try row.required("secret_key")])
            let text = String(decoding: event.write(), as: UTF8.self)
            let url = requestURL("sign_event", ["event": text, "returnType": "event"])

            let request = try rig.decode(url)
            guard case .sign(let input) = request.operations[0].operation else {
                Issue.record("\(name) asks for no signature")
                continue
            }
            #expect(input.preimage == Array(try row.required("serialized").utf8), "\(name)")

            let answer = try ParsedAnswer(try rig.answer(url))
            let signed = try JSON.parse(try #require(answer["event"]).utf8.span)
            for member in ["id", "pubkey", "created_at", "kind", "tags", "content"] {
                #expect(signed[member] == event[member], "\(name): \(member)")
            }
            #expect(
                signed.object?.names
                    == ["id", "pubkey", "created_at", "kind", "tags", "content", "sig"])
            for bytes in [signed.write(), event.write()] {
                #expect(holds(try rig.adapter.readSigned(bytes.span)), "\(name)")
            }
        }
    }
}
