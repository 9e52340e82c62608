// SPDX-License-Identifier: Apache-2.0

import NIP46
import NostrSamples
import SigningCodecs
import SigningCore
import SigningStorage
import SigningTesting
import TestHome
import Testing

@Suite("Permissions over NIP-46")
struct ConnectionTests {
    private static let ping = #"{"id":"1","method":"ping","params":[]}"#
    private static let publicKeyCall = #"{"id":"2","method":"get_public_key","params":[]}"#
    private static let note =
        #"{"id":"3","method":"sign_event","params":["{\"kind\":1,\"content\":\"hi\"}"]}"#
    private static let wishCall =
        #"{"id":"4","method":"connect","params":["","","sign_event:1,ping,sign_event","#
        + #""{\"name\":\"Notes\"}"]}"#

    @Test("before connect, after logout and without a proved key nothing is done")
    func unconnected() async throws {
        let rig = try Rig()
        for call in [Self.ping, Self.publicKeyCall, Self.note] {
            #expect(await rig.ask(call)?["error"] == "not connected")
        }
        await rig.connect()
        #expect(await rig.ask(Self.publicKeyCall)?["result"] == .string(NostrKeys.aliceHex))
        // The same frame over another channel, or from a client with another key or account.
        let others = [
            Peer(channel: "socket", claim: Rig.client), rig.peer(NostrKeys.bobHex),
            rig.peer(account: 1), rig.peer(connection: "d"),
        ]
        for peer in others {
            for call in [Self.ping, Self.publicKeyCall, Self.note] {
                #expect(await rig.ask(call, by: peer)?["error"] == "not connected")
            }
        }
        let out = #"{"id":"9","method":"logout","params":[]}"#
        #expect(await rig.ask(out, by: rig.peer(account: 1))?["error"] == "not connected")
        #expect(await rig.ask(Self.ping)?["result"] == "pong")
        #expect(await rig.ask(out)?["result"] == "ack")
        #expect(await rig.ask(Self.ping)?["error"] == "not connected")
    }

