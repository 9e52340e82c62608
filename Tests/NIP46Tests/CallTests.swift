// SPDX-License-Identifier: Apache-2.0

import NIP46
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@Suite("Calls of NIP-46, against the vectors")
struct CallTests {
    private func steps() throws -> [String: String] {
        let rows = try Vectors.rows("nip46.vectors.json", "flow")
        return Dictionary(
            try rows.map { (try $0.required("step"), try $0.required("plaintext")) },
            uniquingKeysWith: { $1 })
    }

    @Test("the flow of the vectors gives the answers of the vectors")
    func flow() async throws {
        let rig = try Rig()
        let steps = try steps()
        let calls = steps.keys.filter { $0.hasSuffix(" request") }
        #expect(calls.count == 6)
        for name in ["connect", "get_public_key", "sign_event", "unknown method", "switch_relays"] {
            let call = try #require(steps["\(name) request"])
            let answer = try #require(await rig.ask(call), "\(name)")
            let due = try #require(
                steps["\(name) response"] ?? steps["\(name) response (no change)"])
            let expected = try JSON.parse(due.utf8.span)
            #expect(answer["id"] == expected["id"])
            #expect(answer["error"] == expected["error"])
            if name == "sign_event" {
                // Signatures of one event differ, so only the rest is compared.
                let signed = try #require(answer["result"]?.text)
                let other = try #require(expected["result"]?.text)
                #expect(signed.firstRange(of: "\"sig\"") != nil)
                #expect(unsigned(signed) == unsigned(other))
                #expect(holds(try #require(try? statement(signed))))
            } else if answer["error"] == nil {
                // A result is text in our answers, while the vectors have a bare null.
                let result = expected["result"] == .null ? "null" : expected["result"]
                #expect(answer["result"] == result, "\(name)")
            }
        }
        #expect(await rig.ask(try #require(steps["logout request"]))?["result"] == "ack")
        let after = await rig.ask(try #require(steps["get_public_key request"]))
        #expect(after?["error"] == "not connected")
    }

    private func unsigned(_ event: String) -> Substring {
        event[..<(event.firstRange(of: "\"sig\"")?.lowerBound ?? event.endIndex)]
    }

    private func statement(_ event: String) throws -> SignedStatement {
        try SignedEvent.statement(event.utf8.span)
    }

    @Test("an error is reported alone, without the results that the vectors have beside it")
    func errors() async throws {
        let refused = try JSON.parse(try #require(try steps()["error response"]).utf8.span)
        let rig = try Rig()
        await rig.connect()
        let call = #"{"id":"s3","method":"sign_event","params":["{\"kind\":1,\"content\":\"\"}"]}"#
        let answer = try #require(
            await rig.ask(call, .askByDefault, approval: FixedApproval(.deny)))
        #expect(answer["error"] == refused["error"])
        #expect(answer["result"] == nil)
    }

    @Test("an invalid call gets no answer")
    func noCalls() async throws {
        let rig = try Rig()
        await rig.connect()
        let long = String(repeating: "a", count: 257)
        for text in [
            "", "null", "[]", "{}", #"{"id":1.5,"method":"ping","params":[]}"#,
            #"{"id":null,"method":"ping","params":[]}"#, #"{"method":"ping","params":[]}"#,
            // An answer, which gets no answer.
            #"{"id":"1","result":"pong","params":[]}"#,
            #"{"id":"1","id":"2","method":"ping","params":[]}"#,
            #"{"id":"1","method":"ping","params":[]} "# + "x",
            #"{"id":"\#(long)","method":"ping","params":[]}"#,
            String(repeating: "[", count: 10_000),
            #"{"id":"1","method":"ping","params":["\ud800"]}"#,
        ] {
            #expect(await rig.ask(text) == nil, "\(text.prefix(60))")
        }
        #expect(await rig.ask(#"{"id":"","method":"ping","params":[]}"#)?["result"] == "pong")
    }

