// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCore
import SigningStorage
import SigningTesting
import SigningVault
import TestHome
import Testing
import VectorFiles

@testable import Connect

@Suite("Connections that clients ask for")
struct ConnectTests {
    private static let unasked = "approval_unavailable"
    private static let notes = call(#"{"method":"sign_event","kind":1}"#)
    private static let wide = call(
        #"{"method":"sign_event","kind":1},{"method":"sign_event"},{"method":"nip44_decrypt"},"#
            + #"{"method":"sign_event","kind":5}"#)

    private static func call(
        _ scopes: String, keys: String = #""alice""#, seconds: Int = 3_600
    ) -> String {
        #"{"keys":[\#(keys)],"scopes":[\#(scopes)],"seconds":\#(seconds)}"#
    }

    @Test("calls are read, or refused with the code of their problem")
    func vectors() async throws {
        let rig = try Rig()
        let file = try VectorFile.load("Vectors/connect/connect.calls.json")
        let read = try #require(file["read"]?.list)
        #expect(read.count > 4)
        for row in read {
            let call = try #require(row.list).map { $0.text ?? "" }
            let reply = try await rig.connect(call[1], to: call[0], .allow([]))
            #expect(reply["connections"]?.list?.isEmpty == false, "\(call)")
        }
        let refused = try #require(file["refused"]?.list)
        #expect(refused.count > 40)
        for row in refused {
            let call = try #require(row.list).map { $0.text ?? "" }
            let reply = try await rig.connect(call[1], to: call[0], .allow([]))
            #expect(reply["code"]?.text == call[2], "\(call)")
            #expect(reply["status"]?.integerValue != nil && reply["detail"]?.text != nil)
        }
        #expect(try rig.home.ledger.allGrants().isEmpty)
    }

    @Test("it is an adapter like any other", arguments: ["nostr", "near", "algorand"])
    func conformance(name: String) async throws {
        let rig = try Rig()
        let adapter = try #require(
            Rig.adapters.adapter(named: "connect-\(name)") as? ConnectAdapter)
        let key = try #require(rig.accounts.first { $0.protocolID.name == name })
        let method = name == "nostr" ? "sign_event" : name == "near" ? "sign_in" : "enable"
        let frame = Self.call(#"{"method":"\#(method)"}"#, keys: #""\#(key.name)""#)
        let findings = await AdapterConformance.findings(
            adapter, frames: [Array(frame.utf8)], results: [.publicKey(key.publicKey)],
            in: rig.context(of: name))
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test("a picked wish is granted: this client, key, method and kind only")
    func picked() async throws {
        let rig = try Rig()
        let reply = try await rig.connect(Self.wide, .askByDefault, .grant([0], Remembering(.day)))
        #expect(reply["granted"] == [["key": "alice", "method": "sign_event", "kind": 1]])
        #expect(reply["asked"]?.list?.count == 3)
        #expect(reply["connections"]?.list?.first?["key"] == "alice")
        #expect(try await rig.sign(kind: 1) == "done")
        #expect(try await rig.sign(kind: 1, content: "other") == "done")
        for kind in [0, 3, 5, 7, 22_242] { #expect(try await rig.sign(kind: kind) == Self.unasked) }
        #expect(try await rig.sign(kind: 1, with: "bob") == Self.unasked)
        let others = [
            Peer(channel: "socket", credential: .program("other")),
            Peer(channel: "socket", claim: "bot"), Peer(channel: "socket"),
        ]
        for other in others {
            #expect(try await rig.sign(kind: 1, by: other) == Self.unasked)
        }
        // Rules take precedence: a connection does not answer a request that they ask about or
        // deny.
        #expect(try await rig.sign(kind: 1, .ask) == Self.unasked)
        #expect(try await rig.sign(kind: 1, .deny) == "policy_denied")
    }

    @Test("a grant lasts no longer than the client asked for, even if the person says more")
    func clipped() async throws {
        for span in [Remembering.Span.day, .always] {
            let rig = try Rig()
            _ = try await rig.connect(Self.notes, .askByDefault, .grant([0], Remembering(span)))
            rig.environment.advance(seconds: 3_599)
            #expect(try await rig.sign(kind: 1) == "done")
            rig.environment.advance(seconds: 1)
            #expect(try await rig.sign(kind: 1) == Self.unasked)
        }
        // A grant also lasts no longer than the person says.
        let rig = try Rig()
        _ = try await rig.connect(
            Self.notes, .askByDefault, .grant([0], Remembering(.fiveMinutes)))
        rig.environment.advance(seconds: 300)
        #expect(try await rig.sign(kind: 1) == Self.unasked)
    }

    @Test("a wish that is too wide, closed by a rule, or not on the list cannot be granted")
    func closed() async throws {
        let rig = try Rig()
        let all = FixedApproval.Behaviour.grant([0, 1, 2, 3, 4, -1], Remembering(.always))
        let asked = try await rig.connect(Self.wide, .ask, all)
        #expect(asked["granted"]?.list?.isEmpty == true && asked["asked"]?.list?.count == 4)
        #expect(try rig.home.ledger.allGrants().isEmpty)
        let reply = try await rig.connect(Self.wide, .askByDefault, all)
        // A kind that deletes is asked about each time, and so is a wish for every kind.
        #expect(
            reply["asked"] == [
                ["key": "alice", "method": "sign_event"],
                ["key": "alice", "method": "sign_event", "kind": 5],
            ])
        #expect(try await rig.sign(kind: 5) == Self.unasked)
        #expect(try await rig.sign(kind: 9) == Self.unasked)
        let denied = try await rig.connect(Self.notes, .deny, all)
        #expect(denied["code"] == "permission_denied" && denied["status"] == 403)
    }

    @Test(
        "a yes alone connects, and a no is reported; permissions of rules are reported as granted")
    func plain() async throws {
        let rig = try Rig()
        let yes = try await rig.connect(Self.notes, .askByDefault, .approve)
        #expect(yes["granted"]?.list?.isEmpty == true && yes["expires"]?.text?.isEmpty == false)
        #expect(try await rig.sign(kind: 1) == Self.unasked)
        #expect(try rig.home.ledger.allConnections().count == 1)
        #expect(try await rig.connect(Self.notes, .askByDefault, .deny)["code"] == "user_rejected")
        let ruled = try await rig.connect(Self.notes, .allow([]))
        #expect(ruled["granted"]?.list?.count == 1)
        #expect(try rig.home.ledger.allGrants().isEmpty)
        // One client has one connection to a key.
        #expect(try rig.home.ledger.allConnections().count == 1)
    }

    @Test("several keys are in one question, each with its own scopes")
    func keys() async throws {
        let rig = try Rig()
        let call = Self.call(
            #"{"method":"sign_event","kind":1},{"method":"sign_event","kind":7}"#,
            keys: #""alice","bob""#)
        let reply = try await rig.connect(call, .askByDefault, .grant([0, 3], Remembering(.hour)))
        #expect(
            reply["granted"] == [
                ["key": "alice", "method": "sign_event", "kind": 1],
                ["key": "bob", "method": "sign_event", "kind": 7],
            ])
        #expect(try await rig.sign(kind: 1) == "done")
        #expect(try await rig.sign(kind: 7, with: "bob") == "done")
        #expect(try await rig.sign(kind: 7) == Self.unasked)
        #expect(try await rig.sign(kind: 1, with: "bob") == Self.unasked)
        #expect(try rig.home.ledger.allConnections().count == 2)
    }

    @Test("a client without an access token is not connected, under any name")
    func unproved() async throws {
        let rig = try Rig()
        let peers = [
            Peer(channel: "socket"), Peer(channel: "socket", claim: "bot"),
            Peer(channel: "cli", claim: "https://app.example", opensCallbacks: true),
            Peer(
                channel: "relay",
                provedKey: ProvedKey(
                    publicKey: "aa", account: rig.accounts[0].id, connection: "c", name: "phone")),
        ]
        for peer in peers {
            let reply = try await rig.connect(Self.notes, by: peer, .allow([]))
            #expect(reply["code"] == "not_proved" && reply["status"] == 403)
        }
        #expect(try rig.home.ledger.allConnections().isEmpty)
    }

    @Test("a page within another's page is granted nothing, and a page alone for itself")
    func pages() async throws {
        let rig = try Rig()
        func page(_ profile: String, in top: String = "https://app.example") -> Peer {
            Peer(
                channel: "socket",
                credential: .page(
                    BrowserPage(
                        profile: profile, origin: "https://app.example", party: "app.example",
                        topOrigin: top, document: nil)))
        }
        let choice = FixedApproval.Behaviour.grant([0], Remembering(.hour))
        let framed = try await rig.connect(
            Self.notes, by: page("fox", in: "https://evil.example"), .askByDefault, choice)
        #expect(framed["granted"]?.list?.isEmpty == true)
        #expect(try rig.home.ledger.allGrants().isEmpty)
        _ = try await rig.connect(Self.notes, by: page("fox"), .askByDefault, choice)
        #expect(try await rig.sign(kind: 1, by: page("fox")) == "done")
        #expect(try await rig.sign(kind: 1, by: page("den")) == Self.unasked)
        let inside = page("fox", in: "https://evil.example")
        #expect(try await rig.sign(kind: 1, by: inside) == Self.unasked)
    }

    @Test("the end of a connection revokes the client's grants for that key")
    func ended() async throws {
        let rig = try Rig()
        let call = Self.call(#"{"method":"sign_event","kind":1}"#, keys: #""alice","bob""#)
        let reply = try await rig.connect(call, .askByDefault, .grant([0, 1], Remembering(.hour)))
        let id = try Hex.decode(
            try #require(reply["connections"]?.list?.first?["id"]?.text))
        #expect(try rig.home.ledger.end(connections: [id], at: rig.environment.now()) == 1)
        #expect(try rig.home.ledger.end(connections: [id], at: rig.environment.now()) == 0)
        #expect(try await rig.sign(kind: 1) == Self.unasked)
        #expect(try await rig.sign(kind: 1, with: "bob") == "done")
        try rig.home.ledger.flush()
        let report = try AuditLog.open(rig.home.home).verify(
            logPublicKey: rig.home.vault.logPublicKey(),
            lastKnownCheckpoint: rig.home.vault.lastCheckpoint())
        #expect(report.problem == nil)
    }

    @Test("messages on NEAR are granted for a recipient; signing in and intents are not among them")
    func near() async throws {
        let rig = try Rig()
        let call = Self.call(
            #"{"method":"sign_message","network":"mainnet","recipient":"example.near"}"#,
            keys: #""near""#)
        let reply = try await rig.connect(
            call, to: "near", .askByDefault, .grant([0], Remembering(.hour)))
        #expect(reply["granted"]?.list?.count == 1)
        func word(_ message: String, _ recipient: String) async throws -> String {
            let nonce = "KNV0cOpvJ50D5vfF9pqWom8wo2sliQ4W+Wa7uZ3Uk6Y="
            let frame =
                #"{"message":"\#(message)","recipient":"\#(recipient)","nonce":"\#(nonce)"}"#
            return try await rig.answer(frame, over: "nep413").word
        }
        #expect(try await word("Hello", "example.near") == "done")
        #expect(try await word("Hello again", "example.near") == "done")
        #expect(try await word("Hello", "other.near") == Self.unasked)
        #expect(try await word("Hello", "intents.near") == Self.unasked)
        // An access token's connection is not a login of the wire, so the wire neither reports nor
        // ends it.
        let accounts = #"{"method":"getAccounts","params":{}}"#
        #expect(try await rig.answer(accounts, over: "nep413", .allow([])).word != "done")
        #expect(try rig.home.ledger.allConnections().count == 1)
    }
}