    @Test("calls about the connection ask no question; rules deny them anyway")
    func unasked() async throws {
        let rig = try Rig()
        let connect = #"{"id":"0","method":"connect","params":["","s"]}"#
        #expect(await rig.ask(connect, .deny)?["error"] == "permission denied")
        #expect(await rig.ask(connect, .askByDefault)?["result"] == "ack")
        #expect(await rig.ask(Self.ping, .askByDefault)?["result"] == "pong")
        #expect(
            await rig.ask(Self.publicKeyCall, .askByDefault)?["result"]
                == .string(NostrKeys.aliceHex))
        #expect(await rig.ask(Self.publicKeyCall, .ask)?["error"] == "permission denied")
        #expect(await rig.ask(Self.note, .askByDefault)?["error"] == "permission denied")
    }

    @Test("a client may leave where no rule speaks of it; a rule that denies it counts")
    func leaves() async throws {
        let rig = try Rig()
        await rig.connect()
        let out = #"{"id":"9","method":"logout","params":[]}"#
        for call in [Self.ping, Self.publicKeyCall, Self.note] {
            #expect(await rig.ask(call, .denyByDefault)?["error"] == "permission denied")
        }
        #expect(await rig.ask(out, .deny)?["error"] == "permission denied")
        #expect(await rig.ask(Self.ping)?["result"] == "pong")
        // The logout is on record as any request is.
        let length = try rig.home.ledger.length()
        #expect(await rig.ask(out, .denyByDefault)?["result"] == "ack")
        #expect(try rig.home.ledger.length() != length)
        #expect(await rig.ask(Self.ping)?["error"] == "not connected")
        #expect(await rig.ask(out, .denyByDefault)?["error"] == "not connected")
    }

    @Test("perms are wishes: a person may grant them, and they are never granted by themselves")
    func wishes() async throws {
        let rig = try Rig()
        #expect(await rig.ask(Self.wishCall, .askByDefault)?["error"] == "permission denied")
        let plain = FixedApproval(.approve)
        #expect(await rig.ask(Self.wishCall, .askByDefault, approval: plain)?["result"] == "ack")
        #expect(await rig.ask(Self.note, .askByDefault)?["error"] == "permission denied")
        // A connected client that connects again causes no question and gets no new grants.
        let granting = FixedApproval(.grant([0], Remembering(.hour)))
        #expect(await rig.ask(Self.wishCall, .askByDefault, approval: granting)?["result"] == "ack")
        #expect(await rig.ask(Self.note, .askByDefault)?["error"] == "permission denied")
        _ = await rig.ask(#"{"id":"9","method":"logout","params":[]}"#)
        #expect(await rig.ask(Self.wishCall, .askByDefault, approval: granting)?["result"] == "ack")
        let answer = try #require(await rig.ask(Self.note, .askByDefault))
        #expect(answer["error"] == nil && answer["result"]?.text?.contains("\"kind\":1") == true)
        // The end of a connection removes its grants.
        _ = await rig.ask(#"{"id":"10","method":"logout","params":[]}"#)
        await rig.connect()
        #expect(await rig.ask(Self.note, .askByDefault)?["error"] == "permission denied")
    }

    @Test("a person sees the connection's name, and the client's words as its own")
    func summary() throws {
        let rig = try Rig()
        let request = try rig.decode(Self.wishCall)
        #expect(request.terms.wishes.map(\.isGrantable) == [true, false])
        let lines = request.summary.lines
        #expect(lines.contains(Summary.Line("connection", "laptop")))
        #expect(lines.contains(Summary.Line("calls itself", "Notes", by: .client)))
        #expect(request.client?.proof == .key && request.client?.id == Rig.client)
    }

    @Test("an event is answered once, and one that was refused for its rights may come again")
    func replayed() async throws {
        let rig = try Rig()
        await rig.connect()
        let event = [UInt8](repeating: 5, count: 32)
        #expect(await rig.ask(Self.note, event: event, .deny)?["error"] == "permission denied")
        #expect(await rig.ask(Self.note, event: event)?["result"] != nil)
        #expect(await rig.ask(Self.note, event: event) == nil)
        #expect(await rig.ask(Self.ping, event: event) == nil)
    }

    @Test(
        "wrong parameters are reported, and no others",
        arguments: [
            (
                #"{"id":"1","method":"sign_event","params":[]}"#,
                "invalid params: the call needs an event"
            ),
            (
                #"{"id":"1","method":"sign_event","params":["#
                    + #""{\"kind\":1,\"content\":\"\",\"pubkey\":\""#
                    + NostrKeys.bobHex + #"\"}"]}"#, "invalid params: pubkey"
            ),
            (
                #"{"id":"1","method":"nip44_encrypt","params":["x"]}"#,
                "invalid params: the call needs a public key and a text"
            ),
            (
                #"{"id":"1","method":"nip44_encrypt","params":["xyz","text"]}"#,
                "invalid params: pubkey must be a public key in hex, or npub"
            ),
            (
                #"{"id":"1","method":"nip04_decrypt","params":["\#(NostrKeys.bobHex)","x"]}"#,
                "invalid params: could not decrypt"
            ),
            (#"{"id":"1","method":"decrypt_zap_event","params":["{}"]}"#, "unsupported method"),
            (#"{"id":"1","method":"nip44v3_encrypt","params":[]}"#, "unsupported method"),
            (#"{"id":"1","method":"Ping","params":[]}"#, "unsupported method"),
        ])
    func invalid(call: String, error: String) async throws {
        let rig = try Rig()
        await rig.connect()
        #expect(await rig.ask(call)?["error"] == .string(error))
    }

    @Test("texts go to a contact and come back, by both schemes", arguments: ["nip04", "nip44"])
    func texts(scheme: String) async throws {
        let rig = try Rig()
        let bob = rig.peer(NostrKeys.bobHex, account: 1)
        await rig.connect()
        await rig.connect(by: bob)
        let call =
            #"{"id":"1","method":"\#(scheme)_encrypt","params":"#
            + #"["\#(NostrKeys.bobHex)","h\u00e9"]}"#
        let sealed = try #require(await rig.ask(call)?["result"]?.text)
        let back =
            #"{"id":"1","method":"\#(scheme)_decrypt","params":"#
            + #"["\#(NostrKeys.aliceHex)","\#(sealed)"]}"#
        #expect(await rig.ask(back, by: bob)?["result"] == "h\u{e9}")
    }

    @Test("the adapter conforms")
    func conformance() async throws {
        let rig = try Rig()
        let results: [KeyResult] = [
            .signature([UInt8](repeating: 1, count: 64), message: [UInt8](repeating: 2, count: 32))
        ]
        let findings = await AdapterConformance.findings(
            rig.adapter, frames: [Array(Self.note.utf8)], results: results,
            in: try rig.context(isConnected: true))
        #expect(findings == [])
    }
}
