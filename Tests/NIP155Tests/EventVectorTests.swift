// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
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

    @Test("Published events hold")
    func published() throws {
        for row in try Vectors.rows("nip01.events.json", "published_examples_valid") {
            let event = try #require(row["event"])
            let bytes = event.write()
            #expect(holds(try NIP155Adapter().readSigned(bytes.span)))
        }
    }

    @Test("Every bad event is refused, by its form or by the check of its claim")
    func mustReject() throws {
        for row in try Vectors.rows("nip01.events.json", "must_reject") {
            let name = try row.required("name")
            let event = try #require(row["event"]).write()
            if try row.required("expect_error") == "format" {
                #expect(throws: StatementError.self, "\(name)") {
                    try NIP155Adapter().readSigned(event.span)
                }
            } else {
                #expect(!holds(try NIP155Adapter().readSigned(event.span)), "\(name)")
            }
        }
    }

    @Test("A format that is bad in a signed event is bad in a template, but for id and sig")
    func mustRejectTemplates() throws {
        for row in try Vectors.rows("nip01.events.json", "must_reject")
        where row["expect_error"]?.text == "format" {
            let name = try row.required("name")
            let text = String(decoding: try #require(row["event"]).write(), as: UTF8.self)
            let url = requestURL("sign_event", ["event": text])
            if ["uppercase-id", "short-sig"].contains(name) {
                _ = try Rig().decode(url)
            } else {
                #expect(try Rig().refusal(url).code == "invalid_request", "\(name)")
            }
        }
    }

    @Test("Prefixes, trailing bytes and missing members are no signed event")
    func incompleteStatements() throws {
        let row = try Vectors.rows("nip01.events.json", "sign_and_verify")[3]
        let event = try #require(row["event"])
        let bytes = event.write()
        for count in bytes.indices {
            let prefix = Array(bytes[..<count])
            #expect(throws: StatementError.self) {
                try NIP155Adapter().readSigned(prefix.span)
            }
        }
        let longer = bytes + [0x7D]
        #expect(throws: StatementError.self) {
            try NIP155Adapter().readSigned(longer.span)
        }
        for name in try #require(event.object?.names) {
            let rest = JSONObject(try #require(event.object).members.filter { $0.name != name })
            let bytes = JSON.object(rest).write()
            #expect(throws: StatementError.self, "\(name)") {
                try NIP155Adapter().readSigned(bytes.span)
            }
        }
    }
}
