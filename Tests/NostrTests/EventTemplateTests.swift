// SPDX-License-Identifier: Apache-2.0

import NostrSamples
import Testing

@testable import Nostr

@Suite("Events to sign")
struct EventTemplateTests {
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
            // Rumors of NIP-17 are sealed and never signed.
            #"{"kind":14,"content":"a"}"#, #"{"kind":15,"content":"a"}"#,
            // Parsers differ in which of two `d` tags they use.
            #"{"kind":30000,"content":"","tags":[["d","a"],["d","b"]]}"#,
            #"{"kind":30078,"content":"","tags":[["d","a"],["d","a"]]}"#,
            #"{"kind":1,"content":"a","pubkey":"npub1x"}"#,
            #"{"kind":1,"content":"a","pubkey":0}"#, #"{"kind":1,"content":"a"} x"#,
            #"{"kind":1,"content":"a"}}"#, #"{"kind":1,"content":"a",}"#, "{'kind':1}", "null",
        ])
    func strict(event: String) throws {
        let refusal = try #require(throws: NostrRefusal.self) { try NostrCall().use(event) }
        guard case .invalid = refusal else {
            Issue.record("\(refusal)")
            return
        }
    }

    @Test(
        "Edges of the permitted range",
        arguments: [
            #"{"kind":65535,"content":"","created_at":253402300799,"tags":[[""]]}"#,
            #"{"kind":0,"content":"","created_at":0,"tags":[],"id":5,"sig":null,"pubkey":""}"#,
            #"{"kind":1,"content":"\ud83e\udd19\/","extra":{"a":[1.5e3]}}"#,
            #"{"kind":1,"content":"a","pubkey":null}"#,
            " {\n\"kind\" : 1 , \"content\":\"a\" }\n",
        ])
    func allowed(event: String) throws {
        let signed = try #require(try NostrCall().signed(event))
        #expect(holds(try SignedEvent.statement(signed.utf8.span)))
    }

    @Test("Tags beyond the limit are too large")
    func manyTags() throws {
        let call = NostrCall(limits: NostrLimits(tagsMax: 3))
        for (count, isAllowed) in [(3, true), (4, false)] {
            let tags = [String](repeating: "[\"t\"]", count: count).joined(separator: ",")
            let event = #"{"kind":1,"content":"","tags":[\#(tags)]}"#
            if isAllowed {
                _ = try call.use(event)
            } else {
                #expect(throws: NostrRefusal.tooLarge("event has more than 3 tags")) {
                    try call.use(event)
                }
            }
        }
    }
}
