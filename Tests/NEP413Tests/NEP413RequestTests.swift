// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import Synchronization
import Testing

@testable import NEAR
@testable import NEP413

@Suite("NEP-413 requests")
struct NEP413RequestTests {
    private func request(
        _ changes: [String: JSON?] = [:], network: String? = nil
    ) throws -> NEP413Request {
        try decode(frame(changes), holding: [try Signer(network: network).account])
    }

    private func value(_ name: String, in request: NEP413Request) -> FactValue? {
        request.facts.first { $0.name == name }?.value
    }

    @Test("a log-in raises its facts and nothing more")
    func facts() throws {
        let request = try request(
            ["callbackUrl": "HTTPS://App.example:443/x?y#z", "network": "testnet", "state": nil])
        #expect(
            Set(request.facts) == [
                Fact("recipient", .text("myapp.com")), Fact("message.bytes", .integer(2)),
                Fact("message.sha256", .bytes(Digest.sha256("hi".utf8.span))),
                Fact("callback", .text("HTTPS://App.example:443/x?y#z")),
                Fact("network", .text("testnet")), Fact("nonce.reused", .bool(false)),
                Fact("callback.origin", .text("https://app.example")),
                Fact("intents", .bool(false)),
            ])
        #expect(request.effects == [.provesIdentity])
        #expect(request.dangers.isEmpty)
        #expect(request.decoding == .full)
        #expect(request.client == nil)
        #expect(request.method == "sign_message")
        #expect(request.protocolID == ProtocolID("near"))
    }

    @Test("message.bytes counts UTF-8")
    func messageBytes() throws {
        let request = try request(["message": "\u{e9}\u{1F30D}"])
        #expect(value("message.bytes", in: request) == .integer(6))
    }

    @Test("the network is the request's, else the key's, else unknown")
    func network() throws {
        #expect(try value("network", in: request()) == nil)
        let own = try request(network: "mainnet")
        #expect(value("network", in: own) == .text("mainnet"))
        let both = try request(["network": "mainnet"], network: "mainnet")
        #expect(value("network", in: both) == .text("mainnet"))
        let strange = try request(network: "localnet")
        #expect(value("network", in: strange) == .text("localnet"))
        #expect(strange.dangers == [.unknownNetwork])
    }

    @Test("a repeated nonce is a fact when the ledger knows, and absent when it does not")
    func nonceReused() throws {
        let account = try Signer().account
        let asked = Mutex<[ReplayToken]>([])
        for seen: Bool? in [true, false, nil] {
            let request = try decode(frame(), holding: [account]) { token in
                asked.withLock { $0.append(token) }
                return seen
            }
            #expect(value("nonce.reused", in: request) == seen.map { .bool($0) })
            let warnings = request.summary.warnings
            #expect(warnings.contains { $0.contains("nonce") } == (seen == true))
            let expected = Array("nep413:alice.near".utf8) + [0] + Array(0...31)
            #expect(request.replayToken == ReplayToken(expected, isSingleUse: false))
        }
        let token = try #require(try request().replayToken)
        #expect(asked.withLock { $0 } == [token, token, token])
    }

    @Test("every fact is declared with its type")
    func schema() throws {
        let requests = [
            try request(["callbackUrl": "https://a.example", "network": "mainnet"]),
            try decode(
                Vectors.message("intents-json-message").frame, holding: [Signer().account]),
        ]
        for request in requests {
            for fact in request.facts {
                let field = try #require(adapter.schema.field(named: fact.name), "\(fact.name)")
                if case .list = fact.value { #expect(field.isList) } else { #expect(!field.isList) }
            }
            for danger in request.dangers {
                #expect((adapter.schema.dangers + Danger.common).contains(danger))
            }
        }
        #expect(adapter.schema.operations == NEARRequest.Method.all)
    }

    @Test("text that hides something is flagged, whichever member it stands in")
    func controlCharacters() throws {
        for name in ["message", "recipient", "callbackUrl"] {
            #expect(try request([name: "a\u{202E}b"]).dangers == [.controlCharacters])
            #expect(try request([name: "a\u{0}b"]).dangers == [.controlCharacters])
        }
        #expect(try request(["message": "two\nlines\tand \u{1F30D}"]).dangers.isEmpty)
        let shown = try request(["message": "a\u{202E}b"]).summary.text
        #expect(shown.contains("\\u{202E}") && !shown.unicodeScalars.contains("\u{202E}"))
    }

    @Test("a message beyond 8 KiB is flagged")
    func oversize() throws {
        let usual = String(repeating: "x", count: 8_192)
        #expect(try request(["message": .string(usual)]).dangers.isEmpty)
        #expect(try request(["message": .string(usual + "x")]).dangers == [.oversize])
    }

    @Test("the summary shows every part, and the client's words as the client's")
    func summary() throws {
        let request = try decode(
            frame(["callbackUrl": "https://a.example/cb", "state": "secret-state"]),
            holding: [Signer(network: "mainnet").account])
        let lines = request.summary.lines
        let client = lines.filter { $0.author == .client }.map { "\($0.label)=\($0.text)" }
        #expect(
            client == [
                "recipient=myapp.com", "message=hi", "callback=https://a.example/cb",
            ])
        let text = request.summary.text
        let nonce = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        for part in ["alice.near", "mainnet", "https://a.example", nonce] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(text.contains("12 bytes") && !text.contains("secret-state"))
    }

    @Test("a NEP-641 recipient is shown with its parts")
    func offchainRecipient() throws {
        let vector = try Vectors.message("nep641-path2")
        let account = try Signer(address: vector.accountID, network: "testnet").account
        let request = try decode(vector.frame, holding: [account])
        let shown = request.summary.lines.filter { $0.label.hasPrefix("NEP-641") }.map(\.text)
        #expect(
            shown == [
                "mainnet", "extension.near", "wallet.near -> v1.signer", "2026-08-05T07:28:00Z",
            ])
        #expect(request.summary.warnings.count == 2)
        let plain = try decode(frame(), holding: [account])
        #expect(!plain.summary.text.contains("NEP-641"))
    }

    @Test("decoding the same frame twice gives the same request")
    func isDeterministic() throws {
        for vector in Vectors.messages {
            let account = try Signer(address: vector.accountID).account
            let first = try decode(vector.frame, holding: [account])
            let second = try decode(vector.frame, holding: [account])
            #expect(first.operations == second.operations)
            #expect(first.facts == second.facts)
            #expect(first.summary == second.summary)
        }
    }
}