    @Test("a call with an id and a method is answered under that id")
    func faults() async throws {
        let rig = try Rig()
        await rig.connect()
        for text in ["", #","params":null"#, #","params":[null]"#, #","params":[{"a":[1]}]"#] {
            #expect(await rig.ask(#"{"id":"1","method":"ping"\#(text)}"#)?["result"] == "pong")
        }
        let numbered = await rig.ask(#"{"id":7,"method":"ping","params":[]}"#)
        #expect(numbered == ["id": 7, "result": "pong"])
        let many = String(repeating: #""","#, count: 99)
        for params in ["{}", "1", "[1]", "[[]]", "[true]", #"[\#(many)""]"#] {
            let answer = await rig.ask(#"{"id":"a","method":"ping","params":\#(params)}"#)
            #expect(answer?["id"] == "a" && answer?["result"] == nil)
            #expect(answer?["error"]?.text?.hasPrefix("invalid params: ") == true, "\(params)")
        }
        let missing = await rig.ask(#"{"id":"a","method":"sign_event"}"#)
        #expect(missing?["error"] == "invalid params: the call needs an event")
    }

    @Test("an event that is an object in the call is signed as its text would be")
    func objects() async throws {
        let rig = try Rig()
        await rig.connect()
        let event =
            #"{"kind":1,"created_at":5,"tags":[["p","00"]],"content":"\u263a","x":{"y":[1.0]}}"#
        let answer = await rig.ask(#"{"id":"1","method":"sign_event","params":[\#(event)]}"#)
        let signed = try #require(answer?["result"]?.text)
        #expect(holds(try statement(signed)))
        let quoted = String(decoding: JSON.string(event).write(), as: UTF8.self)
        let other = await rig.ask(#"{"id":"2","method":"sign_event","params":[\#(quoted)]}"#)
        #expect(unsigned(signed) == unsigned(try #require(other?["result"]?.text)))
    }

    @Test("a call that changes no relays says so as a text, like all results")
    func relays() async throws {
        let rig = try Rig()
        await rig.connect()
        let call = #"{"id":"1","method":"switch_relays","params":[]}"#
        #expect(await rig.ask(call)?["result"] == "null")
    }

    @Test("a follow list of 5,000 is signed")
    func follows() async throws {
        let rig = try Rig()
        await rig.connect()
        let key = NostrKeys.bobHex
        let tags = JSON.array((0..<5_000).map { _ in ["p", .string(key)] })
        let event: JSON = ["kind": 3, "created_at": 5, "content": "", "tags": tags]
        let text = String(decoding: event.write(), as: UTF8.self)
        #expect(text.utf8.count > 256 << 10)
        let call: JSON = ["id": "1", "method": "sign_event", "params": [.string(text)]]
        let answer = await rig.ask(String(decoding: call.write(), as: UTF8.self))
        #expect(holds(try statement(try #require(answer?["result"]?.text))))
    }

    @Test(
        "perms are read as the vectors say",
        arguments: try Vectors.rows("nip46.vectors.json", "perms"))
    func perms(_ row: JSON) throws {
        let text = try row.required("s")
        guard row["error"] == nil else {
            #expect(throws: NIP46Refusal.self) { try NIP46Permissions.read(text) }
            return
        }
        let parsed = try #require(row["parsed"]?.list)
        let entries = try NIP46Permissions.read(text)
        #expect(entries.map(\.method) == parsed.compactMap { $0.list?[0].text })
        #expect(
            entries.map { $0.kind.map { Int64($0.number) } }
                == parsed.map { $0.list?[1].integerValue })
    }

    @Test(
        "URIs are read as the vectors say",
        arguments: try Vectors.rows("nip46.vectors.json", "uris"))
    func uris(_ row: JSON) throws {
        let text = try row.required("uri")
        let relays = row["relays"]?.list?.compactMap(\.text)
        if try row.required("kind") == "bunker" {
            let uri = try BunkerURI(text)
            #expect(uri.signer == row["pubkey"]?.text && uri.secret == row["secret"]?.text)
            #expect(uri.relays.map(\.text) == relays)
            #expect(try BunkerURI(uri.text) == uri)
        } else {
            let uri = try NostrConnectURI(text)
            #expect(uri.client == row["pubkey"]?.text && uri.secret == row["secret"]?.text)
            #expect(uri.relays.map(\.text) == relays && uri.metadata?.name == row["name"]?.text)
            #expect(try NIP46Permissions.read(uri.perms).count == row["perms"]?.list?.count)
        }
    }

    @Test(
        "invalid URIs are refused",
        arguments: try Vectors.rows("nip46.vectors.json", "invalid_uris"))
    func invalidURIs(_ row: JSON) throws {
        let text = try row.required("uri")
        #expect(throws: NIP46Refusal.self) { try BunkerURI(text) }
        #expect(throws: NIP46Refusal.self) { try NostrConnectURI(text) }
    }

    @Test("metadata of a URI is read in both forms; relays have one form and are encrypted")
    func forms() throws {
        let start = "nostrconnect://\(Rig.client)?secret=s&relay=wss://R.example:443/"
        let one = try NostrConnectURI(start + "&name=My%20App&url=https://a.example")
        let two = try NostrConnectURI(
            start + "&metadata=%7B%22name%22%3A%22My+App%22%2C"
                + "%22url%22%3A%22https://a.example%22%7D")
        #expect(one == two && one.relays.map(\.text) == ["wss://r.example"])
        #expect(try RelayAddress("ws://127.0.0.1:7000/x?y").path == "/x?y")
        #expect(try RelayAddress("ws://localhost").port == 80)
        for text in [
            "ws://relay.example", "http://a.example", "wss://", "wss://a b", "wss://u@a.example",
            "wss://a.example#x", "relay", "wss://\(String(repeating: "a", count: 300))",
        ] {
            #expect(throws: NIP46Refusal.self) { try RelayAddress(text) }
        }
    }

    @Test("unknown parts of a client's URI are dropped, and reported")
    func dropped() throws {
        let start = "nostrconnect://\(Rig.client)?secret=s"
        let many = (0..<9).map { "&relay=wss://r\($0).example" }.joined()
        let wide = try NostrConnectURI(start + many + "&relay=")
        #expect(wide.relays.count == 8 && wide.dropped.count == 1)
        #expect(wide.dropped[0].contains("wss://r8.example: a connection has at most 8 relays"))
        let lan = try NostrConnectURI(
            start + "&relay=ws%3A%2F%2F192.168.1.5&relay=wss://r.example&relay=ws://x.onion"
                + "&name=Zo\u{eb}'s app&image=%zz"
                + "&perms=nip44_decrypt:14,nip:4,sign_event:1,sign_event:1sign_event:2"
                + ",nip44_encrypt")
        #expect(lan.relays.map(\.text) == ["wss://r.example"])
        #expect(lan.metadata?.name == "Zo\u{eb}'s app")
        #expect(lan.perms == "sign_event:1,nip44_encrypt")
        #expect(
            lan.dropped == [
                "the parameter image, which is not valid percent-encoding",
                "the relay ws://192.168.1.5: ws:// is for relays on this machine only; use wss://",
                "the relay ws://x.onion: an onion address has 56 letters and digits before .onion",
                "the permission nip44_decrypt:14: it cannot be granted",
                "the permission nip:4: it cannot be granted",
                "the permission sign_event:1sign_event:2: it cannot be granted",
            ])
        let long = (0..<70).map { "sign_event:\($0)" }.joined(separator: ",")
        let uri = try NostrConnectURI(start + "&relay=wss://r.example&perms=\(long)")
        #expect(try NIP46Permissions.read(uri.perms).count == 64 && uri.dropped.count == 6)
        let json = "&metadata=%7B%22perms%22%3A%22sign_event%3A7%22%7D"
        let inside = try NostrConnectURI(start + "&relay=wss://r.example" + json)
        #expect(inside.perms == "sign_event:7")
        let none = #expect(throws: NIP46Refusal.self) {
            try NostrConnectURI(start + "&relay=ws://192.168.1.5&relay=")
        }
        #expect(none?.text.contains("ws:// is for relays on this machine only") == true)
    }

    @Test("a client that wishes for an ungrantable permission is connected anyway")
    func wishes() async throws {
        let rig = try Rig()
        let call =
            #"{"id":"1","method":"connect","params":["k",null,"sign_event:1,nip:4","#
            + #"{"name":"App"}]}"#
        let request = try rig.decode(call)
        #expect(request.terms.wishes.count == 1)
        let lines = request.summary.lines
        #expect(lines.contains { $0.label == "cannot be granted" && $0.text.contains("nip:4") })
        #expect(lines.contains { $0.text.contains("App") })
        #expect(await rig.ask(call)?["result"] == "ack")
    }

    @Test("an undecodable bunker URI is refused")
    func unreadable() {
        #expect(throws: NIP46Refusal.self) { try BunkerURI("bunker://\(Rig.client)?relay=%zz") }
    }
}
