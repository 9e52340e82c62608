// SPDX-License-Identifier: Apache-2.0

import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Nostr

@Suite("Facts for policies")
struct FactTests {
    private func operation(_ event: String) throws -> RequestedOperation {
        try NostrCall().use(event).operation
    }

    private func facts(_ operation: RequestedOperation) -> [String: FactValue] {
        Dictionary(operation.facts.map { ($0.name, $0.value) }, uniquingKeysWith: { one, _ in one })
    }

    @Test("The facts of an event")
    func event() throws {
        let facts = facts(
            try operation(
                #"{"kind":1,"content":"h\u00e9","created_at":1700000000,"#
                    + #""tags":[["p","a"],["t","x"],["p","b","c"],["-"],["","q"]]}"#))
        #expect(
            facts == [
                "kind": .integer(1), "content.bytes": .integer(3), "tag_count": .integer(5),
                "content.contains": .text("h\u{E9}"), "pubkey_mismatch": .bool(false),
                "created_at.skew": .integer(-100), "tag.p": .list([.text("a"), .text("b")]),
                "tag.t": .list([.text("x")]), "tag.-": .list([]),
                "bound_tags": .text(#"[["p","a"],["p","b","c"],["-"],["","q"]]"#),
            ])
    }

    @Test("A tag without a value does not hide behind others of its name")
    func emptyTags() throws {
        let found = facts(
            try operation(#"{"kind":1,"content":"","tags":[["p","a"],["p"],["-"],["t",""]]}"#))
        #expect(found["tag.p"] == .list([.text("a"), .text("")]))
        #expect(found["tag.-"] == .list([]))
        #expect(found["tag.t"] == .list([.text("")]))
    }

    @Test("Tags and methods with a canonical form are reported in it, others unchanged")
    func forms() throws {
        let key = String(repeating: "ab", count: 32)
        let upper = key.uppercased()
        let tags = """
            [["p","\(upper)"],["p","x"],["e","\(upper)"],["a","1:\(upper):D"],["a","01:\(key):"],
            ["t","Casino"],["r","HTTPS://A.com"],["d","Name"],["method","delete"],
            ["u","https://a.com"]]
            """
        let found = facts(try operation(#"{"kind":27235,"content":"","tags":\#(tags)}"#))
        #expect(found["tag.p"] == .list([.text(key), .text("x")]))
        #expect(found["tag.e"] == .list([.text(key)]))
        #expect(found["tag.a"] == .list([.text("1:\(key):D"), .text("01:\(key):")]))
        #expect(found["tag.t"] == .list([.text("casino")]))
        #expect(found["tag.r"] == .list([.text("HTTPS://A.com")]))
        #expect(found["tag.d"] == .list([.text("Name")]))
        #expect(found["method"] == .text("DELETE"))
    }

    @Test(
        "The amount of a zap request is known if there is one of digits alone",
        arguments: [
            (#"["amount","21000"]"#, 21_000), (#"["amount","0"]"#, 0),
            (#"["amount","18446744073709551615"]"#, 18_446_744_073_709_551_615),
            (#"["amount","18446744073709551616"]"#, nil), (#"["amount","+5"]"#, nil),
            (#"["amount","-5"]"#, nil), (#"["amount",""]"#, nil), (#"["amount"]"#, nil),
            (#"["amount","5 "]"#, nil), (#"["amount","5"],["amount","5"]"#, nil),
            (#"["Amount","5"]"#, nil),
        ] as [(String, Int128?)])
    func zaps(_ tag: String, _ amount: Int128?) throws {
        let found = facts(try operation(#"{"kind":9734,"content":"","tags":[\#(tag)]}"#))
        #expect(found["zap.amount"] == amount.map { .integer($0) })
        let note = facts(try operation(#"{"kind":1,"content":"","tags":[\#(tag)]}"#))
        #expect(note["zap.amount"] == nil)
    }

    @Test("Unknown effects are not raised")
    func unknown() throws {
        let text = String(repeating: "a", count: NostrEvent.searchableBytesMax + 1)
        let facts = facts(try operation(#"{"kind":1,"content":"\#(text)"}"#))
        #expect(facts["content.contains"] == nil)
        #expect(facts["created_at.skew"] == nil)
        #expect(facts["relay"] == nil && facts["url"] == nil && facts["method"] == nil)
        #expect(facts["content.bytes"] == .integer(Int128(text.utf8.count)))
    }

    @Test(
        "The relay of a login is named by host",
        arguments: [
            ("wss://Relay.Example.com/", "relay.example.com"),
            ("wss://r.com:443/x?y", "r.com"), ("ws://r.com:80", "r.com"),
            ("wss://r.com:80", "r.com:80"), ("wss://r.com:8443", "r.com:8443"),
            ("https://r.com", nil), ("r.com", nil), ("wss://u@r.com", nil),
            ("wss://\u{E9}.com", "xn--9ca.com"), ("wss://r.com.", "r.com"), ("wss:r.com", nil),
            ("wss://", nil),
        ] as [(String, String?)])
    func relay(url: String, host: String?) throws {
        let facts = facts(
            try operation(#"{"kind":22242,"content":"","tags":[["relay","\#(url)"]]}"#))
        #expect(facts["relay"] == host.map { .text($0) })
    }

    @Test("A login that names two places names none")
    func twoPlaces() throws {
        let relays = #"[["relay","wss://a.com"],["relay","wss://b.com"]]"#
        #expect(
            facts(try operation(#"{"kind":22242,"content":"","tags":\#(relays)}"#))["relay"] == nil)
        #expect(
            try operation(#"{"kind":22242,"content":"","tags":\#(relays)}"#).undetermined == [
                "relay"
            ])
        let urls = #"[["u","https://a.com"],["u","https://b.com"],["method","GET"]]"#
        let http = facts(try operation(#"{"kind":27235,"content":"","tags":\#(urls)}"#))
        #expect(http["url"] == nil)
        #expect(http["method"] == .text("GET"))
        for (url, expected) in [
            ("https://A.com.:443/X?y", "https://a.com/X?y"), ("https://a.com", "https://a.com/"),
            ("https://a.com?x", "https://a.com/?x"),
            ("https://a.com@b.com/", nil), ("a.com", nil), ("https:/a.com", nil),
            ("https://a.com\\\\@b.com/", nil), ("ftp://a.com/", nil),
        ] {
            let tags = #"[["u","\#(url)"],["method","GET"]]"#
            let login = try operation(#"{"kind":27235,"content":"","tags":\#(tags)}"#)
            #expect(facts(login)["url"] == expected.map { .text($0) })
            #expect(login.undetermined == (expected == nil ? ["url"] : []))
        }
    }

    @Test(
        "An event that is not dated now could be kept for later",
        arguments: [
            (27_235, 60, false), (27_235, 61, true), (27_235, -61, true), (22_242, 600, false),
            (22_242, -601, true), (1, 900, false), (1, 901, true), (3, 157_680_000, true),
            (1, -157_680_000, false),
        ])
    func oddTime(kind: Int, skew: Int, isOdd: Bool) throws {
        let time = Int(NostrCall.now.seconds) + skew
        let event = try operation(#"{"kind":\#(kind),"content":"","created_at":\#(time)}"#)
        #expect(event.dangers.contains(.oddTime) == isOdd)
    }

    @Test(
        "Leave at a media server ends within a day",
        arguments: [(3_600, false), (86_400, false), (86_401, true)])
    func leave(seconds: Int, isOdd: Bool) throws {
        let now = Int(NostrCall.now.seconds)
        let tags = #"[["t","upload"],["expiration","\#(now + seconds)"]]"#
        let event = try operation(
            #"{"kind":24242,"content":"","created_at":\#(now),"tags":\#(tags)}"#)
        #expect(event.dangers.contains(.oddTime) == isOdd)
    }

    @Test(
        "Dangers and effects follow the kind",
        arguments: [
            (9_005, ["deletes"], [.publishes, .deletes]), (9_321, ["money"], [.publishes]),
            (9_008, ["deletes"], [.publishes, .deletes]),
            (24_133, ["remote_signing"], [.publishes]),
            (24_242, ["identity_proof", "odd_time"], [.provesIdentity]),
            (1, [], [.publishes]), (22_242, ["identity_proof"], [.provesIdentity]),
            (27_235, ["identity_proof"], [.provesIdentity]), (0, ["replaces"], [.publishes]),
            (3, ["replaces"], [.publishes]), (10_000, ["replaces"], [.publishes]),
            (19_999, ["replaces"], [.publishes]), (20_000, [], [.publishes]),
            (29_999, [], [.publishes]), (30_000, ["replaces"], [.publishes]),
            (39_999, ["replaces"], [.publishes]), (40_000, [], [.publishes]),
            (5, ["deletes"], [.publishes, .deletes]), (62, ["vanish"], [.publishes, .deletes]),
            (9_734, ["money"], [.publishes]), (7_374, ["money"], [.publishes]),
            (7_376, ["money"], [.publishes]), (7_377, [], [.publishes]),
            (17_375, ["replaces", "money"], [.publishes]), (23_194, ["money"], [.publishes]),
        ] as [(Int, [String], [Effect])])
    func kinds(kind: Int, dangers: [String], effects: [Effect]) throws {
        let operation = try operation(#"{"kind":\#(kind),"content":""}"#)
        #expect(operation.dangers.map(\.name) == dangers)
        #expect(operation.effects == effects)
    }

    @Test("Hidden characters and unusual size are dangers")
    func text() throws {
        let hidden = [
            #""content":"a\u0007""#, #""content":"\u202e""#, #""content":"","tags":[["\u0000"]]"#,
        ]
        for member in hidden {
            #expect(try operation("{\"kind\":1,\(member)}").dangers == [.controlCharacters])
        }
        #expect(try operation(#"{"kind":1,"content":"a\n\tb"}"#).dangers == [])
        let long = String(repeating: "a", count: 65_500)
        #expect(try operation(#"{"kind":1,"content":"\#(long)"}"#).dangers == [.oversize])
    }

    @Test("The summary names the act, the client, the receiver and the dangers")
    func summary() throws {
        let summary = try NostrCall()
            .use(#"{"kind":3,"content":"evil\u202etext","tags":[["p","x"]]}"#).shown
        #expect(summary.title == "Sign a Nostr event: Follows (kind 3)")
        #expect(summary.lines.contains(Summary.Line("tag", parts: ["p", "x"], by: .client)))
        #expect(summary.lines.contains { $0.label == "account" && $0.text.contains("npub1") })
        #expect(summary.lines.contains { $0.text.contains("2023-11-14T22:15:00Z (now)") })
        #expect(summary.warnings.count == 2)
        #expect(!summary.text.contains("\u{202E}"))
    }

    @Test("No tag pushes away whom a zap pays, and two amounts are not one")
    func decoys() throws {
        let decoys = (0..<45).map { #"["x","\#($0)"]"# }.joined(separator: ",")
        let pays = #"["amount","21000"],["p","\#(NostrKeys.bobHex)"]"#
        let key = try Hex.decode(NostrKeys.bobHex)
        for (tags, text) in [
            ("\(decoys),\(pays)", "pays 21000 millisatoshi to \(PublicKeyText.npub(key))"),
            ("\(pays),[\"amount\",\"1\"]", "pays 2 amounts to"),
            ("\(pays),[\"p\",\"x\"]", "to 2 receivers"),
        ] {
            let event = #"{"kind":9734,"content":"","tags":[\#(tags)]}"#
            let summary = try NostrCall().use(event).shown
            #expect(summary.headlines.first?.gravity == .value)
            #expect(summary.text.contains(text))
        }
        let login = #"{"kind":22242,"content":"","tags":[["relay","wss://R.Example."]]}"#
        let summary = try NostrCall().use(login).shown
        #expect(summary.text.contains("logs in at r.example"))
        #expect(summary.fullText.contains("signed as"))
    }
}
