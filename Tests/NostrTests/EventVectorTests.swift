// SPDX-License-Identifier: Apache-2.0

import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Nostr

@Suite("Signed events, and those of nip01.events.json")
struct EventVectorTests {
    @Test("Published events hold")
    func published() throws {
        for row in try Vectors.rows("nip01.events.json", "published_examples_valid") {
            let event = try #require(row["event"])
            let bytes = event.write()
            #expect(holds(try SignedEvent.statement(bytes.span)))
        }
    }

    @Test("Every bad event is refused, by its form or by the check of its claim")
    func mustReject() throws {
        for row in try Vectors.rows("nip01.events.json", "must_reject") {
            let name = try row.required("name")
            let event = try #require(row["event"]).write()
            if try row.required("expect_error") == "format" {
                #expect(throws: StatementError.self, "\(name)") {
                    try SignedEvent.statement(event.span)
                }
            } else {
                #expect(!holds(try SignedEvent.statement(event.span)), "\(name)")
            }
        }
    }

    @Test("A format that is bad in a signed event is bad in a template, but for id and sig")
    func mustRejectTemplates() throws {
        for row in try Vectors.rows("nip01.events.json", "must_reject")
        where row["expect_error"]?.text == "format" {
            let name = try row.required("name")
            let text = String(decoding: try #require(row["event"]).write(), as: UTF8.self)
            if ["uppercase-id", "short-sig"].contains(name) {
                _ = try NostrCall().use(text)
            } else {
                #expect(throws: NostrRefusal.self, "\(name)") { try NostrCall().use(text) }
            }
        }
    }

    @Test("Prefixes, trailing bytes and missing members are not a signed event")
    func incompleteStatements() throws {
        let row = try Vectors.rows("nip01.events.json", "sign_and_verify")[3]
        let event = try #require(row["event"])
        let bytes = event.write()
        for count in bytes.indices {
            let prefix = Array(bytes[..<count])
            #expect(throws: StatementError.self) {
                try SignedEvent.statement(prefix.span)
            }
        }
        let longer = bytes + [0x7D]
        #expect(throws: StatementError.self) {
            try SignedEvent.statement(longer.span)
        }
        for name in try #require(event.object?.names) {
            let rest = JSONObject(try #require(event.object).members.filter { $0.name != name })
            let bytes = JSON.object(rest).write()
            #expect(throws: StatementError.self, "\(name)") {
                try SignedEvent.statement(bytes.span)
            }
        }
    }
}
