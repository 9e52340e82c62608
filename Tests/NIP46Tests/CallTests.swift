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
                // Signatures of one event differ; all else is the same.
                let signed = try #require(answer["result"]?.text)
                let other = try #require(expected["result"]?.text)
                #expect(signed.firstRange(of: "\"sig\"") != nil)
                #expect(unsigned(signed) == unsigned(other))
                #expect(holds(try #require(try? statement(signed))))
            } else if answer["error"] == nil {
                #expect(answer["result"] == expected["result"], "\(name)")
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

    @Test("an error stands alone, whatever the vectors have beside it")
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

    @Test("what is no call gets no answer")
    func noCalls() async throws {
        let rig = try Rig()
        await rig.connect()
        let long = String(repeating: "a", count: 257)
        for text in [
            "", "null", "[]", "{}", #"{"id":1,"method":"ping","params":[]}"#,
            #"{"id":"1","method":"ping"}"#, #"{"id":"1","method":"ping","params":{}}"#,
            #"{"id":"1","method":"ping","params":[1]}"#,
            #"{"id":"1","method":"ping","params":[null]}"#,
            #"{"id":"1","id":"2","method":"ping","params":[]}"#,
            #"{"id":"1","method":"ping","params":[]} "# + "x",
            #"{"id":"\#(long)","method":"ping","params":[]}"#,
            #"{"id":"1","method":"ping","params":[\#(String(repeating: #""","#, count: 99))""]}"#,
            String(repeating: "[", count: 10_000),
            #"{"id":"1","method":"ping","params":["\ud800"]}"#,
        ] {
            #expect(await rig.ask(text) == nil, "\(text.prefix(60))")
        }
        #expect(await rig.ask(#"{"id":"","method":"ping","params":[]}"#)?["result"] == "pong")
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
        "URIs that are none are refused",
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
        let many = (0..<9).map { "&relay=wss://r\($0).example" }.joined()
        #expect(throws: NIP46Refusal.self) { try NostrConnectURI(start + many) }
        #expect(throws: NIP46Refusal.self) { try NostrConnectURI(start + "&perms=sign_event:x") }
        #expect(throws: NIP46Refusal.self) { try BunkerURI("bunker://\(Rig.client)?relay=%zz") }
    }
}
